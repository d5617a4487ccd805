// The value and the positions of all accounts at all brokers, of one response of `overview`: the total, the accounts
// and the positions change together.

import { EquityChart } from "/example/equity-chart.js";
import { element, stockLink } from "/example/elements.js";
import { accountName, clock, direction, money, percent, price, quantity, signedMoney } from "/example/format.js";

export class Portfolio {
  #rows = new Map();
  #body = document.getElementById("positions");
  #chart = new EquityChart(document.getElementById("equity-chart"));

  /** Shows an overview; the screen must be visible, because the chart needs a size. */
  show(data) {
    showTotals(data);
    const { portfolio } = data;
    document.getElementById("chart-title").textContent = portfolio ? "All accounts, the last month" : "";
    this.#chart.show(portfolio?.history, portfolio?.currency ?? "USD", portfolio ? "" : "There is no account yet.");
    this.#showPositions(data);
  }

  #showPositions({ positions, portfolio }) {
    // A null in the list is a position, or an account, that could not be read: the rows of missing accounts stay, as old ones.
    const shown = (positions ?? []).filter(Boolean);
    const isPartial = !positions || shown.length < positions.length;
    const missing = new Set((portfolio?.missing ?? []).map(({ id }) => id));
    const ids = new Set(shown.map(({ id }) => id));
    for (const [id, { position, row: old }] of this.#rows) {
      if (ids.has(id)) continue;
      const isUnread = isPartial && (!portfolio || missing.has(position.account?.id));
      if (isUnread) shown.push({ ...position, stale: true });
      else {
        old.remove();
        this.#rows.delete(id);
      }
    }
    for (const position of shown) this.#showPosition(position);
    this.#body.querySelector(".empty")?.parentElement.remove();
    if (this.#rows.size === 0) {
      const cell = element("td", "empty", isPartial ? "The positions could not be read." : "Nothing is held.");
      cell.colSpan = 6;
      this.#body.append(element("tr", "", [cell]));
    }
  }

  #showPosition(position) {
    const fresh = row(position);
    const known = this.#rows.get(position.id);
    if (known) update(known.row, fresh);
    else this.#body.append(fresh);
    this.#rows.set(position.id, { position, row: known?.row ?? fresh });
  }
}

/** The value and the cash of all accounts, their changes, and whether the market is open. */
function showTotals({ portfolio, marketClock }) {
  const { currency = "USD", knownValue, cash, dayChange, dayChangePercentage, unrealizedProfitLoss: profit } = portfolio ?? {};
  document.getElementById("equity").textContent = money(knownValue, currency);
  const change = document.getElementById("day-change");
  change.className = direction(dayChange);
  change.textContent = dayChange == null ? "" : `${signedMoney(dayChange, currency)} ${percent(dayChangePercentage)} today`;
  document.getElementById("totals").textContent = [
    cash != null && `Cash ${money(cash, currency)}`, profit != null && `${signedMoney(profit, currency)} unrealized`,
  ].filter(Boolean).join(" · ");
  document.getElementById("accounts").replaceChildren(...(portfolio?.parts ?? []).map(accountRow),
    ...(portfolio?.missing ?? []).map((one) => element("li", "", [element("span", "", accountName(one)), element("span", "old", "not read, and not in the total")])));
  document.getElementById("market").textContent = market(marketClock);
}

function row(position) {
  const { symbol, assetClass, instrument, account, currency, marketValue, currentPrice, stale, fetchedAt } = position;
  const { unrealizedProfitLoss, unrealizedProfitLossPercentage, dayProfitLoss, dayProfitLossPercentage } = position;
  const made = document.createElement("tr");
  made.dataset.symbol = symbol;
  made.dataset.value = marketValue ?? "";
  if (stale) made.dataset.stale = "";
  const held = `${position.side === "SHORT" ? "-" : ""}${quantity(position.quantity)}`;
  const figures = (amount, percentage) => [signedMoney(amount, currency), element("small", "", percent(percentage))];
  const unitPrice = price(currentPrice, currency, { assetClass, decimals: instrument?.decimals });
  // Narrow screens show the quantity, the price and the profit in other cells, in place of their columns.
  const name = element("th", "", [
    stockLink(symbol), element("small", "source", accountName(account ?? { provider: position.source })),
    element("small", "narrow", `${held} at ${unitPrice}`), element("small", "old", stale ? `old, from ${clock(fetchedAt)}` : ""),
  ]);
  name.scope = "row";
  made.append(
    name, element("td", "wide", held), element("td", "wide", unitPrice),
    element("td", "", [
      element("span", "value", money(marketValue, currency)),
      element("small", `narrow ${direction(dayProfitLoss)}`, dayProfitLoss == null ? "" : `${signedMoney(dayProfitLoss, currency)} today`),
    ]),
    element("td", `wide ${direction(dayProfitLoss)}`, figures(dayProfitLoss, dayProfitLossPercentage)),
    element("td", `wide ${direction(unrealizedProfitLoss)}`, figures(unrealizedProfitLoss, unrealizedProfitLossPercentage)));
  return made;
}

function accountRow({ account }) {
  const { equity, cash, currency, dayChange, stale, fetchedAt } = account;
  return element("li", "", [
    element("span", "", [accountName(account), element("small", "old", stale ? `old, from ${clock(fetchedAt)}` : "")]),
    element("span", "", cash == null ? "" : `${money(cash, currency)} cash`), element("b", "", money(equity, currency)),
    element("span", direction(dayChange), dayChange == null ? "change not reported" : `${signedMoney(dayChange, currency)} today`),
  ]);
}

/** Shows the values of another row, and highlights a value that has changed. The link stays, with its focus. */
function update(old, fresh) {
  const step = Number(fresh.dataset.value) - Number(old.dataset.value);
  old.dataset.value = fresh.dataset.value;
  old.toggleAttribute("data-stale", "stale" in fresh.dataset);
  const notes = old.querySelectorAll("th small");
  fresh.querySelectorAll("th small").forEach((note, index) => { notes[index].textContent = note.textContent; });
  for (const cell of [...fresh.cells].slice(1)) old.cells[cell.cellIndex].replaceWith(cell.cloneNode(true));
  if (step !== 0) old.querySelector(".value").classList.add(step > 0 ? "rose" : "fell");
}

function market(clock) {
  if (!clock) return "";
  const next = new Date(clock.open ? clock.nextClose : clock.nextOpen);
  const when = next.toLocaleString("en-GB", { weekday: "short", hour: "2-digit", minute: "2-digit" });
  return clock.open ? `Market open until ${when}` : `Market opens ${when}`;
}
