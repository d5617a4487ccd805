// The home screen, which is the operation `overview`; its parts show parts of the response. The events of
// `live-positions` say that something has changed; then the whole screen is read again, so that its parts change together.

import { showBrokers } from "/example/brokers.js";
import { element, showMessage, stockLink } from "/example/elements.js";
import { describeErrors } from "/example/errors.js";
import { Freshness } from "/example/freshness.js";
import { Goals } from "/example/goals.js";
import { openPlacements } from "/example/placements.js";
import { Portfolio } from "/example/portfolio.js";
import { prepareWatchlists } from "/example/watchlist.js";

const overview = "/operations/accounts/overview.graphql";
const livePositions = "/operations/accounts/live-positions.graphql";

/** The shortest and the longest time between two reads, in milliseconds: events come several times a second. */
const pauses = { shortest: 5_000, longest: 10_000 };

export class Home {
  #client;
  #main = document.getElementById("home");
  #failure = document.getElementById("failure");
  #freshness = new Freshness(document.getElementById("live"));
  /** The parts that show an overview; null until the first one. */
  #parts = null;
  #isOpen = false;
  #isReading = false;
  #lastRead = 0;
  #timer;

  constructor(client) {
    this.#client = client;
  }

  hide() {
    this.#isOpen = false;
    this.#main.hidden = true;
    clearTimeout(this.#timer);
  }

  /** The user has left: nothing is read or shown any more. */
  close() {
    this.hide();
    this.#freshness.close();
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
    const answer = await this.#load();
    // Another screen was opened meanwhile.
    if (!this.#isOpen) return;
    this.#main.hidden = false;
    if (!this.#parts) await this.#build(answer);
    else this.#show(answer);
    this.#readLater(pauses.longest);
    const link = symbol && [...this.#main.querySelectorAll("a.stock-link")].find((one) => one.dataset.symbol === symbol);
    (link || document.getElementById("home-title")).focus();
  }

  async #build(answer) {
    const reload = async () => this.#show(await this.#load());
    this.#parts = [new Portfolio(), prepareWatchlists(this.#client, reload), new Goals(this.#client, reload)];
    this.#show(answer);
    const changed = () => this.#readLater(pauses.shortest);
    const followed = this.#client.subscribe(livePositions, {}, changed, (state) => state === "live" || this.#freshness.fail("Connecting again."));
    const rest = await Promise.allSettled([followed, showBrokers(this.#client)]);
    const reasons = rest.map(({ reason }) => reason?.message).filter(Boolean);
    if (reasons.length) showMessage(this.#failure, [this.#failure.textContent, ...reasons].filter(Boolean).join(" "));
  }

  #show({ data, now }) {
    const { portfolio, positions, goalsProgress } = data;
    for (const part of this.#parts) part.show(data);
    const read = [...(portfolio?.parts ?? []).map(({ account }) => account), ...(positions ?? []), goalsProgress];
    this.#freshness.update(read, now);
    const hasAccounts = !portfolio || portfolio.parts.length + portfolio.missing.length > 0;
    document.getElementById("next-step").hidden = hasAccounts;
    this.#showPlacements(data);
  }

  async #load() {
    this.#lastRead = performance.now();
    const answer = await this.#client.run(overview);
    showMessage(this.#failure, describeErrors(answer.errors));
    return answer;
  }

  /** Reads the screen again after a pause since the last read; a shorter one replaces a longer one. */
  #readLater(pause) {
    if (!this.#isOpen || this.#isReading) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#readAgain(), Math.max(0, this.#lastRead + pause - performance.now()));
  }

  async #readAgain() {
    this.#isReading = true;
    try {
      const answer = await this.#load();
      if (this.#isOpen) this.#show(answer);
    } catch (error) {
      // The values stay, and their age is shown.
      this.#freshness.fail(error.message);
    } finally {
      this.#isReading = false;
      this.#readLater(pauses.longest);
    }
  }

  /** Links to the stocks with orders whose outcome is not known. */
  #showPlacements({ portfolio }) {
    const accounts = (portfolio?.parts ?? []).map(({ account }) => account.id);
    const symbols = [...new Set(openPlacements(accounts).map(({ input }) => input.instrument.symbol))];
    const notice = document.getElementById("open-placements");
    notice.hidden = !symbols.length;
    notice.replaceChildren("The outcome of an order is not known: ", ...symbols.flatMap((symbol) => [stockLink(symbol), element("span", "", " ")]));
  }
}
