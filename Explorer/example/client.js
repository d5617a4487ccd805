// Runs documents of `schema/operations` for a session.

import { sendRequest, openStream } from "/shared/graphql.js";
import { loadText } from "/shared/documents.js";

/** The waits before the attempts to reconnect a subscription, in milliseconds. */
const pauses = [500, 1000, 2000, 5000, 10000];

export class Client {
  #headers;
  #documents = new Map();

  /** @param token The token of a session; null for requests that need none. */
  constructor(token) {
    this.#headers = token ? { Authorization: `Bearer ${token}` } : {};
  }

  /**
   * Runs a query or a mutation.
   *
   * @param path The path of the document, such as `/operations/raven/raven-home.graphql`.
   * @returns `{data, errors}`: a field that failed is null in the data, and listed in the errors.
   * @throws If there is no data.
   */
  async run(path, variables = {}) {
    const { answer } = await sendRequest({ query: await this.#document(path), variables }, { headers: this.#headers });
    const errors = answer.errors ?? [];
    if (!answer.data || Object.values(answer.data).every((value) => value === null)) {
      throw new Error(errors[0]?.message ?? "There is no answer.");
    }
    return { data: answer.data, errors };
  }

  /**
   * Runs a subscription while the page is open, and reconnects after an interruption.
   *
   * @param next Called with the data of each event.
   * @param state Called with `live` or `waiting`.
   */
  async subscribe(path, variables, next, state) {
    const query = await this.#document(path);
    let failures = 0;
    const open = () => openStream({ query, variables }, { headers: this.#headers }, {
      next: ({ data }) => {
        failures = 0;
        state("live");
        if (data) next(data);
      },
      completed: () => state("ended"),
      failed: () => {
        state("waiting");
        setTimeout(open, pauses[Math.min(failures++, pauses.length - 1)]);
      },
    });
    open();
  }

  async #document(path) {
    if (!this.#documents.has(path)) this.#documents.set(path, loadText(path));
    return this.#documents.get(path);
  }
}
