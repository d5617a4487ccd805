// The orders of all accounts: `all-orders`, once for the open ones and once for those that have ended, then
// `live-orders`.

import { showLiveState, showMessage } from "/example/elements.js";
import { describeErrors } from "/example/errors.js";
import { Orders } from "/example/orders.js";
import { Page } from "/example/page.js";

const allOrders = "/operations/orders/all-orders.graphql";
const liveOrders = "/operations/orders/live-orders.graphql";

export class OrdersPage extends Page {
  #client;
  #ended = null;
  /** The end of the last page of ended orders. */
  #cursor;
  #end = () => {};

  constructor(client) {
    super("orders-page", "Orders");
    this.#client = client;
    const older = this.element("older-orders");
    older.addEventListener("click", async () => {
      older.disabled = true;
      await this.#readEnded();
      older.disabled = false;
    });
  }

  /** @throws The failure, which the page shows, too. */
  async open() {
    const ended = this.#readEnded();
    const open = await this.#read("orders-failure", { open: true, first: 100 });
    if (open && !this.isClosed) await this.#follow(new Orders(this.#client, this.main, null, open.nodes));
    await ended;
  }

  close() {
    super.close();
    this.#end();
  }

  async #follow(orders) {
    const container = this.element("orders-live");
    const end = await this.#client.subscribe(liveOrders, {}, ({ orders: order }) => {
      if (!order || this.isClosed) return;
      const { legs, ...placed } = order;
      for (const one of [placed, ...(legs ?? [])]) orders.follow(one);
    }, (state, reason) => this.isClosed || showLiveState(container, state, reason));
    if (this.isClosed) end();
    else this.#end = end;
  }

  async #readEnded() {
    const page = await this.#read("ended-orders-failure", { open: false, ...(this.#cursor && { after: this.#cursor }) });
    if (!page || this.isClosed) return;
    if (this.#ended) this.#ended.append(page.nodes);
    else this.#ended = new Orders(this.#client, this.main, null, page.nodes, "ended-orders");
    this.#cursor = page.endCursor;
    this.element("older-orders").hidden = !page.hasNextPage;
  }

  /**
   * A page of orders; null if it could not be read, which the page shows.
   *
   * The legs of an open order are listed only in it. Those of an order that has ended are orders of a list themselves, open
   * or ended.
   */
  async #read(failure, variables) {
    try {
      const { data: { orders }, errors } = await this.#client.run(allOrders, variables);
      if (this.isClosed) return null;
      showMessage(this.element(failure), describeErrors(errors));
      const { endCursor, hasNextPage } = orders.pageInfo;
      const nodes = orders.nodes.filter(Boolean);
      return { nodes: variables.open ? nodes.flatMap(withLegs) : nodes, endCursor, hasNextPage };
    } catch (error) {
      if (error.code === "UNAUTHENTICATED") throw error;
      if (!this.isClosed) showMessage(this.element(failure), error.message);
      return null;
    }
  }
}

function withLegs({ legs, ...order }) {
  return [order, ...(legs ?? []).filter(Boolean).map((leg) => ({ instrument: order.instrument, ...leg }))];
}
