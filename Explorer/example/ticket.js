// The order ticket of a stock: `place-order`, or `place-bracket` for an order with exits. The user reviews the order
// with its preview before it is sent.

import { button, element, showMessage } from "/example/elements.js";
import { describeRejection, hasUnknownOutcome } from "/example/errors.js";
import { accountName, moment, money, price as asPrice, product, quantity, words } from "/example/format.js";
import { beginPlacement, endPlacement, openPlacements } from "/example/placements.js";
import { Review } from "/example/review.js";

const trade = "/operations/orders/place-order.graphql";
const placeBracket = "/operations/orders/place-bracket.graphql";

/** The order types of the ticket and their prices; others can be read and canceled, but not placed here. */
const types = { MARKET: [], LIMIT: ["limit"], STOP: ["stop"], STOP_LIMIT: ["stop", "limit"] };
const timesInForce = { DAY: "for the day", GTC: "until canceled" };

/** `OrderPrice` of the schema; none for a market order. */
export function orderPrice(type, { limit, stop }) {
  return { LIMIT: { limit }, STOP: { stop }, STOP_LIMIT: { stopLimit: { stop, limit } } }[type];
}

/** Shows the fields of the prices that an order type has, and requires them. */
export function showPriceFields(form, type) {
  for (const name of ["limit", "stop"]) {
    const input = form.elements[name];
    const isUsed = types[type]?.includes(name) ?? false;
    input.closest("label").hidden = !isUsed;
    input.disabled = !isUsed;
    input.required = isUsed;
  }
}

export class Ticket {
  #client;
  #main;
  #form;
  #instrument;
  #accounts;
  #quote;
  #onOrder;
  #review;
  #isReviewing = false;
  #sending = new Set();

  /**
   * @param main The element of the page.
   * @param instrument With `listings` and `quote`.
   * @param accounts The user's accounts that could be read.
   * @param onOrder Called with an order that was placed or rejected.
   */
  constructor(client, main, instrument, accounts, onOrder) {
    [this.#client, this.#main, this.#instrument, this.#onOrder] = [client, main, instrument, onOrder];
    this.#quote = instrument.quote;
    this.#review = new Review(client, main, instrument);
    this.#form = main.querySelector("#ticket");
    const brokers = new Set(instrument.listings.filter(({ tradable }) => tradable !== false).map(({ provider }) => provider));
    this.#accounts = accounts;
    const usable = accounts.filter(({ provider, canTrade }) => canTrade !== false && brokers.has(provider));
    const { accountId, side } = this.#form.elements;
    accountId.replaceChildren(...usable.map((one) => new Option(`${accountName(one)}, ${words(one.environment)}`, one.id)));
    if (!usable.length) {
      this.#form.hidden = true;
      main.querySelector("#no-ticket").hidden = false;
    }
    this.#form.addEventListener("input", ({ target }) => {
      if (target === accountId) this.#showChoices();
      this.#showFields();
    });
    this.#form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.#decide();
    });
    this.#showChoices();
    this.#showFields();
    this.showPlacements();
    side[0].closest("fieldset").disabled = false;
  }

  /** Replaces the quote with which amounts are estimated. */
  update(quote) {
    this.#quote = { ...this.#quote, ...quote };
    this.#showEstimate();
  }

  /** Shows the orders for this stock whose outcome is not known; meanwhile no other order can be placed. */
  showPlacements() {
    const { symbol } = this.#instrument;
    const open = openPlacements(this.#accounts.map(({ id }) => id))
      .filter(({ input }) => input.instrument.symbol === symbol && !this.#sending.has(input.idempotencyKey));
    const placements = this.#main.querySelector("#placements");
    // Another page is shown: the preview of an order came after the user had left this one.
    if (!placements) return;
    placements.replaceChildren(...open.map(({ input, sentAt }) => {
      const time = moment(sentAt);
      return element("div", "placement", [
        element("p", "", `${this.#describe(input)}: sent at ${time}, and the outcome is not known. Send it again to find out: ` +
          "the server places it at most once. Before you forget it, compare the orders at the broker."),
        button("Send again", "", () => this.#send(input)),
        button("Forget", "", () => this.settle(input.idempotencyKey)),
      ]);
    }));
    const send = this.#form.querySelector("button.primary");
    send.disabled = open.length > 0 || this.#sending.size > 0;
    // Not disabled meanwhile, so that the button keeps the focus.
    send.setAttribute("aria-disabled", String(this.#isReviewing));
    send.textContent = this.#isReviewing ? "Reading the preview …" : "Review the order";
  }

  /** Removes an order whose outcome is known, for example because the broker's orders contain it. */
  settle(idempotencyKey) {
    if (!idempotencyKey) return;
    endPlacement(idempotencyKey);
    this.showPlacements();
  }

  get #account() {
    return this.#accounts.find(({ id }) => id === this.#form.elements.accountId.value);
  }

  /** The choices that the broker of the account offers. */
  #showChoices() {
    const listing = this.#instrument.listings.find(({ provider }) => provider === this.#account?.provider);
    const { type, unit, timeInForce, size } = this.#form.elements;
    const offered = Object.keys(types).filter((name) => listing?.orderTypes?.includes(name) ?? name !== "STOP_LIMIT");
    type.replaceChildren(...offered.map((name) => new Option(words(name), name)));
    timeInForce.replaceChildren(...Object.entries(timesInForce).map(([name, text]) => new Option(text, name)));
    const currency = this.#instrument.currency ?? this.#quote?.currency;
    const units = [new Option("units", "quantity"), ...(listing?.fractionable && currency ? [new Option(currency, "notional")] : [])];
    unit.replaceChildren(...units);
    size.value ||= listing?.minimumQuantity ?? "1";
  }

  #showFields() {
    const { type, unit } = this.#form.elements;
    // Brokers accept amounts for market orders of the day only.
    for (const option of type.options) option.disabled = unit.value === "notional" && option.value !== "MARKET";
    if (unit.value === "notional") [type.value, this.#form.elements.timeInForce.value] = ["MARKET", "DAY"];
    showPriceFields(this.#form, type.value);
    // Brokers accept exits for a number of units only.
    const exits = this.#form.querySelector("#exits");
    exits.hidden = exits.disabled = unit.value === "notional";
    this.#showEstimate();
  }

  get #input() {
    const values = Object.fromEntries([...new FormData(this.#form)].map(([name, value]) => [name, value.trim()]));
    const { side, accountId, unit, size, type, limit, stop, timeInForce, takeProfit, stopLoss } = values;
    const exits = {
      ...(takeProfit && { takeProfit: { limit: takeProfit } }), ...(stopLoss && { stopLoss: { stop: stopLoss } }),
    };
    return {
      accountId, instrument: { symbol: this.#instrument.symbol }, side, size: { [unit]: size },
      price: orderPrice(type, { limit, stop }), timeInForce, ...(Object.keys(exits).length && { exits }),
    };
  }

  /** Quantity × price, while the order is being entered; the review shows the preview. */
  #estimate({ side, size, price = null }) {
    const currency = this.#instrument.currency ?? this.#quote?.currency ?? "USD";
    if (size.notional) return `${money(size.notional, currency)}, without fees`;
    const { bid, ask, price: last } = this.#quote ?? {};
    const current = (side === "BUY" ? ask : bid) ?? last;
    const unitPrice = price?.limit ?? price?.stopLimit?.limit ?? price?.stop ?? current;
    const amount = unitPrice && size.quantity ? product(unitPrice, size.quantity) : null;
    if (!amount) return "unknown, because there is no price";
    return `about ${money(amount, currency)}${price ? "" : " at the current price"}, without fees`;
  }

  #showEstimate() {
    const account = this.#account;
    if (!account) return;
    const cash = account.availableCash == null ? "" : ` Available cash: ${money(account.availableCash, account.currency)}.`;
    const isComplete = this.#form.matches(":valid");
    this.#main.querySelector("#estimate").textContent = `${isComplete ? `Estimate: ${this.#estimate(this.#input)}.` : ""}${cash}`;
  }

  #describe({ side, size, price, instrument: { symbol }, timeInForce, exits: { takeProfit, stopLoss } = {} }) {
    const { currency } = this.#instrument;
    const text = (amount) => (currency ? asPrice(amount, currency, this.#instrument) : quantity(amount));
    const amount = size.notional ? `for ${currency ? money(size.notional, currency) : quantity(size.notional)}` : quantity(size.quantity);
    const prices = !price ? "at market"
      : price.stopLimit ? `at stop ${text(price.stopLimit.stop)}, limit ${text(price.stopLimit.limit)}`
        : price.limit ? `at limit ${text(price.limit)}` : `at stop ${text(price.stop)}`;
    const exits = `${takeProfit ? `, take profit at ${text(takeProfit.limit)}` : ""}${stopLoss ? `, stop loss at ${text(stopLoss.stop)}` : ""}`;
    return `${words(side)} ${amount} ${symbol} ${prices}, ${timesInForce[timeInForce]}${exits}`;
  }

  /** Shows the order with its preview, and places it if the user decides so. */
  async #decide() {
    if (this.#isReviewing) return;
    const input = this.#input;
    const failure = this.#main.querySelector("#ticket-failure");
    showMessage(failure, "");
    this.#isReviewing = true;
    this.showPlacements();
    try {
      const about = { order: this.#describe(input), estimate: this.#estimate(input) };
      if (await this.#review.decide(input, about, this.#account)) this.#begin(input);
    } catch (error) {
      showMessage(failure, error.message);
      this.#focus(error.argument);
    } finally {
      this.#isReviewing = false;
      this.showPlacements();
    }
  }

  #begin(input) {
    try {
      this.#send(beginPlacement(input));
    } catch (error) {
      showMessage(this.#main.querySelector("#ticket-failure"),
        `The order was not sent, because this browser stores nothing: ${error.message}`);
    }
  }

  /** Sends an order that is stored, the first time or again. */
  async #send(input) {
    const failure = this.#main.querySelector("#ticket-failure");
    const key = input.idempotencyKey;
    if (this.#sending.has(key)) return;
    this.#sending.add(key);
    this.showPlacements();
    showMessage(failure, "");
    try {
      const { data: { placeOrder: { order } } } = await this.#client.run(input.exits ? placeBracket : trade, { input });
      endPlacement(key);
      const { legs = [], ...placed } = order;
      this.#onOrder(placed);
      const account = this.#accounts.find(({ id }) => id === input.accountId);
      for (const leg of legs) this.#onOrder({ ...leg, provider: account?.provider, account, timeInForce: input.timeInForce });
      if (order.rejection) showMessage(failure, describeRejection(order.rejection));
    } catch (error) {
      // An error of the field means that no order was placed; only a lost response leaves the outcome open.
      if (!hasUnknownOutcome(error)) endPlacement(key);
      showMessage(failure, error.message);
      this.#focus(error.argument);
    } finally {
      this.#sending.delete(key);
      this.showPlacements();
    }
  }

  /** Moves the focus to the field of an invalid argument, such as `input.price.limit`. */
  #focus(argument) {
    const fields = ["accountId", "size", "takeProfit", "stopLoss", "limit", "stop", "timeInForce", "side"];
    const name = argument?.split(".").find((part) => fields.includes(part));
    if (name) (this.#form.elements[name].focus ? this.#form.elements[name] : this.#form.elements[name][0]).focus();
  }
}
