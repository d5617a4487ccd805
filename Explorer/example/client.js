// Runs documents of `schema/operations` for a session.

import { sendRequest } from "/shared/graphql.js";
import { loadText } from "/shared/documents.js";
import { OperationError } from "/example/errors.js";
import { Subscriptions } from "/example/subscriptions.js";

export class Client {
  #headers;
  #documents = new Map();
  #subscriptions;

  /** @param token The token of a session; null for requests that need none. */
  constructor(token) {
    this.#headers = token ? { Authorization: `Bearer ${token}` } : {};
    this.#subscriptions = new Subscriptions(this.#headers);
  }

  /**
   * Runs a query or a mutation.
   *
   * @param path The path of the document, such as `/operations/accounts/home.graphql`.
   * @returns `{data, errors, now}`: a field that failed is null in the data, and listed in the errors; `now` is the time of the
   *   server's clock, in milliseconds.
   * @throws `OperationError` if there is no data; another error if there is no response.
   */
  async run(path, variables = {}) {
    const { answer, headers } = await send({ query: await this.#document(path), variables }, { headers: this.#headers });
    const errors = answer.errors ?? [];
    if (!answer.data || Object.values(answer.data).every((value) => value === null)) throw new OperationError(errors[0]);
    const now = Date.parse(headers.get("date")) || Date.now();
    return { data: answer.data, errors, now };
  }

  /**
   * Runs a subscription until the returned function is called.
   *
   * @param next Called with the data of each event.
   * @param state Called with `live`, `waiting` or `ended`, and the reason of the end.
   * @param begin Called when the subscription is requested, also after an interruption of the connection.
   */
  async subscribe(path, variables, next, state, begin = () => {}) {
    return this.#subscriptions.open({ query: await this.#document(path), variables }, { next, state, begin });
  }

  async #document(path) {
    if (!this.#documents.has(path)) {
      const text = loadText(path);
      this.#documents.set(path, text);
      text.catch(() => this.#documents.delete(path));
    }
    return this.#documents.get(path);
  }
}

/** Sends a request; the browser's own message for a lost connection says nothing to a user. */
async function send(operation, options) {
  try {
    return await sendRequest(operation, options);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new Error("Portico could not be reached. Check the connection, then reload the page.", { cause: error });
  }
}
