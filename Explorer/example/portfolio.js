// The portfolio value, the equity chart of the day, and the positions with live prices: `raven-home`, then
// `raven-live-positions`.

import { drawEquity } from "/example/equity-chart.js";
import { element } from "/example/elements.js";
import { direction, money, percent, quantity, signedMoney } from "/example/format.js";

const home = "/operations/raven/raven-home.graphql";
const livePositions = "/operations/raven/raven-live-positions.graphql";

/** @returns `drawChart()`, to be called when its element is visible, and the `symbols` of the positions. */
export async function showPortfolio(client) {
  const { data, errors } = await client.run(home);
  const { account, positions, marketClock } = data;
  if (!account) throw new Error(errors[0]?.message ?? "This session has no account.");

  document.getElementById("equity").textContent = money(account.equity, account.currency);
  const change = document.getElementById("day-change");
  change.className = direction(account.dayChange);
  change.textContent = `${signedMoney(account.dayChange, account.currency)} (${percent(account.dayChangePercentage)}) today`;
  document.getElementById("market").textContent = market(marketClock);

  const rows = new Map();
  const body = document.getElementById("positions");
  // A null in the list is an account that could not be read.
  for (const position of (positions ?? []).filter(Boolean)) {
    rows.set(position.id, body.appendChild(row(position, position.quote?.price)));
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
    const fresh = row(position, position.currentPrice);
    rows.set(position.id, fresh);
    if (!old) return body.append(fresh);
    mark(fresh, old);
    old.replaceWith(fresh);
  }, (state) => {
    live.className = `facts ${state}`;
    live.textContent = { live: "Live", waiting: "Connecting again …", ended: "Ended: sign in again" }[state];
  });

  return {
    symbols: [...new Set((positions ?? []).filter((one) => one?.side === "LONG").map(({ symbol }) => symbol))],
    drawChart: () => drawEquity(document.getElementById("equity-chart"), account.history, account.currency),
  };
}

function row(position, price) {
  const { symbol, currency, marketValue, unrealizedProfitLoss, unrealizedProfitLossPercentage } = position;
  const made = document.createElement("tr");
  made.dataset.symbol = symbol;
  made.dataset.value = marketValue ?? "";
  const held = `${position.side === "SHORT" ? "-" : ""}${quantity(position.quantity)}`;
  const name = element("th", "", [symbol, element("small", "source", position.source)]);
  name.scope = "row";
  made.append(
    name, element("td", "", held), element("td", "", money(price, currency)),
    element("td", "value", money(marketValue, currency)),
    element("td", direction(unrealizedProfitLoss), [
      signedMoney(unrealizedProfitLoss, currency), element("small", "", percent(unrealizedProfitLossPercentage)),
    ]));
  return made;
}

/** Highlights a value that has changed. */
function mark(fresh, old) {
  const step = Number(fresh.dataset.value) - Number(old.dataset.value);
  if (step !== 0) fresh.querySelector(".value").classList.add(step > 0 ? "rose" : "fell");
}

function market(clock) {
  if (!clock) return "";
  const next = new Date(clock.open ? clock.nextClose : clock.nextOpen);
  const when = next.toLocaleString("en-GB", { weekday: "short", hour: "2-digit", minute: "2-digit" });
  return clock.open ? `Market open until ${when}` : `Market opens ${when}`;
}
