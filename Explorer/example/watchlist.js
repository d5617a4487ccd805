// The watchlists of `overview`, with prices and the chart of the last hours: the user's own, and those at the brokers. Search, addition and removal:
// `search`, then `add-to-watchlist`, or `create-watchlist` if there is no list yet;
// `remove-from-watchlist`.

import { drawn, element, refill, showMessage, stockLink } from "/example/elements.js";
import { clock, direction, percent, price, providerName } from "/example/format.js";

const removeFromList = "/operations/watchlists/remove-from-watchlist.graphql";
const find = "/operations/markets/search.graphql";
const newList = "/operations/watchlists/create-watchlist.graphql";
const addToList = "/operations/watchlists/add-to-watchlist.graphql";

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

/**
 * Prepares the search and the lists.
 *
 * @param reload Reads the screen again, after a change.
 * @returns `show(overview)`
 */
export function prepareWatchlists(client, reload) {
  const container = document.getElementById("watchlist");
  const others = document.getElementById("other-watchlists");
  const form = document.getElementById("search");
  const hits = document.getElementById("hits");
  let list = null;

  const show = (data) => {
    const lists = (data.watchlists ?? []).filter(Boolean);
    list = lists.find((one) => !one.readOnly) ?? null;
    const items = (list?.items ?? []).filter(Boolean);
    refill(container, items.length
      ? items.map((one) => item(one, remove)) : [element("li", "empty", "Nothing yet. Search above for what you want to watch.")]);
    refill(others, lists.filter((one) => one !== list).flatMap(otherList));
  };

  const add = async (symbol) => {
    form.reset();
    hits.hidden = true;
    try {
      await toggleWatched(client, list, symbol, false);
      await reload();
    } catch (error) {
      showMessage(document.getElementById("failure"), error.message);
    }
  };

  const remove = async (symbol) => {
    try {
      await toggleWatched(client, list, symbol, true);
      await reload();
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
    hits.replaceChildren(...found.map((one) => hit(one, list, add)));
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
  return { show };
}

/** A list that is changed elsewhere: its name, where it is, and its items. */
function otherList({ name, provider, items }) {
  const rows = items.filter(Boolean).map((one) => item(one));
  const title = element("h3", "", [name, ...(provider ? [element("small", "", ` at ${providerName(provider)}`)] : [])]);
  return [title, element("ul", "", rows.length ? rows : [element("li", "empty", "The list is empty.")])];
}

function item({ symbol, name, quote, chart, instrument }, remove) {
  const button = element("button", "remove", "×");
  button.type = "button";
  button.setAttribute("aria-label", `Remove ${symbol} from the watchlist`);
  button.addEventListener("click", () => remove(symbol));
  const age = quote?.stale ? `old, from ${clock(quote.fetchedAt)}` : "";
  const made = element("li", "", [
    element("span", "name", [stockLink(symbol), element("small", "", name)]),
    sparkline(chart?.columns.close ?? []),
    element("span", "price", [
      element("b", "", price(quote?.price, quote?.currency, instrument ?? {})),
      element("small", direction(quote?.changePercentage), percent(quote?.changePercentage)), element("small", "old", age),
    ]),
    ...(remove ? [button] : []),
  ]);
  made.dataset.symbol = symbol;
  return made;
}

/** A link to the page of a hit, and a button that adds it to the list. */
function hit({ symbol, name, exchange, instrument: { inWatchlists } }, list, add) {
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
