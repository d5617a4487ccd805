// The user's orders, for a stock or all. Changes: `replace-order`, `cancel-order`; their states come from
// `live-orders`.

import { button, element, showMessage, stockLink } from "/example/elements.js";
import { describeRejection } from "/example/errors.js";
import { accountName, price as asPrice, quantity, words } from "/example/format.js";
import { orderPrice, showPriceFields } from "/example/ticket.js";

const replaceOrder = "/operations/orders/replace-order.graphql";
const cancelOrder = "/operations/orders/cancel-order.graphql";

const changeable = new Set(["ACCEPTED", "OPEN", "PARTIALLY_FILLED"]);
const inForce = { DAY: "for the day", GTC: "until canceled" };
const final = new Set(["FILLED", "CANCELED", "REJECTED", "EXPIRED", "REPLACED", "UNKNOWN"]);

export function isFinal({ state }) {
  return final.has(state);
}

/** An order and its legs, which some brokers list only in it. */
export function withLegs({ legs, ...order }) {
  const { instrument } = order;
  return [order, ...(legs ?? []).filter(Boolean).map((leg) => ({ ...(instrument && { instrument }), ...leg }))];
}

export class Orders {
  #client;
  #main;
  #instrument;
  #list;
  #orders = new Map();
  #isShown = false;

  /**
   * @param instrument The instrument of all orders, or null: then each order has its own, and its row has a link to it.
   * @param orders Newest first.
   * @param list The id of the list; its failures are in the element with `-failure` after the id.
   */
  constructor(client, main, instrument, orders, list = "orders") {
    [this.#client, this.#main, this.#instrument] = [client, main, instrument];
    this.#list = main.querySelector(`#${list}`);
    this.#list.replaceChildren(element("li", "empty", instrument ? "No order for this yet." : "There is none."));
    for (const order of orders.toReversed()) this.#show(order, 0);
    this.#isShown = true;
  }

  /** Adds older orders at the end. */
  append(orders) {
    for (const order of orders) if (!this.#orders.has(order.id)) this.#show(order, 0, true);
  }

  has(id) {
    return this.#orders.has(id);
  }

  /** The ids of the orders that are shown as open. */
  get open() {
    return [...this.#orders.values()].filter(({ order }) => !isFinal(order)).map(({ order }) => order.id);
  }

  /** Shows an order that was read again. */
  reread(order) {
    const known = this.#orders.get(order.id);
    if (!known || !isFinal(known.order)) this.#show(order, this.#events(order.id));
  }

  remove(id) {
    this.#orders.get(id)?.row.remove();
    this.#orders.delete(id);
  }

  /** Shows the state of an event. */
  follow(order) {
    this.#show(order, this.#events(order.id) + 1);
  }

  /**
   * Shows the state in the response to a mutation, unless an event has arrived since the mutation was sent: events are in
   * order, and the one of a change can arrive before the response to the mutation that caused it.
   *
   * @param events The number of events before the mutation.
   */
  update(order, events = 0) {
    if (this.#events(order.id) === events) this.#show(order, events);
  }

  #events(id) {
    return this.#orders.get(id)?.events ?? 0;
  }

  /** Shows an order; fields that are missing keep their values. */
  #show(order, events, isOlder = false) {
    const old = this.#orders.get(order.id);
    const merged = { ...old?.order, ...order };
    const row = this.#row(merged);
    this.#orders.set(order.id, { order: merged, row, events });
    if (this.#isShown && !isOlder && old?.order.state !== merged.state) this.#announce(merged);
    if (!old) {
      this.#list.querySelector(".empty")?.remove();
      this.#list[isOlder ? "append" : "prepend"](row);
      return;
    }
    const focused = old.row.contains(document.activeElement) ? document.activeElement.dataset.action : null;
    old.row.replaceWith(row);
    if (focused) (row.querySelector(`[data-action=${focused}]:enabled`) ?? row).focus();
  }

  #price(amount, order) {
    const instrument = this.#instrument ?? order.instrument;
    const currency = instrument?.currency ?? instrument?.quote?.currency;
    // Without a known currency the number alone.
    return currency || instrument?.assetClass === "FX" ? asPrice(amount, currency, instrument) : quantity(amount);
  }

  #describe(order) {
    const { side, quantity: units, notional, type, limitPrice, stopPrice } = order;
    const size = units == null ? (notional == null ? "" : `for ${this.#price(notional, order)}`) : quantity(units);
    const prices = [stopPrice && `stop ${this.#price(stopPrice, order)}`, limitPrice && `limit ${this.#price(limitPrice, order)}`].filter(Boolean);
    return `${words(side)} ${size} at ${prices.join(", ") || words(type) || "another type"}`;
  }

  #announce(order) {
    this.#main.querySelector("#status").textContent = `${this.#describe(order)}: ${words(order.state)}`;
  }

  #row(order) {
    const { id, symbol, state, filledQuantity, averageFillPrice, rejection, reconciliation, account, provider, timeInForce, stale } = order;
    const filled = Number(filledQuantity) > 0
      ? ` ${quantity(filledQuantity)} filled${averageFillPrice == null ? "" : ` at ${this.#price(averageFillPrice, order)}`}.` : "";
    const note = rejection ? ` ${describeRejection(rejection)}`
      : reconciliation === "IN_PROGRESS" ? " The outcome is being determined at the broker."
        : reconciliation === "UNDETERMINED" ? " The outcome cannot be determined: check with the broker before you order again." : "";
    const description = this.#describe(order);
    const where = [accountName({ provider, number: account?.number }), inForce[timeInForce] ?? words(timeInForce), stale && "an old state"].filter(Boolean).join(" · ");
    const link = this.#instrument ? [] : [stockLink(symbol), " "];
    const row = element("li", "", [
      element("span", "what", [...link, element("b", "", description), element("small", "", where)]),
      element("span", `state ${final.has(state) ? "final" : ""}`, words(state)),
      element("p", "facts", `${filled}${note}`.trim()),
    ]);
    row.dataset.order = id;
    row.dataset.state = state;
    row.tabIndex = -1;
    if (changeable.has(state)) {
      const actions = [["cancel", "Cancel", () => this.#cancel(order)]];
      if (["LIMIT", "STOP", "STOP_LIMIT"].includes(order.type)) actions.unshift(["replace", "Change", () => this.#replace(order)]);
      row.append(element("span", "actions", actions.map(([name, text, action]) => {
        const made = button(text, `${text}: ${description}`, action);
        made.dataset.action = name;
        return made;
      })));
    }
    return row;
  }

  async #change(document, variables, container) {
    showMessage(container, "");
    const events = this.#events(variables.id);
    try {
      const { data } = await this.#client.run(document, variables);
      this.update(Object.values(data)[0].order, events);
      return true;
    } catch (error) {
      // Not sent again: whether a lost change took effect is shown by the state of the order.
      showMessage(container, error.message);
      return false;
    }
  }

  #cancel({ id }) {
    return this.#change(cancelOrder, { id }, this.#main.querySelector(`#${this.#list.id}-failure`));
  }

  #replace(order) {
    const dialog = document.getElementById("replace");
    const form = dialog.querySelector("form");
    const failure = dialog.querySelector(".failure");
    showMessage(failure, "");
    showPriceFields(form, order.type);
    dialog.querySelector("p").textContent = `${this.#describe(order)}, ${accountName({ provider: order.provider, number: order.account?.number })}`;
    const old = { quantity: order.quantity ?? "", limit: order.limitPrice ?? "", stop: order.stopPrice ?? "" };
    for (const [name, value] of Object.entries(old)) form.elements[name].value = value;
    form.elements.quantity.disabled = order.quantity == null;
    form.onsubmit = async (event) => {
      if (event.submitter?.value !== "change") return;
      event.preventDefault();
      const { quantity: units, limit, stop } = Object.fromEntries([...new FormData(form)].map(([name, value]) => [name, value.trim()]));
      const input = {};
      if (units && units !== old.quantity) input.quantity = units;
      if ((limit ?? old.limit) !== old.limit || (stop ?? old.stop) !== old.stop) input.price = orderPrice(order.type, { limit, stop });
      event.submitter.disabled = true;
      const isDone = !Object.keys(input).length || await this.#change(replaceOrder, { id: order.id, input }, failure);
      event.submitter.disabled = false;
      if (isDone) dialog.close();
    };
    dialog.showModal();
  }
}
