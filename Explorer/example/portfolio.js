// The value and the positions of all accounts at all brokers, with live prices: `raven-overview`, then
// `raven-live-positions`.

import { drawEquity } from "/example/equity-chart.js";
import { element, showLiveState, stockLink } from "/example/elements.js";
import { direction, money, percent, price, quantity, signedMoney } from "/example/format.js";

const livePositions = "/operations/raven/raven-live-positions.graphql";

/** @returns `drawChart()`, to be called when its element is visible, and the `symbols` of the positions. */
export async function showPortfolio(client, first) {
  const { account, positions } = first;
  showTotals(first);
  document.getElementById("chart-title").textContent = account ? `Today at ${account.provider}, account ${account.number}` : "";

  const rows = new Map();
  const known = new Map((positions ?? []).filter(Boolean).map((one) => [one.id, one]));
  const body = document.getElementById("positions");
  // A null in the list is an account that could not be read.
  for (const position of (positions ?? []).filter(Boolean)) {
    rows.set(position.id, body.appendChild(row(position, position.currentPrice, position)));
  }

  const live = document.getElementById("live");
  await client.subscribe(livePositions, {}, ({ positions: position }) => {
    if (!position) return;
    const old = rows.get(position.id);
    if (Number(position.quantity) === 0) {
      rows.delete(position.id);
      old?.remove();
      return;
    }
    const fresh = row(position, position.currentPrice, known.get(position.id));
    if (old) return update(old, fresh);
    rows.set(position.id, body.appendChild(fresh));
  }, (state, reason) => showLiveState(live, state, reason));

  return {
    symbols: [...new Set((positions ?? []).filter((one) => one?.side === "LONG").map(({ symbol }) => symbol))],
    drawChart: () => drawEquity(document.getElementById("equity-chart"), account?.history, account?.currency ?? "USD"),
  };
}

/** The value of all accounts, and whether the market is open. */
export function showTotals({ portfolio, marketClock }) {
  document.getElementById("equity").textContent = money(portfolio?.knownValue, portfolio?.currency ?? "USD");
  const change = document.getElementById("day-change");
  change.className = direction(portfolio?.unrealizedProfitLoss);
  change.textContent = portfolio?.unrealizedProfitLoss == null
    ? "" : `${signedMoney(portfolio.unrealizedProfitLoss, portfolio.currency)} unrealized`;
  document.getElementById("accounts").replaceChildren(...(portfolio?.parts ?? []).map(accountRow),
    ...(portfolio?.missing ?? []).map(({ provider, number }) => element("li", "", `${provider} ${number}: not in this value`)));
  document.getElementById("market").textContent = market(marketClock);
}

function row(position, current, { assetClass, instrument } = {}) {
  const { symbol, currency, marketValue, unrealizedProfitLoss, unrealizedProfitLossPercentage } = position;
  const made = document.createElement("tr");
  made.dataset.symbol = symbol;
  made.dataset.value = marketValue ?? "";
  const held = `${position.side === "SHORT" ? "-" : ""}${quantity(position.quantity)}`;
  const profit = () => [signedMoney(unrealizedProfitLoss, currency), element("small", "", percent(unrealizedProfitLossPercentage))];
  const unitPrice = price(current, currency, { assetClass, decimals: instrument?.decimals });
  // Narrow screens show the quantity, the price and the profit in other cells, in place of their columns.
  const name = element("th", "", [
    stockLink(symbol), element("small", "source", position.source), element("small", "narrow", `${held} at ${unitPrice}`),
  ]);
  name.scope = "row";
  made.append(
    name, element("td", "wide", held), element("td", "wide", unitPrice),
    element("td", "", [
      element("span", "value", money(marketValue, currency)),
      element("small", `narrow ${direction(unrealizedProfitLoss)}`, profit()),
    ]),
    element("td", `wide ${direction(unrealizedProfitLoss)}`, profit()));
  return made;
}

function accountRow({ account: { provider, number, equity, currency, dayChange } }) {
  return element("li", "", [
    element("span", "", `${provider} ${number}`), element("span", "", money(equity, currency)),
    element("span", direction(dayChange), dayChange == null ? "change not reported" : `${signedMoney(dayChange, currency)} today`),
  ]);
}

/** Shows the values of another row, and highlights a value that has changed. The link stays, with its focus. */
function update(old, fresh) {
  const step = Number(fresh.dataset.value) - Number(old.dataset.value);
  old.dataset.value = fresh.dataset.value;
  old.querySelector("th .narrow").textContent = fresh.querySelector("th .narrow").textContent;
  for (const cell of [...fresh.cells].slice(1)) old.cells[cell.cellIndex].replaceWith(cell.cloneNode(true));
  if (step !== 0) old.querySelector(".value").classList.add(step > 0 ? "rose" : "fell");
}

function market(clock) {
  if (!clock) return "";
  const next = new Date(clock.open ? clock.nextClose : clock.nextOpen);
  const when = next.toLocaleString("en-GB", { weekday: "short", hour: "2-digit", minute: "2-digit" });
  return clock.open ? `Market open until ${when}` : `Market opens ${when}`;
}
