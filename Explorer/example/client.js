// Runs documents of `schema/operations` for a session.

import { ask, follow } from "/shared/graphql.js";
import { loadText } from "/shared/documents.js";

/** How long to wait before a subscription is tried again, in milliseconds, time after time. */
const pauses = [500, 1000, 2000, 5000, 10000];

export class Client {
  #headers;
  #documents = new Map();

  constructor(token) {
    this.#headers = { Authorization: `Bearer ${token}` };
  }

  /**
   * Runs a query or a mutation.
   *
   * @param path Of the document, such as `/operations/raven/raven-home.graphql`.
   * @returns `{data, errors}`: what could not be read is null in the data, and told of in the errors.
   * @throws Where there is no data at all.
   */
  async run(path, variables = {}) {
    const { answer } = await ask({ query: await this.#document(path), variables }, { headers: this.#headers });
    const errors = answer.errors ?? [];
    if (!answer.data || Object.values(answer.data).every((value) => value === null)) {
      throw new Error(errors[0]?.message ?? "There is no answer.");
    }
    return { data: answer.data, errors };
  }

  /**
   * Follows a subscription for as long as the page is open; after a break it tries again.
   *
   * @param next Is called with the data of each event.
   * @param state Is called with `live` or `waiting`.
   */
  async follow(path, variables, next, state) {
    const query = await this.#document(path);
    let failures = 0;
    const open = () => follow({ query, variables }, { headers: this.#headers }, {
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
