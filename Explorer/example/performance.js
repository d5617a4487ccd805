// Return, gain and holdings of all accounts, with a benchmark: `performance`; the allocation by sector and country on
// demand: `allocation`. The hash contains the range and the benchmark: `#/performance?range=YEAR_TO_DATE&benchmark=SPY`.

import { element, rangeChoice, showMessage, stockLink } from "/example/elements.js";
import { describeErrors } from "/example/errors.js";
import { compact, day, direction, money, percent, providerName, signedMoney, words } from "/example/format.js";
import { fillTable, LineChart } from "/example/line-chart.js";
import { Page } from "/example/page.js";

const performanceDocument = "/operations/accounts/performance.graphql";
const allocationDocument = "/operations/accounts/allocation.graphql";

/** The names of the ranges, by `Range`. */
const ranges = {
  ONE_DAY: ["1D", "one day"], FIVE_DAYS: ["5D", "five days"], ONE_MONTH: ["1M", "one month"], THREE_MONTHS: ["3M", "three months"],
  SIX_MONTHS: ["6M", "six months"], YEAR_TO_DATE: ["YTD", "this year"], ONE_YEAR: ["1Y", "one year"], FIVE_YEARS: ["5Y", "five years"],
  MAX: ["Max", "all years"],
};

/** Why a figure is unknown, by `UndeterminedReason`. */
const reasons = {
  NO_HISTORY: "no value is known in the period",
  MISSING_VALUATION: "the value at the start or the end of the period is unknown",
  MISSING_ACTIVITIES: "the broker reports activities only after the start of the period",
  MISSING_EXCHANGE_RATE: "an exchange rate is unknown",
  MISSING_PRICE: "a price is unknown",
  MISSING_AMOUNT: "the amount of an activity is unknown",
  MISSING_COST: "the cost of securities is unknown",
  VALUE_NOT_POSITIVE: "the value is zero or negative",
  EMPTY_PERIOD: "the period has no day with a value",
  NO_ROOT: "no rate of interest fits the payments",
  MULTIPLE_ROOTS: "several rates of interest fit the payments",
  MIXED_CURRENCIES: "its trades are in several currencies",
  OUT_OF_RANGE: "a number is too large",
};

export class PerformancePage extends Page {
  #client;
  #range;
  #benchmark;
  #chart;
  /** The number of the latest read; the responses of others are obsolete. */
  #reads = 0;

  /** @param filters The `URLSearchParams` of the hash. */
  constructor(client, filters) {
    super("performance-page", "Performance");
    this.#client = client;
    const range = filters.get("range");
    this.#range = range in ranges ? range : "ONE_YEAR";
    this.#benchmark = filters.get("benchmark") ?? "SPY";
    this.#chart = new LineChart(this.element("performance-chart"));
    this.element("performance-ranges").append(...rangeChoice(ranges, this.#range, (name) => {
      this.#range = name;
      this.#change();
    }));
    const form = this.element("benchmark-form");
    form.elements.benchmark.value = this.#benchmark;
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.#benchmark = form.elements.benchmark.value.trim().toUpperCase();
      this.#change();
    });
    const more = this.element("more-allocations");
    more.addEventListener("toggle", () => {
      if (more.open) this.#readAllocations();
    });
  }

  /** @throws The failure, which the page shows, too. */
  async open() {
    await this.#read();
  }

  #change() {
    history.replaceState(null, "", `#/performance?${new URLSearchParams({ range: this.#range, benchmark: this.#benchmark })}`);
    this.#read().catch(() => {});
  }

  async #read() {
    this.#reads += 1;
    const read = this.#reads;
    const isCurrent = () => !this.isClosed && read === this.#reads;
    const body = this.element("performance-body");
    body.setAttribute("aria-busy", "true");
    this.element("performance-status").textContent = "Loading …";
    try {
      const { data, errors } = await this.#client.run(
        performanceDocument, { range: this.#range, ...(this.#benchmark && { benchmark: this.#benchmark }) });
      if (!isCurrent()) return;
      const { performance, holdings } = data.portfolio ?? {};
      if (!performance && holdings?.edges?.length === 0) return this.#showNextStep();
      showMessage(this.element("performance-failure"), describeErrors(errors));
      this.#show(data.portfolio);
    } catch (error) {
      if (!isCurrent()) return;
      showMessage(this.element("performance-failure"), error.message);
      this.element("performance-status").textContent = "";
      throw error;
    } finally {
      if (isCurrent()) body.removeAttribute("aria-busy");
    }
  }

  /** Reads the allocation by sector and country, unless it is shown completely or being read. */
  async #readAllocations() {
    const container = this.element("further-allocations");
    const status = this.element("allocation-status");
    const failure = this.element("allocation-failure");
    if (container.hasAttribute("aria-busy") || (container.children.length && failure.hidden)) return;
    showMessage(failure, "");
    container.setAttribute("aria-busy", "true");
    status.textContent = "Loading …";
    try {
      const { data: { portfolio }, errors } = await this.#client.run(allocationDocument);
      if (this.isClosed) return;
      const { bySector, byCountry, currency } = portfolio;
      container.replaceChildren(...allocation("By sector", bySector, currency), ...allocation("By country", byCountry, currency));
      showMessage(failure, describeErrors(errors));
    } catch (error) {
      if (!this.isClosed) showMessage(failure, error.message);
    } finally {
      container.removeAttribute("aria-busy");
      status.textContent = "";
    }
  }

  /** There is no account, whose return the server could calculate. */
  #showNextStep() {
    showMessage(this.element("performance-failure"), "");
    this.element("performance-body").hidden = true;
    const link = Object.assign(element("a", "", "Connect a broker on the home screen"), { href: "#/" });
    this.element("performance-status").replaceChildren("There is no account yet. ", link, ".");
  }

  #show({ performance, holdings, currency, byCurrency }) {
    this.element("performance-body").hidden = false;
    this.element("performance-body").dataset.range = this.#range;
    this.#showReturn(performance);
    this.#showGain(performance);
    this.#showChart(performance);
    this.#showHoldings(holdings, currency);
    this.element("allocations").replaceChildren(...allocation("By currency", byCurrency, currency));
  }

  #showReturn(performance) {
    const { timeWeighted, grossTimeWeighted, moneyWeighted, benchmark, from, through } = performance ?? {};
    const period = from ? `${day(from)} to ${day(through)}` : "";
    this.element("performance-status").textContent = period;
    const excess = benchmark?.excessPercentage;
    const isWithoutDividends = benchmark?.includesDividends === false;
    this.element("return-figures").replaceChildren(
      ...figure("Time-weighted", timeWeighted, rate),
      ...figure("Before fees", grossTimeWeighted, rate),
      ...figure("Money-weighted", moneyWeighted, rate),
      ...(benchmark ? [
        ...figure(`${benchmark.symbol}${isWithoutDividends ? ", without dividends" : ""}`, benchmark, rate),
        ...group("Difference", excess == null ? "unknown" : `${percent(excess).replace(" %", "")} points`, direction(excess)),
      ] : []));
    const { method, estimated, unvaluedFlowDates } = timeWeighted?.known ?? {};
    const { unclassified = [], usesCarriedRates, rateSources = [], stale } = performance ?? {};
    this.element("performance-notes").textContent = [
      method === "MODIFIED_DIETZ" && `The value is unknown on ${unvaluedFlowDates.length === 1 ? "a day" : `${unvaluedFlowDates.length} days`} with deposits or withdrawals, so Modified Dietz was used${estimated ? ", and the return is an estimate" : ""}.`,
      rateSources.length > 0 && `Exchange rates from ${rateSources.map(providerName).join(", ")}${usesCarriedRates ? "; weekends and holidays have the rate of the day before" : ""}.`,
      unclassified.length > 0 && `Not taken into account: ${unclassified.join(", ")}.`,
      stale && "An old value: the last refresh failed.",
    ].filter(Boolean).join(" ");
  }

  #showGain(performance) {
    const { gain, firstValue, lastValue, netDeposits, currency = "USD" } = performance ?? {};
    const parts = gain?.known;
    const row = (name, text, className, way = "") => {
      const head = element("th", "", name);
      head.scope = "row";
      return element("tr", className, [head, element("td", way, text)]);
    };
    const value = (name, amount) => row(name, amount == null ? "unknown" : money(amount, currency), "total");
    const change = (name, amount, className = "") =>
      row(name, amount == null ? "unknown" : signedMoney(amount, currency), className, direction(amount));
    this.element("gain-parts").replaceChildren(
      value("Value at the start", firstValue), change("Deposits less withdrawals", netDeposits),
      change("Prices", parts?.price), change("Dividends and interest", parts?.income), change("Withheld tax", parts?.taxes),
      change("Fees", parts?.fees), change("Exchange rates", parts?.exchangeRates), change("Gain, the sum of these five", parts?.total, "sum"),
      value("Value at the end", lastValue));
    showMessage(this.element("gain-reason"), gain && !gain.undetermined ? "" : reasonOf(gain));
  }

  #showChart(performance) {
    const { series, benchmark, currency = "USD" } = performance ?? {};
    const number = (text) => (text == null ? null : Number(text));
    const all = (series ?? []).map(({ date, timeWeightedPercentage, benchmarkPercentage, value, gain }) => ({
      time: new Date(`${date}T00:00:00Z`), date, value: number(timeWeightedPercentage), other: number(benchmarkPercentage), amount: value, gain,
    }));
    const points = all.filter(({ value }) => value != null);
    const last = points.at(-1);
    const isLong = ["FIVE_YEARS", "MAX"].includes(this.#range);
    const own = last ? `the portfolio ${percent(last.value)}` : "";
    const compared = benchmark && last?.other != null ? `, ${benchmark.symbol} ${percent(last.other)}` : "";
    const summary = last ? `In ${ranges[this.#range][1]}: ${own}${compared}.` : "";
    this.element("performance-summary").textContent = summary;
    this.element("performance-legend").replaceChildren(
      element("li", `line-key ${direction(last?.value)}`, "Portfolio"),
      ...(points.some(({ other }) => other != null) ? [element("li", "line-key other", benchmark?.symbol ?? "Benchmark")] : []));
    this.#chart.show({
      points, text: (value) => `${value.toFixed(1)} %`, way: direction(last?.value), label: summary,
      axis: new Intl.DateTimeFormat("en-GB", { timeZone: "UTC", month: "short", ...(isLong ? { year: "numeric" } : { day: "numeric" }) }),
      reading: ({ date, value, other }) => `${day(date)}  ${percent(value)}${other == null ? "" : ` / ${percent(other)}`}`,
      problem: "There is no return for this range.",
    });
    fillTable(this.element("performance-values"), all, ({ date, amount, gain, value, other }) => [
      day(date), money(amount, currency), signedMoney(gain, currency), value == null ? "unknown" : percent(value), other == null ? "–" : percent(other),
    ]);
  }

  #showHoldings(holdings, currency) {
    const nodes = (holdings?.edges ?? []).map((edge) => edge?.node).filter(Boolean);
    this.element("holdings").replaceChildren(...nodes.map(({ symbol, value, weightPercentage, dayContributionPercentage, dayProfitLoss, currency: own, performance }) => {
      const { timeWeighted, gain } = performance ?? {};
      const known = timeWeighted?.known;
      const amount = gain?.known?.total;
      const name = element("th", "", [stockLink(symbol), element("small", "narrow", weightPercentage == null ? "" : plain(weightPercentage))]);
      name.scope = "row";
      const cells = [
        element("td", "", value == null ? "unknown" : money(value, currency)),
        element("td", "wide", weightPercentage == null ? "unknown" : plain(weightPercentage)),
        element("td", `wide ${direction(dayProfitLoss)}`, [
          element("span", "", dayProfitLoss == null ? "unknown" : signedMoney(dayProfitLoss, own)),
          element("small", "", dayContributionPercentage == null ? "" : `${percent(dayContributionPercentage)} of the total`),
        ]),
        element("td", `wide ${direction(amount)}`, amount == null ? "unknown" : signedMoney(amount, currency)),
        element("td", "", [
          element("span", direction(known?.percentage), known ? percent(known.percentage) : "unknown"),
          element("small", `narrow ${direction(amount)}`, amount == null ? "" : signedMoney(amount, currency)),
          element("small", "", timeWeighted?.undetermined ? reasonOf(timeWeighted) : ""),
        ]),
      ];
      const row = element("tr", "", [name, ...cells]);
      row.dataset.symbol = symbol;
      return row;
    }));
    const more = holdings?.pageInfo?.hasNextPage ? `The ${nodes.length} largest holdings.` : "";
    const isPartial = holdings?.edges?.some((edge) => !edge);
    this.element("holdings-note").textContent = nodes.length || isPartial ? more : "Nothing is held.";
  }
}

/** A return with that of one year, for a longer period. */
function rate({ percentage, annualizedPercentage, from }, isPart) {
  const year = annualizedPercentage == null ? "" : `${percent(annualizedPercentage)} a year`;
  return [percent(percentage), [isPart && from && `since ${day(from)}`, year].filter(Boolean).join(", "), direction(percentage)];
}

/** A figure of the schema: its values; or the known part and the reason; or only the reason. */
function figure(name, one, describe) {
  // A benchmark has no known part.
  const known = one?.known ?? (one && !one.undetermined ? one : null);
  if (!known) return group(name, "unknown", "", reasonOf(one));
  const [text, detail, way] = describe(known, Boolean(one.undetermined));
  return group(name, text, way, [detail, one.undetermined ? reasonOf(one) : ""].filter(Boolean).join("; "));
}

function group(name, text, way, note = "") {
  return [element("div", "", [element("dt", "", name), element("dd", way, text), element("dd", "note", note)])];
}

function reasonOf(one) {
  const { reason, date, symbol, currency } = one?.undetermined ?? {};
  if (!reason) return one ? "" : "it could not be read";
  return [reasons[reason] ?? words(reason), symbol, currency, date && day(date)].filter(Boolean).join(", ");
}

/** The names of slices that are not a currency, sector or country. */
const names = { CASH: "Cash", UNKNOWN: "Unknown" };

/** A part of the allocation as a list with bars. */
function allocation(title, parts, currency) {
  if (!parts) return [];
  const list = element("ul", "bars", parts.map(({ key, value, percentage }) => {
    const bar = element("span", "share", "");
    bar.style.width = `${Math.max(0, Math.min(100, Number(percentage) || 0))}%`;
    return element("li", "", [
      element("span", "", names[key] ?? key), element("b", "", percentage == null ? "unknown" : plain(percentage)),
      element("small", "", value == null ? "" : `${compact(value)} ${currency}`), bar,
    ]);
  }));
  return [element("div", "", [element("h3", "", title), list])];
}

/** A percentage without a sign, such as a weight. */
function plain(percentage) {
  return percent(percentage).replace(/^\+/, "");
}
