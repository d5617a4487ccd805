// The orders of all accounts: `all-orders`, once for the open ones and once for those that have ended. Live: `live-orders`.

import { showLiveState, showMessage } from "/example/elements.js";
import { describeErrors } from "/example/errors.js";
import { LiveList } from "/example/live-list.js";
import { isFinal, Orders, withLegs } from "/example/orders.js";
import { Page } from "/example/page.js";

const allOrders = "/operations/orders/all-orders.graphql";
const liveOrders = "/operations/orders/live-orders.graphql";
const openOrders = { open: true, first: 100 };
const endedOrders = { open: false };

export class OrdersPage extends Page {
  #client;
  #open = null;
  #ended = null;
  /** The end of the last page of ended orders. */
  #cursor;
  #live = new LiveList({
    objects: ({ orders: order }) => (order ? withLegs(order) : []),
    follow: (order) => this.#open.follow(order),
    current: () => this.#open.open,
    readAgain: () => this.#readAgain(),
    show: (order) => (isFinal(order) && !this.#open.has(order.id) ? this.#ended : this.#open)?.reread(order),
    remove: (id) => this.#open.remove(id),
  });

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
    const container = this.element("orders-live");
    await this.#live.open(this.#client, liveOrders, (state, reason) => showLiveState(container, state, reason));
    const ended = this.#readEnded();
    const open = await this.#read("orders-failure", openOrders);
    if (open && !this.isClosed) {
      this.#open = new Orders(this.#client, this.main, null, open.nodes);
      this.#live.shown();
    }
    await ended;
  }

  close() {
    super.close();
    this.#live.close();
  }

  async #readEnded() {
    const page = await this.#read("ended-orders-failure", { ...endedOrders, ...(this.#cursor && { after: this.#cursor }) });
    if (!page || this.isClosed) return;
    if (this.#ended) this.#ended.append(page.nodes);
    else this.#ended = new Orders(this.#client, this.main, null, page.nodes, "ended-orders");
    this.#cursor = page.endCursor;
    this.element("older-orders").hidden = !page.hasNextPage;
  }

  /** Oldest first, because the newest are shown at the top. */
  async #readAgain() {
    const [open, ended] = await Promise.all([openOrders, endedOrders].map((variables) => this.#request(variables)));
    if (open.problem || ended.problem) throw new Error(open.problem || ended.problem);
    return [...open.nodes, ...ended.nodes].toReversed();
  }

  /** A page of orders; null if it could not be read, which the page shows. */
  async #read(failure, variables) {
    try {
      const page = await this.#request(variables);
      if (this.isClosed) return null;
      showMessage(this.element(failure), page.problem);
      return page;
    } catch (error) {
      if (error.code === "UNAUTHENTICATED") throw error;
      if (!this.isClosed) showMessage(this.element(failure), error.message);
      return null;
    }
  }

  /**
   * The legs of an open order are listed only in it. Those of an order that has ended are orders of a list themselves, open
   * or ended.
   */
  async #request(variables) {
    const { data: { orders }, errors } = await this.#client.run(allOrders, variables);
    const { endCursor, hasNextPage } = orders.pageInfo;
    const nodes = orders.nodes.filter(Boolean);
    return { nodes: variables.open ? nodes.flatMap(withLegs) : nodes, endCursor, hasNextPage, problem: describeErrors(errors) };
  }
}
