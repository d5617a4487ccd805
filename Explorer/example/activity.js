// The activities of all accounts, a page at a time: `activities`. The hash contains the filters, so that Back and a
// reload keep them: `#/activity?kind=INCOME&symbol=KO`.

import { element, showMessage, stockLink } from "/example/elements.js";
import { describeErrors } from "/example/errors.js";
import { accountName, day, direction, money, quantity, signedMoney, signedQuantity, words } from "/example/format.js";
import { Page } from "/example/page.js";

const activities = "/operations/accounts/activities.graphql";
const pageSize = 30;

/** The choices of the filter by kind, and their kinds in the schema. */
const kinds = {
  TRADES: ["Trades", ["TRADE"]],
  INCOME: ["Dividends and interest", ["DIVIDEND", "INTEREST"]],
  COSTS: ["Fees and taxes", ["FEE", "TAX"]],
  PAYMENTS: ["Payments and transfers", ["DEPOSIT", "WITHDRAWAL", "TRANSFER"]],
  HOLDINGS: ["Splits, spin-offs, mergers", ["SPLIT", "SPIN_OFF", "MERGER", "SYMBOL_CHANGE"]],
  OTHER: ["Others", ["OTHER"]],
};

export class ActivityPage extends Page {
  #client;
  #form;
  #rows;
  /** The end of the last page, or null if it is the end of the list. */
  #cursor = null;
  /** The number of the latest read; the responses of others are obsolete. */
  #reads = 0;

  /** @param filters The `URLSearchParams` of the hash. */
  constructor(client, filters) {
    super("activity-page", "Activity");
    this.#client = client;
    this.#form = this.element("activity-filters");
    this.#rows = this.element("activities");
    this.#form.elements.kind.append(...Object.entries(kinds).map(([name, [text]]) => new Option(text, name)));
    for (const [name, value] of filters) if (this.#form.elements[name]) this.#form.elements[name].value = value;
    // The choices of accounts arrive with the first page.
    const account = filters.get("account");
    if (account) this.#form.elements.account.append(new Option("The account of the address", account, true, true));
    this.#form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.#filter();
    });
    this.element("clear-filters").addEventListener("click", () => {
      for (const field of this.#form.elements) if (field.name) field.value = "";
      this.#filter();
    });
    this.element("older-activities").addEventListener("click", () => this.#showOlder());
  }

  /** @throws The failure, which the page shows, too. */
  async open() {
    await this.#read(false, true);
  }

  get #filters() {
    return Object.fromEntries([...new FormData(this.#form)].map(([name, text]) => [name, text.trim()]).filter(([, text]) => text));
  }

  #filter() {
    const filters = new URLSearchParams(this.#filters);
    history.replaceState(null, "", `#/activity${filters.size ? `?${filters}` : ""}`);
    this.#read(false).catch(() => {});
  }

  async #showOlder() {
    const count = this.#rows.rows.length;
    await this.#read(true).catch(() => {});
    this.#rows.rows[count]?.focus();
  }

  /**
   * Reads a page.
   *
   * @param isNext Whether it is the page after those that are shown.
   * @param withAccounts Whether the choices of accounts are read, too.
   */
  async #read(isNext, withAccounts = false) {
    this.#reads += 1;
    const read = this.#reads;
    const { kind, symbol, account, from, to } = this.#filters;
    const variables = {
      first: pageSize, withAccounts, ...(isNext && { after: this.#cursor }), ...(kind && { kinds: kinds[kind]?.[1] }),
      ...(symbol && { symbol: symbol.toUpperCase() }), ...(account && { accountIds: [account] }), ...(from && { from }), ...(to && { to }),
    };
    const failure = this.element("activity-failure");
    const table = this.element("activity-table");
    table.setAttribute("aria-busy", "true");
    try {
      const { data, errors } = await this.#client.run(activities, variables);
      if (this.isClosed || read !== this.#reads) return;
      showMessage(failure, describeErrors(errors));
      if (data.accounts) this.#showAccounts(data.accounts.filter(Boolean), account);
      if (data.activities) this.#show(data.activities, isNext);
      else this.element("activity-status").textContent = "";
    } catch (error) {
      if (this.isClosed || read !== this.#reads) return;
      showMessage(failure, error.message);
      this.element("activity-status").textContent = "";
      throw error;
    } finally {
      if (read === this.#reads) table.removeAttribute("aria-busy");
    }
  }

  #showAccounts(accounts, selected) {
    const choices = accounts.map(({ id, provider, number }) => new Option(accountName({ provider, number }), id));
    this.#form.elements.account.replaceChildren(new Option("All accounts", ""), ...choices);
    this.#form.elements.account.value = selected ?? "";
  }

  #show({ nodes, pageInfo, since, stale }, isNext) {
    const rows = nodes.filter(Boolean).map(row);
    if (isNext) this.#rows.append(...rows);
    else this.#rows.replaceChildren(...rows);
    this.#cursor = pageInfo.hasNextPage ? pageInfo.endCursor : null;
    const count = this.#rows.rows.length;
    this.element("activity-table").hidden = count === 0;
    this.element("older-activities").hidden = !this.#cursor;
    const listed = count === 0 ? "No activity matches." : `${count} ${count === 1 ? "activity" : "activities"}${this.#cursor ? ", and older ones" : ""}.`;
    this.element("activity-status").textContent = [
      listed, since && `Complete from ${day(since)} on.`,
      stale && "The latest read of an account failed, so its newest activities may be missing.",
    ].filter(Boolean).join(" ");
  }
}

function row(one) {
  const { kind, providerKind, date, symbol, side, quantity: units, price, amount, currency, accountAmount, accountCurrency } = one;
  const made = document.createElement("tr");
  made.tabIndex = -1;
  made.dataset.activity = one.id;
  made.dataset.kind = kind;
  const time = element("time", "", day(date));
  time.dateTime = date;
  const isTrade = kind === "TRADE" && side && units != null;
  const traded = isTrade && `${words(side)} ${quantity(units.replace("-", ""))}${price == null ? "" : ` at ${money(price, currency ?? "USD")}`}`;
  const text = traded || one.description || providerKind;
  const where = accountName({ provider: one.provider, number: one.account?.number });
  const name = element("th", "text", [
    element("span", "kind", kind === "OTHER" ? providerKind : words(kind)), ...(symbol ? [" ", stockLink(symbol)] : []),
    element("small", "", text), element("small", "narrow", where),
  ]);
  name.scope = "row";
  const isConverted = accountAmount != null && accountCurrency !== currency;
  made.append(
    element("td", "date", [time]), name, element("td", "wide text", where), element("td", "wide", signedQuantity(units)),
    element("td", "", [
      element("span", direction(amount), amount == null ? "–" : signedMoney(amount, currency ?? accountCurrency ?? "USD")),
      element("small", "", isConverted ? signedMoney(accountAmount, accountCurrency) : ""),
      element("small", "narrow", isTrade || units == null ? "" : `${signedQuantity(units)} units`),
    ]));
  return made;
}
