// The example: sign in, then a home of four parts. Each part is a module, and asks one operation.

import { loadSettings } from "/shared/settings.js";
import { Client } from "/example/client.js";
import { showPortfolio } from "/example/portfolio.js";
import { showWatchlist } from "/example/watchlist.js";
import { showGoals } from "/example/goals.js";
import { say } from "/example/elements.js";

const kept = "portico:example";
const signIn = document.getElementById("sign-in");
const home = document.getElementById("home");
const signOut = document.getElementById("sign-out");
const failure = document.getElementById("sign-in-failure");

/** Shows the home of whom a token belongs to; where it belongs to nobody, says so. */
async function enter(token) {
  const client = new Client(token);
  say(failure, "");
  try {
    const portfolio = await showPortfolio(client);
    sessionStorage.setItem(kept, token);
    signIn.hidden = true;
    home.hidden = false;
    signOut.hidden = false;
    portfolio.drawChart();
    const parts = await Promise.allSettled([showWatchlist(client), showGoals(client, portfolio)]);
    const reasons = parts.map(({ reason }) => reason?.message).filter(Boolean);
    say(document.getElementById("failure"), reasons.join(" "));
  } catch (error) {
    sessionStorage.removeItem(kept);
    signIn.hidden = false;
    say(failure, error.message);
  }
}

signOut.addEventListener("click", () => {
  sessionStorage.removeItem(kept);
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

const token = sessionStorage.getItem(kept);
if (token) await enter(token);
else signIn.hidden = false;
