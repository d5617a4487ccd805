// The chart of a price: a line with the value under the pointer, a sentence, and a table with the values.

import { element } from "/example/elements.js";
import { direction, percent } from "/example/format.js";
import { fillTable, LineChart } from "/example/line-chart.js";

/** The names of the ranges, by `Range`. */
export const ranges = {
  ONE_DAY: ["1D", "one day"], FIVE_DAYS: ["1W", "one week"], ONE_MONTH: ["1M", "one month"], THREE_MONTHS: ["3M", "three months"],
  SIX_MONTHS: ["6M", "six months"], YEAR_TO_DATE: ["YTD", "this year"], ONE_YEAR: ["1Y", "one year"],
  FIVE_YEARS: ["5Y", "five years"], MAX: ["Max", "all years"],
};

export class PriceChart {
  #chart;
  #summary;
  #table;
  #points = [];
  #text = {};

  /** @param elements `picture`, `summary` and `table`, a tbody. */
  constructor({ picture, summary, table }) {
    [this.#chart, this.#summary, this.#table] = [new LineChart(picture), summary, table];
  }

  /**
   * Shows a chart.
   *
   * @param chart `{interval, timeZone, columns}` of the schema, or null.
   * @param format `price(number)`: a price as text.
   * @param problem What is shown if there are no values.
   */
  show(chart, { symbol, range, price, problem }) {
    const { time = [], open, high, low, close, volume } = chart?.columns ?? {};
    this.#points = time
      .map((seconds, index) => ({
        time: new Date(seconds * 1000), open: open[index], high: high[index], low: low[index], close: close[index], volume: volume[index],
      }))
      .filter((point) => point.close != null);
    const hasTimes = !["ONE_DAY", "ONE_WEEK", "ONE_MONTH"].includes(chart?.interval);
    const zone = { timeZone: chart?.timeZone ?? "UTC" };
    const day = range === "ONE_DAY" ? {} : { day: "numeric", month: "short" };
    const year = hasTimes ? {} : { year: "numeric" };
    const clock = hasTimes ? { hour: "2-digit", minute: "2-digit" } : {};
    const axis = { ONE_DAY: clock, FIVE_YEARS: { month: "short", year: "numeric" }, MAX: { year: "numeric" } }[range] ?? day;
    this.#text = {
      price, symbol, range: ranges[range]?.[1] ?? "", problem: problem || "There are no prices for this range.",
      time: new Intl.DateTimeFormat("en-GB", { ...zone, ...day, ...year, ...clock }),
      axis: new Intl.DateTimeFormat("en-GB", { ...zone, ...axis }),
    };
    this.#draw();
    this.#fillTable();
  }

  /** Replaces the last value, which a newer price has made obsolete. */
  update(price) {
    const last = this.#points.at(-1);
    if (!last || last.close === price) return;
    Object.assign(last, { close: price, high: Math.max(last.high, price), low: Math.min(last.low, price) });
    this.#draw();
  }

  #draw() {
    const points = this.#points.map((point) => ({ ...point, value: point.close }));
    const { price, time, axis, problem, symbol, range } = this.#text;
    let way = "";
    this.#summary.replaceChildren();
    if (points.length > 1) {
      const closes = points.map(({ close }) => close);
      const [first, last, low, high] = [closes[0], closes.at(-1), Math.min(...closes), Math.max(...closes)];
      const change = first ? ((last - first) / Math.abs(first)) * 100 : null;
      way = direction(last - first);
      this.#summary.append(
        element("b", way, `${percent(change)}`),
        ` in ${range}: from ${price(first)} to ${price(last)}, lowest ${price(low)}, highest ${price(high)}`);
    }
    this.#chart.show({
      points, axis, way, problem, text: price, label: `${symbol}, ${this.#summary.textContent}`,
      reading: (point) => `${time.format(point.time)}  ${price(point.close)}`,
    });
  }

  #fillTable() {
    const { price, time } = this.#text;
    const number = new Intl.NumberFormat("en-US", { notation: "compact", maximumFractionDigits: 1 });
    fillTable(this.#table, this.#points, (point) => [
      time.format(point.time), ...[point.open, point.high, point.low, point.close].map((value) => (value == null ? "–" : price(value))),
      point.volume == null ? "–" : number.format(point.volume),
    ]);
  }
}
