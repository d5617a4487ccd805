// The user's alerts and their history: `alerts`, then `live-alerts`. Changes: `create-alert`,
// `update-alert`, `delete-alert`. The hash can contain the symbol of a new alert: `#/alerts?symbol=AAPL`.

import { button, element, showLiveState, showMessage, stockLink } from "/example/elements.js";
import { describeErrors } from "/example/errors.js";
import { moment, percent, providerName, quantity, words } from "/example/format.js";
import { Page } from "/example/page.js";

const alertsDocument = "/operations/alerts/alerts.graphql";
const liveAlerts = "/operations/alerts/live-alerts.graphql";
const addAlert = "/operations/alerts/create-alert.graphql";
const editAlert = "/operations/alerts/update-alert.graphql";
const deleteAlert = "/operations/alerts/delete-alert.graphql";

/** The conditions of an instrument, by `AlertKind`: the text, the argument of `AlertConditionInput`, and its member. */
const conditions = {
  PRICE_ABOVE: ["price is at least", "priceAbove", "price"],
  PRICE_BELOW: ["price is at most", "priceBelow", "price"],
  DAY_RISE: ["rises in a day by at least", "dayRise", "percentage"],
  DAY_FALL: ["falls in a day by at least", "dayFall", "percentage"],
};

/** The names of pauses after which an alert can fire again, by their seconds. */
const pauses = { 3600: "an hour", 86400: "a day", 604800: "a week" };

export class AlertsPage extends Page {
  #client;
  #form;
  #list;
  #history;
  /** The alerts, their rows and the number of their events, by id. */
  #alerts = new Map();
  /** The latest firings, the latest first. */
  #firings = [];
  /** Whether there are older firings than those of the list. */
  #hasOlder = false;
  #end = () => {};

  /** @param filters The `URLSearchParams` of the hash. */
  constructor(client, filters) {
    super("alerts-page", "Alerts");
    this.#client = client;
    this.#form = this.element("alert-form");
    this.#list = this.element("alerts");
    this.#history = this.element("firings");
    const { symbol, kind, rearmAfter } = this.#form.elements;
    symbol.value = filters.get("symbol") ?? "";
    kind.append(...Object.entries(conditions).map(([name, [text]]) => new Option(text, name)));
    rearmAfter.append(...Object.entries(pauses).map(([seconds, text]) => new Option(`again after ${text}`, seconds)));
    kind.addEventListener("change", () => this.#showUnit());
    this.#form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.#create(event.submitter);
    });
    this.#showUnit();
  }

  /** @throws The failure, which the page shows, too. */
  async open() {
    try {
      // A user has at most 200 alerts, unless the server's settings permit more; the subscription begins with all of them.
      const { data, errors } = await this.#client.run(alertsDocument, { first: 200 });
      if (this.isClosed) return;
      showMessage(this.element("alerts-failure"), describeErrors(errors));
      for (const one of data.alerts?.nodes ?? []) this.#show(one);
      if (data.alerts) this.#showWhetherEmpty();
      if (data.alertFirings) {
        this.#firings = data.alertFirings.nodes;
        this.#hasOlder = data.alertFirings.pageInfo.hasNextPage;
        this.#showFirings();
      }
      this.#showWebhooks(data.webhooks ?? []);
    } catch (error) {
      if (this.isClosed) return;
      showMessage(this.element("alerts-failure"), error.message);
      throw error;
    }
    await this.#follow();
  }

  close() {
    super.close();
    this.#end();
  }

  async #follow() {
    const container = this.element("alerts-live");
    try {
      const end = await this.#client.subscribe(liveAlerts, {}, ({ alerts: alert }) => {
        if (!alert || this.isClosed) return;
        this.#show(alert, this.#events(alert.id) + 1);
        this.#showWhetherEmpty();
        if (alert.lastFiring) this.#addFiring(alert);
      }, (state, reason) => this.isClosed || showLiveState(container, state, reason));
      if (this.isClosed) end();
      else this.#end = end;
    } catch (error) {
      showLiveState(container, "ended", error.message);
    }
  }

  get #status() {
    return this.element("alerts-status");
  }

  /** The value of a condition is a price, or a percentage. */
  #showUnit() {
    const [, , member] = conditions[this.#form.elements.kind.value];
    this.element("alert-unit").textContent = member === "price" ? "Price" : "Per cent";
  }

  #events(id) {
    return this.#alerts.get(id)?.events ?? 0;
  }

  /** Shows an alert; fields that are missing keep their values. */
  #show(alert, events = this.#events(alert.id)) {
    const old = this.#alerts.get(alert.id);
    const merged = { ...old?.alert, ...alert };
    const row = this.#row(merged);
    this.#alerts.set(alert.id, { alert: merged, row, events });
    if (!old) {
      // In the order of creation, the newest first.
      this.#list.prepend(row);
      return;
    }
    const focused = old.row.contains(document.activeElement) ? document.activeElement.dataset.action : null;
    old.row.replaceWith(row);
    if (focused) row.querySelector(`[data-action=${focused}]`).focus();
  }

  #showWhetherEmpty() {
    this.element("no-alerts").hidden = this.#alerts.size > 0;
  }

  #row(alert) {
    const { id, kind, label, state, rearmAfter, armedAt, lastFiring, orderStates } = alert;
    const name = label ?? describe(alert);
    const isActive = state === "ACTIVE";
    const isInPause = isActive && armedAt && new Date(armedAt) > new Date();
    const value = lastFiring && observed(kind, lastFiring);
    const facts = [
      orderStates?.length && orderStates.map(words).join(" or "),
      isInPause ? `again from ${moment(armedAt)}` : rearmAfter && `again after ${pauses[rearmAfter] ?? `${rearmAfter} s`}`,
      lastFiring && `last fired ${moment(lastFiring.firedAt)}${value && ` at ${value}`}`,
    ].filter(Boolean);
    const actions = [
      ["toggle", isActive ? "Pause" : "Activate", () => this.#toggle(id, isActive)], ["delete", "Delete", () => this.#delete(id)],
    ].map(([action, text, run]) => {
      const made = button(text, `${text}: ${name}`, run);
      made.dataset.action = action;
      return made;
    });
    const row = element("li", "", [
      element("span", "what", [
        element("b", "", label ? [label] : title(alert)), ...(label ? [element("small", "", title(alert))] : []),
        element("small", "", facts.join(" · ")),
      ]),
      element("span", `state ${isActive ? "" : "final"}`, words(state)), element("span", "actions", actions),
    ]);
    row.dataset.alert = id;
    row.dataset.state = state;
    return row;
  }

  /** Adds the last firing of an alert to the history, unless the history has it or begins later. */
  #addFiring({ id, kind, symbol, price, percentage, label, lastFiring }) {
    const time = Date.parse(lastFiring.firedAt);
    if (this.#firings.some((one) => one.id === lastFiring.id)) return;
    if (this.#hasOlder && this.#firings.length && time < Date.parse(this.#firings.at(-1).firedAt)) return;
    this.#firings.push({ ...lastFiring, kind, symbol, price, percentage, label, alert: { id } });
    this.#firings.sort((one, other) => Date.parse(other.firedAt) - Date.parse(one.firedAt));
    this.#showFirings();
    const value = observed(kind, lastFiring);
    this.#status.textContent = `Fired: ${label ?? describe({ kind, symbol, price, percentage })}${value && `, observed ${value}`}`;
  }

  #showFirings() {
    this.#history.replaceChildren(...this.#firings.map((one) => this.#firingRow(one)));
    this.element("firings-table").hidden = !this.#firings.length;
    this.element("firings-note").textContent = !this.#firings.length ? "No alert has fired yet."
      : this.#hasOlder ? `The ${this.#firings.length} latest firings.` : "";
  }

  #firingRow(firing) {
    const { id, kind, label, firedAt } = firing;
    // The order, the goal and the connection are those of the alert, while it exists.
    const { order, goal, connection } = this.#alerts.get(firing.alert?.id)?.alert ?? {};
    const condition = title({ ...firing, order, goal, connection });
    const time = element("time", "", moment(firedAt));
    time.dateTime = firedAt;
    const name = element("th", "text", label ? [label, element("small", "", condition)] : condition);
    name.scope = "row";
    const row = element("tr", "", [element("td", "date", [time]), name, element("td", "", observed(kind, firing) || "–")]);
    row.dataset.firing = id;
    return row;
  }

  #showWebhooks(webhooks) {
    this.element("webhooks").hidden = !webhooks.length;
    this.element("webhook-list").replaceChildren(...webhooks.map(({ url, label, state, pendingDeliveries, lastSuccessAt, lastFailure }) => {
      const facts = [
        label && url, { PENDING: "waits for the receiver to accept a test message", DISABLED: "disabled" }[state], lastSuccessAt && `last delivered ${moment(lastSuccessAt)}`, pendingDeliveries > 0 && `${pendingDeliveries} not delivered yet`,
      ].filter(Boolean).join(" · ");
      return element("li", "", [
        element("span", "what", [element("b", "", label ?? url ?? "webhook"), element("small", "", facts)]), element("p", "failure", lastFailure),
      ]);
    }));
  }

  async #create(submitter) {
    const { symbol, kind, value, rearmAfter, label } = Object.fromEntries(
      [...new FormData(this.#form)].map(([name, text]) => [name, text.trim()]));
    const [, argument, member] = conditions[kind];
    const input = {
      condition: { [argument]: { symbol: symbol.toUpperCase(), [member]: value } },
      ...(label && { label }), ...(rearmAfter && { rearmAfter: Number(rearmAfter) }),
    };
    const failure = this.element("alert-failure");
    showMessage(failure, "");
    if (submitter) submitter.disabled = true;
    try {
      const { data: { createAlert: { alert } } } = await this.#client.run(addAlert, { input });
      if (this.isClosed) return;
      // An event can arrive before the response, and is newer.
      if (!this.#alerts.has(alert.id)) this.#show(alert);
      this.#showWhetherEmpty();
      this.#form.reset();
      this.#showUnit();
      this.#status.textContent = `Created: ${describe(alert)}`;
      this.#form.elements.symbol.focus();
    } catch (error) {
      if (this.isClosed) return;
      showMessage(failure, error.message);
      const name = error.argument?.split(".").at(-1);
      this.#form.elements[name === member ? "value" : name]?.focus();
    } finally {
      if (submitter) submitter.disabled = false;
    }
  }

  #toggle(id, paused) {
    const events = this.#events(id);
    return this.#change(editAlert, { id, input: { paused } }, ({ updateAlert: { alert } }) => {
      // An event that has arrived meanwhile is newer than the response.
      if (this.#events(id) === events) this.#show(alert);
      const { alert: shown, row } = this.#alerts.get(id);
      this.#status.textContent = `${shown.label ?? describe(shown)}: ${words(shown.state)}`;
      row.querySelector("[data-action=toggle]").focus();
    });
  }

  #delete(id) {
    return this.#change(deleteAlert, { id }, () => {
      const { alert, row } = this.#alerts.get(id);
      const next = row.nextElementSibling ?? row.previousElementSibling;
      this.#alerts.delete(id);
      row.remove();
      this.#showWhetherEmpty();
      this.#status.textContent = `Deleted: ${alert.label ?? describe(alert)}`;
      (next?.querySelector("[data-action=delete]") ?? this.#form.elements.symbol).focus();
    });
  }

  async #change(document, variables, show) {
    const failure = this.element("alerts-failure");
    showMessage(failure, "");
    try {
      const { data } = await this.#client.run(document, variables);
      if (!this.isClosed) show(data);
    } catch (error) {
      if (!this.isClosed) showMessage(failure, error.message);
    }
  }
}

/** The condition of an alert or of a firing, as one text. */
function describe({ kind, symbol, price, percentage: points, order, goal, connection }) {
  const [text, , member] = conditions[kind] ?? [];
  if (text) return `${symbol} ${text} ${member === "price" ? quantity(price) : `${quantity(points)} %`}`;
  switch (kind) {
    case "ORDER_STATE": return order ? `State of the order for ${order.symbol}` : "State of an order";
    case "GOAL_REACHED": return goal ? `The goal ${goal.title} is reached` : "A goal is reached";
    case "CONNECTION_NEEDS_RENEWAL": return `The connection with ${providerName(connection?.provider) || "a broker"} needs renewal`;
    default: return words(kind);
  }
}

/** The condition, in which the symbol is a link to the page of the instrument. */
function title(one) {
  const text = describe(one);
  return one.kind in conditions ? [stockLink(one.symbol), text.slice(one.symbol.length)] : [text];
}

/** The observed value of a firing; empty if the condition has none. */
function observed(kind, { value, orderState }) {
  if (orderState) return words(orderState);
  if (value == null) return "";
  return conditions[kind]?.[2] === "percentage" ? percent(value) : quantity(value);
}
