// The example: sign in, then a home screen (`home.js`) or another screen (`stock.js`, `orders-page.js`, `activity.js`,
// `performance.js`, `alerts.js`). The hash of the address names the screen, so that Back works: `#/`, `#/stock/AAPL`,
// `#/orders`, `#/activity`, `#/performance` or `#/alerts`.

import { loadSettings } from "/shared/settings.js";
import { ActivityPage } from "/example/activity.js";
import { AlertsPage } from "/example/alerts.js";
import { completeConnection } from "/example/brokers.js";
import { Client } from "/example/client.js";
import { showMessage } from "/example/elements.js";
import { Home } from "/example/home.js";
import { OrdersPage } from "/example/orders-page.js";
import { PerformancePage } from "/example/performance.js";
import { StockPage } from "/example/stock.js";

const signInDocument = "/operations/users/sign-in.graphql";
const signUpDocument = "/operations/users/sign-up.graphql";
const signOutDocument = "/operations/users/sign-out.graphql";
const storageKey = "portico:example";
const signIn = document.getElementById("sign-in");
const signOut = document.getElementById("sign-out");
const screens = document.getElementById("screens");
const failure = document.getElementById("sign-in-failure");

let client = null;
let home = null;
/** The screen that is shown instead of the home screen. */
let page = null;

/** The screens other than the home screen, by the first part of the hash; the other parts and the filters follow. */
const pages = {
  stock: ([symbol, range]) => symbol && new StockPage(client, decode(symbol), range),
  orders: () => new OrdersPage(client),
  activity: (_, filters) => new ActivityPage(client, filters),
  performance: (_, filters) => new PerformancePage(client, filters),
  alerts: (_, filters) => new AlertsPage(client, filters),
};

/** Shows the screen of the address to a token's user, or a message if the token is not valid. */
async function enter(token) {
  client = new Client(token);
  home = new Home(client);
  showMessage(failure, "");
  // Accounts that are connected meanwhile belong to the first overview.
  const problem = await completeConnection(client).catch(({ message }) => message);
  sessionStorage.setItem(storageKey, token);
  signIn.hidden = true;
  signOut.hidden = screens.hidden = false;
  await showScreen();
  if (problem) showMessage(document.getElementById("failure"), problem);
}

async function showScreen() {
  const current = client;
  const shown = page?.symbol;
  page?.close();
  page = null;
  const [path, filters] = location.hash.split("?");
  const [, name, ...parts] = path.split("/");
  for (const link of screens.children) {
    if (link.hash === `#/${name ?? ""}`) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  try {
    page = pages[name]?.(parts, new URLSearchParams(filters)) || null;
    if (page) {
      home.hide();
      await page.open();
    } else {
      await home.open(shown);
    }
  } catch (error) {
    // Pages show other errors themselves.
    if (current === client && (!page || error.code === "UNAUTHENTICATED")) leave(error.message);
  }
}

function leave(message) {
  sessionStorage.removeItem(storageKey);
  client = null;
  page?.close();
  page = null;
  home.close();
  signOut.hidden = screens.hidden = true;
  signIn.hidden = false;
  showMessage(failure, message);
}

function decode(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

window.addEventListener("hashchange", () => {
  if (client) showScreen();
});

signOut.addEventListener("click", async () => {
  const token = sessionStorage.getItem(storageKey);
  // The token of the sandbox is in its settings, and does not end.
  if (token !== settings.token) await new Client(token).run(signOutDocument).catch(() => {});
  sessionStorage.removeItem(storageKey);
  history.replaceState(null, "", location.pathname);
  location.reload();
});

document.getElementById("with-password").addEventListener("submit", async (event) => {
  event.preventDefault();
  const { username, password } = Object.fromEntries(new FormData(event.target));
  const guest = new Client(null);
  try {
    if (event.submitter?.value === "sign-up") await guest.run(signUpDocument, { input: { username, password } });
    // Only a session that requests the scope TRADE can trade.
    const { data } = await guest.run(signInDocument, { input: { username, password, scopes: ["READ", "WRITE", "TRADE"] } });
    await enter(data.signIn.token);
  } catch (error) {
    showMessage(failure, error.message);
  }
});

document.getElementById("with-token").addEventListener("submit", (event) => {
  event.preventDefault();
  enter(new FormData(event.target).get("token").trim());
});

document.getElementById("to-brokers").addEventListener("click", () => document.querySelector("#connect button")?.focus());

const settings = await loadSettings();
const demo = document.getElementById("as-demo");
demo.hidden = !settings.token;
demo.addEventListener("click", () => enter(settings.token));

const token = sessionStorage.getItem(storageKey);
if (token) await enter(token);
else signIn.hidden = false;
