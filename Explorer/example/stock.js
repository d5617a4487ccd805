// The page of a stock: `stock-page`, then `chart` for another range. Live: `live-prices`,
// `live-positions` and `live-orders`.

import { element, rangeChoice, showLiveState, showMessage, stockAddress } from "/example/elements.js";
import { describeError, errorsAt } from "/example/errors.js";
import { Freshness } from "/example/freshness.js";
import { accountName, compact, direction, moment, money, percent, price as asPrice, providerName, quantity, signedMoney, words } from "/example/format.js";
import { LiveList } from "/example/live-list.js";
import { Orders, withLegs } from "/example/orders.js";
import { PriceChart, ranges } from "/example/price-chart.js";
import { Ticket } from "/example/ticket.js";
import { toggleWatched } from "/example/watchlist.js";

const page = "/operations/markets/stock-page.graphql";
const chartDocument = "/operations/markets/chart.graphql";
const livePrices = "/operations/markets/live-prices.graphql";
const livePositions = "/operations/accounts/live-positions.graphql";
const liveOrders = "/operations/orders/live-orders.graphql";

const defaultRange = "ONE_YEAR";

/** A visit of the page, from the navigation to it until the next navigation. */
export class StockPage {
  #client;
  #main = document.getElementById("stock");
  #symbol;
  #range;
  #instrument = null;
  #quote = null;
  #chart;
  #columns = null;
  #freshness;
  #isClosed = false;
  #ends = [];
  #positions = new Map();
  #orders;
  #ticket;
  #livePositions = new LiveList({
    objects: ({ positions: position }) => (position?.symbol === this.#symbol ? [position] : []),
    follow: (position) => this.#followPosition(position),
    current: () => [...this.#positions.keys()],
    readAgain: async () => {
      const { data, errors } = await this.#readAgain();
      if (!data.instrument?.positions || errorsAt(errors, "instrument", "positions")) throw new Error("Positions are missing.");
      return positionsOf(data);
    },
    show: (position) => this.#followPosition(position),
    remove: (id) => this.#removePosition(id),
  });
  #liveOrders = new LiveList({
    objects: ({ orders: order }) => (order?.symbol === this.#symbol ? withLegs(order) : []),
    follow: (order) => {
      this.#ticket.settle(order.clientOrderId);
      this.#orders.follow(order);
    },
    current: () => this.#orders.open,
    readAgain: async () => {
      const { data, errors } = await this.#readAgain();
      if (errorsAt(errors, "orders") || errorsAt(errors, "endedOrders")) throw new Error("Orders are missing.");
      return ordersOf(data).toReversed();
    },
    show: (order) => this.#orders.reread(order),
    remove: (id) => this.#orders.remove(id),
  });
  /** The read of the page that is under way again. */
  #reading = null;

  constructor(client, symbol, range) {
    [this.#client, this.#symbol, this.#range] = [client, symbol, range in ranges ? range : defaultRange];
    this.#main.replaceChildren(document.getElementById("stock-page").content.cloneNode(true));
    this.#main.hidden = false;
    document.title = `${symbol} – Portico example`;
    this.#freshness = new Freshness(this.#element("price-live"));
    this.#ends.push(() => this.#freshness.close());
    this.#element("stock-symbol").textContent = symbol;
    this.#element("new-alert").href = `#/alerts?${new URLSearchParams({ symbol })}`;
    this.#chart = new PriceChart({
      picture: this.#element("price-chart"), summary: this.#element("chart-summary"), table: this.#element("chart-values"),
    });
    this.#element("ranges").append(...rangeChoice(ranges, this.#range, (name) => this.#changeRange(name)));
  }

  get symbol() {
    return this.#symbol;
  }

  /**
   * Reads and shows the stock.
   *
   * @throws The failure, which the page shows, too.
   */
  async open() {
    const heading = this.#element("stock-name");
    heading.focus();
    const stateOf = (id) => (state, reason) => showLiveState(this.#element(id), state, reason);
    this.#livePositions.open(this.#client, livePositions, stateOf("position-live"));
    this.#liveOrders.open(this.#client, liveOrders, stateOf("orders-live"));
    try {
      const { data, errors, now } = await this.#read();
      if (this.#isClosed) return;
      if (!data.instrument) throw new Error(errorsAt(errors, "instrument") || `${this.#symbol}: no provider has this symbol.`);
      this.#show(data, errors, now);
    } catch (error) {
      if (this.#isClosed) return;
      heading.textContent = "Not available";
      showMessage(this.#element("stock-failure"), error.message);
      throw error;
    }
  }

  /** Ends the subscriptions; responses that arrive later are ignored. */
  close() {
    this.#isClosed = true;
    for (const end of this.#ends) end();
    this.#livePositions.close();
    this.#liveOrders.close();
    this.#main.hidden = true;
    this.#main.replaceChildren();
  }

  #element(id) {
    return this.#main.querySelector(`#${id}`);
  }

  #read() {
    return this.#client.run(page, { symbol: this.#symbol, range: this.#range });
  }

  /** Both lists need it at the same time. */
  #readAgain() {
    this.#reading ??= this.#read().finally(() => { this.#reading = null; });
    return this.#reading;
  }

  #price(amount) {
    return asPrice(amount, this.#instrument?.currency ?? this.#quote?.currency, this.#instrument ?? {});
  }

  #show(data, errors, now) {
    const { instrument } = data;
    this.#instrument = instrument;
    const { name, exchange, assetClass } = instrument;
    this.#element("stock-name").textContent = name ?? this.#symbol;
    document.title = `${this.#symbol} ${name ?? ""} – Portico example`;
    this.#element("stock-facts").textContent = [exchange, words(assetClass)].filter(Boolean).join(" · ");
    this.#element("stock-body").hidden = false;
    this.#showQuote(instrument.quote);
    this.#freshness.update([instrument.quote], now);
    if (!instrument.quote) this.#element("market-state").textContent = errorsAt(errors, "instrument", "quote");
    this.#showChart(instrument.chart, errorsAt(errors, "instrument", "chart"));
    this.#showFigures(instrument, errors);
    this.#showNews(instrument.news, errorsAt(errors, "instrument", "news"));
    this.#showWatched(data);

    this.#positions = new Map(positionsOf(data).map((one) => [one.id, one]));
    this.#showPositions(errorsAt(errors, "instrument", "positions"));
    const accounts = (data.accounts ?? []).filter(Boolean);
    const known = ordersOf(data);
    this.#orders = new Orders(this.#client, this.#main, instrument, known);
    this.#ticket = new Ticket(this.#client, this.#main, instrument, accounts, (order) => this.#orders.update(order));
    for (const { clientOrderId } of known) this.#ticket.settle(clientOrderId);
    const problems = ["orders", "endedOrders", "accounts"].map((name) => errorsAt(errors, name)).filter(Boolean);
    showMessage(this.#element("orders-failure"), problems.join(" "));

    const priceState = (state, reason) => state === "live" || this.#freshness.fail(reason ?? "Connecting again.");
    this.#follow(livePrices, { symbols: [this.#symbol] }, priceState, ({ quotes: quote }) => {
      if (!quote) return;
      // An event arrives when it was read.
      this.#freshness.update([quote], Date.parse(quote.fetchedAt));
      this.#showQuote(quote);
      this.#ticket.update(quote);
      // The last candle of a chart contains the latest trade until it is complete.
      if (this.#columns?.lastComplete === false && quote.price != null) this.#chart.update(Number(quote.price));
    });
    this.#livePositions.shown();
    this.#liveOrders.shown();
  }

  async #follow(document, variables, showState, next) {
    try {
      const end = await this.#client.subscribe(document, variables, (data) => this.#isClosed || next(data),
        (state, reason) => this.#isClosed || showState(state, reason));
      if (this.#isClosed) end();
      else this.#ends.push(end);
    } catch (error) {
      if (!this.#isClosed) showState("ended", error.message);
    }
  }

  #showQuote(quote) {
    if (!quote) return;
    const old = this.#quote?.price;
    this.#quote = { ...this.#quote, ...quote };
    const { price, change, changePercentage, marketState, delayMinutes, source, stale, bid, ask, open, high, low, volume } = this.#quote;
    const shown = this.#element("stock-price");
    shown.textContent = this.#price(price);
    shown.classList.remove("rose", "fell");
    if (old != null && price != null && Number(price) !== Number(old)) {
      // Reading the width starts the animation again.
      void shown.offsetWidth;
      shown.classList.add(Number(price) > Number(old) ? "rose" : "fell");
    }
    const changed = this.#element("stock-change");
    changed.className = direction(change);
    const sign = Number(change) > 0 ? "+" : "";
    changed.textContent = change == null ? "" : `${sign}${this.#price(change)} (${percent(changePercentage)}) today`;
    this.#element("market-state").textContent = [
      marketState && `${words(marketState)} market`, delayMinutes ? `${delayMinutes} minutes delayed` : "", `from ${providerName(source)}`,
      stale ? "an old value" : "",
    ].filter(Boolean).join(" · ");
    const figures = { Bid: bid, Ask: ask, Open: open, High: high, Low: low };
    this.#element("day-figures").replaceChildren(...facts([
      ...Object.entries(figures).map(([name, amount]) => [name, this.#price(amount)]), ["Volume", compact(volume)],
    ]));
  }

  #showFigures({ fundamentals, description, currency }, errors) {
    const { sector, marketCap, peRatio, yearHigh, yearLow } = fundamentals ?? {};
    const unit = fundamentals?.currency ?? currency ?? "";
    this.#element("company-figures").replaceChildren(...facts([
      ["Sector", sector], ["Market value", marketCap && `${compact(marketCap)} ${unit}`], ["Price/earnings", peRatio && quantity(peRatio)],
      ["Year's high", yearHigh && this.#price(yearHigh)], ["Year's low", yearLow && this.#price(yearLow)],
    ].filter(([, value]) => value != null)));
    this.#element("description").textContent = description ?? "";
    // NOT_FOUND: there is no company, for example behind a currency pair.
    const failures = errors.filter((one) => one.extensions?.code !== "NOT_FOUND");
    const problem = ["fundamentals", "description"].map((name) => errorsAt(failures, "instrument", name)).filter(Boolean).join(" ");
    showMessage(this.#element("figures-failure"), problem);
    this.#element("company").hidden = !fundamentals && !description && !problem;
  }

  #showNews(news, problem) {
    const articles = (news?.nodes ?? []).map(({ headline, source, publishedAt, url }) => {
      const time = element("time", "", moment(publishedAt));
      time.dateTime = publishedAt;
      const title = element(url ? "a" : "b", "", headline);
      if (url) Object.assign(title, { href: url, rel: "noreferrer", target: "_blank" });
      return element("li", "", [title, element("small", "", [`${source ?? ""} · `, time])]);
    });
    this.#element("news").replaceChildren(...(articles.length ? articles : [element("li", "empty", problem || "No news about this.")]));
  }

  #followPosition(position) {
    if (Number(position.quantity) === 0) return this.#removePosition(position.id);
    this.#positions.set(position.id, { ...this.#positions.get(position.id), ...position });
    this.#showPositions();
  }

  #removePosition(id) {
    this.#positions.delete(id);
    this.#showPositions();
  }

  #showPositions(problem) {
    const rows = [...this.#positions.values()].map((one) => {
      const { id, side, quantity: units, marketValue, averageEntryPrice, currency, account, source } = one;
      const { unrealizedProfitLoss: profit, unrealizedProfitLossPercentage: percentage } = one;
      const average = averageEntryPrice == null ? "" : ` · bought at ${this.#price(averageEntryPrice)}`;
      const row = element("li", "", [
        element("span", "what", [
          element("b", "", `${quantity(units)} ${words(side)}`),
          element("small", "", `${accountName(account ?? { provider: source })}${average}`),
        ]),
        element("span", "value", [
          element("b", "", money(marketValue, currency)),
          element("small", direction(profit), profit == null ? "" : `${signedMoney(profit, currency)} ${percent(percentage)}`),
        ]),
      ]);
      row.dataset.position = id;
      return row;
    });
    this.#element("stock-positions").replaceChildren(...(rows.length ? rows : [element("li", "empty", "None is held.")]));
    if (problem !== undefined) showMessage(this.#element("position-failure"), problem);
  }

  #showWatched({ instrument: { inWatchlists }, watchlists }) {
    const toggle = this.#element("watch");
    // Without a known state the button would do the opposite of its text.
    if (!inWatchlists || !watchlists) return;
    // The list of the home screen.
    let list = watchlists.find((one) => one && !one.readOnly) ?? null;
    let isWatched = inWatchlists.some((one) => one && one.id === list?.id);
    const show = () => {
      toggle.textContent = isWatched ? "Watched" : "Watch";
      toggle.setAttribute("aria-pressed", String(isWatched));
    };
    toggle.hidden = false;
    toggle.addEventListener("click", async () => {
      toggle.disabled = true;
      try {
        list = await toggleWatched(this.#client, list, this.#symbol, isWatched);
        isWatched = !isWatched;
        show();
      } catch (error) {
        showMessage(this.#element("stock-failure"), error.message);
      } finally {
        toggle.disabled = false;
      }
    });
    show();
  }

  async #changeRange(range) {
    this.#range = range;
    // No entry of its own in the history: Back leaves the page, and a reload keeps the range.
    history.replaceState(null, "", stockAddress(this.#symbol, range));
    const isCurrent = () => !this.#isClosed && this.#range === range;
    this.#element("price-chart").setAttribute("aria-busy", "true");
    try {
      const { data: { chart }, errors } = await this.#client.run(chartDocument, { symbol: this.#symbol, range });
      if (!isCurrent()) return;
      this.#showChart(chart, errors.map(describeError).join(" "));
      // Not a live region itself, because it changes with the price.
      this.#element("status").textContent = this.#element("chart-summary").textContent;
    } catch (error) {
      if (isCurrent()) this.#showChart(null, error.message);
    }
  }

  #showChart(chart, problem) {
    this.#columns = chart?.columns ?? null;
    const picture = this.#element("price-chart");
    picture.removeAttribute("aria-busy");
    picture.dataset.range = this.#range;
    this.#chart.show(chart, { symbol: this.#symbol, range: this.#range, price: (amount) => this.#price(amount), problem });
    this.#element("chart-source").textContent = chart ? [
      `From ${providerName(chart.source)}`, chart.adjustment && `adjusted: ${words(chart.adjustment)}`, chart.truncated && "older values exist",
    ].filter(Boolean).join(" · ") : "";
  }
}

function positionsOf({ instrument }) {
  return (instrument?.positions ?? []).filter(Boolean);
}

/** The open orders and the latest that have ended, with their legs, newest first. */
function ordersOf({ orders, endedOrders }) {
  return [...(orders?.nodes ?? []), ...(endedOrders?.nodes ?? [])].filter(Boolean).flatMap(withLegs);
}

/** Terms and descriptions of a list, each pair in a group. */
function facts(entries) {
  return entries.map(([name, value]) => element("div", "", [element("dt", "", name), element("dd", "", value)]));
}
