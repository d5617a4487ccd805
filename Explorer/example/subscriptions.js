// All subscriptions of a page over one WebSocket (protocol graphql-transport-ws), because browsers open at most six
// connections for event streams to one server.

import { describeError } from "/example/errors.js";

/** The waits before the attempts to connect again, in milliseconds. */
const pauses = [500, 1000, 2000, 5000, 10000];

export class Subscriptions {
  #connectionParameters;
  #open = new Map();
  #socket = null;
  #acknowledged = false;
  #failures = 0;
  #count = 0;

  /** @param connectionParameters The payload of `connection_init`, such as `{Authorization}`. */
  constructor(connectionParameters) {
    this.#connectionParameters = connectionParameters;
  }

  /**
   * Starts a subscription, also again after an interruption of the connection.
   *
   * @param listener `next(data)`; `state(state, reason)` with `live`, `waiting` or `ended`; `begin()`, when it is requested from
   *   the server, again after an interruption.
   * @returns A function that ends it.
   */
  open(operation, listener) {
    const id = String(++this.#count);
    this.#open.set(id, { operation, listener });
    if (!this.#socket) this.#connect();
    else if (this.#acknowledged) this.#begin(id);
    return () => {
      if (this.#open.delete(id) && this.#acknowledged) this.#send({ id, type: "complete" });
    };
  }

  #connect() {
    const address = new URL("/graphql", location.href);
    address.protocol = address.protocol.replace("http", "ws");
    const socket = this.#socket = new WebSocket(address, "graphql-transport-ws");
    socket.onopen = () => this.#send({ type: "connection_init", payload: this.#connectionParameters });
    socket.onmessage = ({ data }) => this.#receive(JSON.parse(data));
    socket.onclose = ({ code, reason }) => {
      this.#acknowledged = false;
      // 4401 and 4403: the session has ended, so another attempt fails, too.
      if (code === 4401 || code === 4403) {
        this.#socket = null;
        for (const id of [...this.#open.keys()]) this.#end(id, reason);
        return;
      }
      for (const { listener } of this.#open.values()) listener.state("waiting");
      setTimeout(() => this.#connect(), pauses[Math.min(this.#failures++, pauses.length - 1)]);
    };
  }

  #receive({ type, id, payload }) {
    const listener = this.#open.get(id)?.listener;
    switch (type) {
      case "connection_ack":
        this.#acknowledged = true;
        for (const id of this.#open.keys()) this.#begin(id);
        break;
      case "ping": this.#send({ type: "pong" }); break;
      case "next":
        this.#failures = 0;
        listener?.state("live");
        if (payload.data) listener?.next(payload.data);
        break;
      case "error": this.#end(id, describeError(payload[0])); break;
      case "complete": this.#end(id); break;
      default: break;
    }
  }

  #begin(id) {
    const { operation, listener } = this.#open.get(id);
    this.#send({ id, type: "subscribe", payload: operation });
    listener.begin();
  }

  #end(id, reason) {
    const listener = this.#open.get(id)?.listener;
    this.#open.delete(id);
    listener?.state("ended", reason);
  }

  #send(message) {
    this.#socket.send(JSON.stringify(message));
  }
}
