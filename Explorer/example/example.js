// The example: sign in, then a home screen of four parts. Each part is a module that runs one operation.

import { loadSettings } from "/shared/settings.js";
import { Client } from "/example/client.js";
import { showPortfolio } from "/example/portfolio.js";
import { showWatchlist } from "/example/watchlist.js";
import { showGoals } from "/example/goals.js";
import { showMessage } from "/example/elements.js";

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
    const portfolio = await showPortfolio(client);
    sessionStorage.setItem(storageKey, token);
    signIn.hidden = true;
    home.hidden = false;
    signOut.hidden = false;
    portfolio.drawChart();
    const parts = await Promise.allSettled([showWatchlist(client), showGoals(client, portfolio)]);
    const reasons = parts.map(({ reason }) => reason?.message).filter(Boolean);
    showMessage(document.getElementById("failure"), reasons.join(" "));
  } catch (error) {
    sessionStorage.removeItem(storageKey);
    signIn.hidden = false;
    showMessage(failure, error.message);
  }
}

signOut.addEventListener("click", () => {
  sessionStorage.removeItem(storageKey);
  location.reload();
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
