// The watchlist of `raven-overview`, with prices and the chart of the last hours. Search, addition and removal:
// `stocktracker-search`, then `stocktracker-add-to-list`, or `stocktracker-new-list` if there is no list yet;
// `stocktracker-remove-from-list`.

import { drawn, element, showMessage, stockLink } from "/example/elements.js";
import { direction, percent, price } from "/example/format.js";

const removeFromList = "/operations/stocktracker/stocktracker-remove-from-list.graphql";
const find = "/operations/stocktracker/stocktracker-search.graphql";
const newList = "/operations/stocktracker/stocktracker-new-list.graphql";
const addToList = "/operations/stocktracker/stocktracker-add-to-list.graphql";

/**
 * Adds a symbol to a list, or removes it.
 *
 * @param list `{id}`, or null: then a new list is created.
 * @returns The list.
 */
export async function toggleWatched(client, list, symbol, isWatched) {
  const variables = list ? { id: list.id, symbols: [symbol] } : { input: { name: "Favourites", symbols: [symbol] } };
  const { data } = await client.run(isWatched ? removeFromList : list ? addToList : newList, variables);
  return Object.values(data)[0].watchlist;
}

/** The delay between the last key and the search, in milliseconds. */
const typingPause = 250;

export async function showWatchlist(client, first, reload) {
  const container = document.getElementById("watchlist");
  const form = document.getElementById("search");
  const hits = document.getElementById("hits");
  let list = null;

  const show = (data) => {
    list = (data.watchlists ?? []).find((one) => one && !one.readOnly) ?? null;
    container.replaceChildren(...(list?.items ?? []).filter(Boolean).map((one) => item(one, remove)));
    if (!list?.items.length) container.append(element("li", "empty", "Nothing yet. Search above for what you want to watch."));
  };

  const add = async (symbol) => {
    form.reset();
    hits.hidden = true;
    try {
      await toggleWatched(client, list, symbol, false);
      show(await reload());
    } catch (error) {
      showMessage(document.getElementById("failure"), error.message);
    }
  };

  const remove = async (symbol) => {
    try {
      await toggleWatched(client, list, symbol, true);
      show(await reload());
      form.elements.text.focus();
      document.getElementById("home-status").textContent = `${symbol} was removed from the watchlist.`;
    } catch (error) {
      showMessage(document.getElementById("failure"), error.message);
    }
  };

  const search = async (text) => {
    const { data } = await client.run(find, { text, first: 6 });
    // The text has changed meanwhile; a search for the new text follows.
    if (form.elements.text.value.trim() !== text) return;
    // A null is a provider that could not be searched.
    const found = (data.search ?? []).filter((one) => one);
    hits.replaceChildren(...found.map(({ instrument }) => hit(instrument, list, add)));
    if (!hits.children.length) hits.append(element("li", "empty", "Nothing by that name."));
    hits.hidden = false;
  };

  let timer;
  form.elements.text.addEventListener("input", () => {
    clearTimeout(timer);
    const text = form.elements.text.value.trim();
    hits.hidden = true;
    if (text) timer = setTimeout(() => search(text).catch((error) => showMessage(document.getElementById("failure"), error.message)), typingPause);
  });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    hits.querySelector("a")?.click();
  });
  // The page of a hit is shown; the list of hits is of no use when the user comes back.
  hits.addEventListener("click", ({ target }) => {
    if (!target.closest("a")) return;
    form.reset();
    hits.hidden = true;
  });
  show(first);
  return { show };
}

function item({ symbol, name, quote, chart, instrument }, remove) {
  const button = element("button", "remove", "×");
  button.type = "button";
  button.setAttribute("aria-label", `Remove ${symbol} from the watchlist`);
  button.addEventListener("click", () => remove(symbol));
  const made = element("li", "", [
    element("span", "name", [stockLink(symbol), element("small", "", name)]),
    sparkline(chart?.columns.close ?? []),
    element("span", "price", [
      element("b", "", price(quote?.price, quote?.currency, instrument ?? {})),
      element("small", direction(quote?.changePercentage), percent(quote?.changePercentage)),
    ]),
    button,
  ]);
  made.dataset.symbol = symbol;
  return made;
}

/** A link to the page of a hit, and a button that adds it to the list. */
function hit({ symbol, name, exchange, inWatchlists }, list, add) {
  const link = stockLink(symbol, [element("b", "", symbol), element("span", "", name ?? ""), element("small", "", exchange ?? "")]);
  if (inWatchlists?.some((one) => one && one.id === list?.id)) return element("li", "", [link, element("small", "", "watched")]);
  const button = element("button", "", "Watch");
  button.type = "button";
  button.setAttribute("aria-label", `Add ${symbol} to the watchlist`);
  button.dataset.symbol = symbol;
  button.addEventListener("click", () => add(symbol));
  return element("li", "", [link, button]);
}

/** A line of closing prices, green if the last one is above the first. */
function sparkline(closes) {
  const prices = closes.filter((price) => price != null).map(Number);
  const picture = drawn("svg", { viewBox: "0 0 100 32", class: "sparkline", preserveAspectRatio: "none", "aria-hidden": "true" });
  if (prices.length < 2) return picture;
  const low = Math.min(...prices);
  const span = Math.max(...prices) - low || 1;
  const points = prices.map((price, index) =>
    `${((index / (prices.length - 1)) * 100).toFixed(2)},${(29 - ((price - low) / span) * 26).toFixed(2)}`);
  const way = direction(prices.at(-1) - prices[0]);
  picture.append(
    drawn("polygon", { points: `0,32 ${points.join(" ")} 100,32`, class: `area ${way}` }),
    drawn("polyline", { points: points.join(" "), class: `line ${way}`, "vector-effect": "non-scaling-stroke" }));
  return picture;
}
