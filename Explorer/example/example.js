// The example: sign in, then a home screen, which is the operation `raven-overview`; its parts show parts of the response.

import { loadSettings } from "/shared/settings.js";
import { completeConnection, showBrokers } from "/example/brokers.js";
import { Client } from "/example/client.js";
import { showPortfolio } from "/example/portfolio.js";
import { showWatchlist } from "/example/watchlist.js";
import { showGoals } from "/example/goals.js";
import { showMessage } from "/example/elements.js";

const overview = "/operations/raven/raven-overview.graphql";
const signInDocument = "/operations/raven/raven-sign-in.graphql";
const signUpDocument = "/operations/raven/raven-sign-up.graphql";
const signOutDocument = "/operations/raven/raven-sign-out.graphql";
const storageKey = "portico:example";
const signIn = document.getElementById("sign-in");
const home = document.getElementById("home");
const signOut = document.getElementById("sign-out");
const failure = document.getElementById("sign-in-failure");

/** Shows the home screen of a token's user, or a message if the token is not valid. */
async function enter(token) {
  const client = new Client(token);
  showMessage(failure, "");
  try {
    // Accounts that are connected meanwhile belong to the first overview.
    const problem = await completeConnection(client).catch(({ message }) => message);
    const reload = async () => (await client.run(overview)).data;
    const first = await reload();
    const portfolio = await showPortfolio(client, first);
    sessionStorage.setItem(storageKey, token);
    signIn.hidden = true;
    home.hidden = false;
    signOut.hidden = false;
    portfolio.drawChart();
    const parts = await Promise.allSettled([showWatchlist(client, first, reload), showGoals(client, portfolio, first, reload), showBrokers(client)]);
    const reasons = [problem, ...parts.map(({ reason }) => reason?.message)].filter(Boolean);
    showMessage(document.getElementById("failure"), reasons.join(" "));
  } catch (error) {
    sessionStorage.removeItem(storageKey);
    signIn.hidden = false;
    showMessage(failure, error.message);
  }
}

signOut.addEventListener("click", async () => {
  const token = sessionStorage.getItem(storageKey);
  // The token of the sandbox is in its settings, and does not end.
  if (token !== settings.token) await new Client(token).run(signOutDocument).catch(() => {});
  sessionStorage.removeItem(storageKey);
  location.reload();
});

document.getElementById("with-password").addEventListener("submit", async (event) => {
  event.preventDefault();
  const { username, password } = Object.fromEntries(new FormData(event.target));
  const client = new Client(null);
  try {
    if (event.submitter?.value === "sign-up") await client.run(signUpDocument, { input: { username, password } });
    // Only a session that requests the scope TRADE can trade.
    const { data } = await client.run(signInDocument, { input: { username, password, scopes: ["READ", "WRITE", "TRADE"] } });
    await enter(data.signIn.token);
  } catch (error) {
    showMessage(failure, error.message);
  }
});

document.getElementById("with-token").addEventListener("submit", (event) => {
  event.preventDefault();
  enter(new FormData(event.target).get("token").trim());
});

const settings = await loadSettings();
const demo = document.getElementById("as-demo");
demo.hidden = !settings.token;
demo.addEventListener("click", () => enter(settings.token));

const token = sessionStorage.getItem(storageKey);
if (token) await enter(token);
else signIn.hidden = false;
