// The review of an order before it is placed, with what it would cost: `preview-order`.

import { element, showMessage } from "/example/elements.js";
import { describeRejection } from "/example/errors.js";
import { accountName, money, price as asPrice, providerName, quantity, words } from "/example/format.js";

const preview = "/operations/orders/preview-order.graphql";

export class Review {
  #client;
  #dialog;
  #instrument;

  /** @param instrument The instrument of the page; its decimals are those of prices. */
  constructor(client, main, instrument) {
    [this.#client, this.#dialog, this.#instrument] = [client, main.querySelector("#review"), instrument];
  }

  /**
   * Reads the preview of an order, shows it with the order, and lets the user decide.
   *
   * @param input The `PreviewOrderInput`: a preview places nothing.
   * @param about `{order, estimate}` as texts; the estimate is shown only if there is no preview.
   * @param account The account of the order.
   * @returns Whether the user places the order.
   * @throws `OperationError` if the input is not valid.
   */
  async decide(input, { order, estimate }, account) {
    const result = await this.#read(input);
    // The page was closed meanwhile.
    if (!this.#dialog.isConnected) return false;
    const facts = [
      ["Order", order], ["Account", accountName(account)], ["Environment", words(account.environment)],
      ...(result.preview ? this.#facts(result.preview) : [["Estimate", estimate]]),
    ];
    this.#dialog.querySelector("dl").replaceChildren(
      ...facts.flatMap(([name, text]) => [element("dt", "", name), element("dd", "", text)]));
    showMessage(this.#dialog.querySelector("#preview-failure"), result.problem ?? "");
    this.#showRejections(result.preview?.rejections ?? []);
    return this.#ask();
  }

  async #read(input) {
    try {
      const { data } = await this.#client.run(preview, { input });
      return { preview: data.previewOrder };
    } catch (error) {
      // `placeOrder` would fail in the same way.
      if (error.code === "BAD_USER_INPUT") throw error;
      return { problem: `There is no preview of this order. ${error.message}` };
    }
  }

  /** A null is shown as unknown, never as 0. */
  #facts(one) {
    const { price, quantity: units, value, currency, costs, accountCosts, accountCurrency, cashRequired, conversionRate, margin } = one;
    const isConverted = accountCurrency && accountCurrency !== currency;
    const amount = (number, unit = currency) => (number == null ? "unknown" : money(number, unit ?? "USD"));
    const parts = [["commission", costs.commission], ["exchange fee", costs.exchangeFee], ["stamp duty", costs.stampDuty]]
      .filter(([, cost]) => cost != null).map(([name, cost]) => `${name} ${amount(cost)}`);
    const inAccount = isConverted && accountCosts.total != null ? `, ${amount(accountCosts.total, accountCurrency)}` : "";
    const product = units == null || price == null ? "" : `: ${quantity(units)} at ${asPrice(price, currency, this.#instrument)}`;
    return [
      [one.calculatedBy === "BROKER" ? "Calculated by" : "Estimated by", this.#calculator(one)],
      ["Value", `${amount(value)}${product}`],
      ["Costs", `${amount(costs.total)}${inAccount}${parts.length ? ` (${parts.join(", ")})` : ""}`],
      ...(isConverted ? [["Exchange rate", conversionRate == null ? "unknown" : `1 ${currency} = ${quantity(conversionRate)} ${accountCurrency}`]] : []),
      ["Cash needed", amount(cashRequired, accountCurrency)],
      ...(margin ? [["Margin", this.#margin(margin, amount)]] : []),
    ];
  }

  #calculator({ calculatedBy, source, stale }) {
    if (calculatedBy === "BROKER") return providerName(source);
    return `Portico, with the price of ${providerName(source)}${stale ? ", which is an old one" : ""}. The broker's result can differ.`;
  }

  #margin({ currency, initial, availableBefore, availableAfter }, amount) {
    return [
      initial != null && `${amount(initial, currency)} needed`,
      availableBefore != null && `${amount(availableBefore, currency)} available`,
      availableAfter != null && `${amount(availableAfter, currency)} afterwards`,
    ].filter(Boolean).join(", ") || "unknown";
  }

  #showRejections(rejections) {
    const list = this.#dialog.querySelector("#rejections");
    list.hidden = !rejections.length;
    list.querySelector("ul").replaceChildren(...rejections.map(({ code, reason, message }) =>
      element("li", "", describeRejection({ reason: reason ?? code, message }))));
  }

  #ask() {
    const dialog = this.#dialog;
    dialog.returnValue = "";
    return new Promise((resolve) => {
      dialog.onclose = () => resolve(dialog.returnValue === "place");
      dialog.showModal();
    });
  }
}
