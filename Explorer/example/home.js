// The home screen, which is the operation `raven-overview`; its parts show parts of the response.

import { showBrokers } from "/example/brokers.js";
import { showMessage, stockLink } from "/example/elements.js";
import { describeError } from "/example/errors.js";
import { showGoals } from "/example/goals.js";
import { openPlacements } from "/example/placements.js";
import { showPortfolio, showTotals } from "/example/portfolio.js";
import { showWatchlist } from "/example/watchlist.js";

const overview = "/operations/raven/raven-overview.graphql";

export class Home {
  #client;
  #main = document.getElementById("home");
  #failure = document.getElementById("failure");
  /** The parts that show a new overview; null until the first one. */
  #parts = null;
  #isOpen = false;

  constructor(client) {
    this.#client = client;
  }

  hide() {
    this.#isOpen = false;
    this.#main.hidden = true;
  }

  /**
   * Reads and shows the screen, or what has changed since the last visit.
   *
   * @param symbol The stock whose page was shown before; its link gets the focus.
   * @throws If there is no overview.
   */
  async open(symbol) {
    document.title = "Portico example";
    this.#isOpen = true;
    const data = await this.#load();
    // Another screen was opened meanwhile.
    if (!this.#isOpen) return;
    this.#main.hidden = false;
    this.#showPlacements(data);
    if (this.#parts) {
      showTotals(data);
      for (const part of this.#parts) part?.show?.(data);
    } else {
      this.#parts = [];
      await this.#build(data);
    }
    const link = symbol && [...this.#main.querySelectorAll("a.stock-link")].find((one) => one.dataset.symbol === symbol);
    (link || document.getElementById("home-title")).focus();
  }

  async #build(first) {
    const reload = () => this.#load();
    const portfolio = await showPortfolio(this.#client, first);
    portfolio.drawChart();
    const parts = await Promise.allSettled([
      showWatchlist(this.#client, first, reload), showGoals(this.#client, portfolio, first, reload), showBrokers(this.#client),
    ]);
    this.#parts = parts.map(({ value }) => value);
    const reasons = parts.map(({ reason }) => reason?.message).filter(Boolean);
    if (reasons.length) showMessage(this.#failure, [this.#failure.textContent, ...reasons].filter(Boolean).join(" "));
  }

  async #load() {
    const { data, errors } = await this.#client.run(overview);
    showMessage(this.#failure, [...new Set(errors.map(describeError))].join(" "));
    return data;
  }

  /** Links to the stocks with orders whose outcome is not known. */
  #showPlacements({ portfolio }) {
    const accounts = (portfolio?.parts ?? []).map(({ account }) => account.id);
    const symbols = [...new Set(openPlacements(accounts).map(({ input }) => input.instrument.symbol))];
    const notice = document.getElementById("open-placements");
    notice.hidden = !symbols.length;
    notice.replaceChildren("The outcome of an order is not known: ", ...symbols.flatMap((symbol) => [stockLink(symbol), " "]));
  }
}
