// Whether values are live: read or received not longer ago than their interval, and not old ones of a failed refresh.

import { clock, providerName } from "/example/format.js";

/** The longest age of a live value, in milliseconds: the pauses between reads, and the time of one. */
export const interval = 15_000;

/** The text beside the title of a list or a price: "Live", or since when its values are old. */
export class Freshness {
  #container;
  #interval;
  #read = null;
  #problem = "";
  #timer;

  constructor(container, longest = interval) {
    [this.#container, this.#interval] = [container, longest];
    this.#timer = setInterval(() => this.#show(), 1000);
  }

  /**
   * Values were read or received.
   *
   * @param values Each `{fetchedAt, stale, source}`; parts that were not read have null for `fetchedAt`.
   * @param now The time of the server's clock, in milliseconds: the browser's can differ.
   */
  update(values, now) {
    const ages = values.filter((one) => one?.fetchedAt).map(({ fetchedAt, stale, source }) => ({ age: now - Date.parse(fetchedAt), stale, source }));
    const oldest = ages.reduce((old, one) => (old && old.age >= one.age ? old : one), null);
    this.#read = oldest && { age: oldest.age, at: performance.now(), now, stale: ages.filter(({ stale }) => stale) };
    this.#problem = "";
    this.#show();
  }

  /** No values arrive for now. */
  fail(problem) {
    this.#problem = problem;
    this.#show();
  }

  close() {
    clearInterval(this.#timer);
  }

  #show() {
    const [state, text] = this.#describe();
    // A change only, because screen readers read it.
    if (this.#container.textContent === text) return;
    this.#container.className = `facts live ${state}`;
    this.#container.textContent = text;
  }

  #describe() {
    if (!this.#read) return [this.#problem ? "waiting" : "", this.#problem];
    const { age, at, now, stale } = this.#read;
    const readAt = clock(now - age);
    if (stale.length > 0) {
      const sources = [...new Set(stale.map(({ source }) => providerName(source)).filter(Boolean))].join(", ");
      return ["waiting", `Old values${sources ? ` of ${sources}` : ""}, from ${readAt}`];
    }
    if (age + performance.now() - at < this.#interval) return ["live", "Live"];
    return ["waiting", `${this.#problem ? `${this.#problem} ` : ""}Last values from ${readAt}`];
  }
}
