// The chart of a price: a line in SVG with the value under the pointer, a sentence, and a table with the values.

import { drawn, element } from "/example/elements.js";
import { direction, percent } from "/example/format.js";

const height = 260;
const margin = { top: 12, right: 8, bottom: 26 };
/** The maximum number of rows of the table; longer charts show every n-th value. */
const rows = 30;

/** The names of the ranges, by `ChartRange`. */
export const ranges = {
  ONE_DAY: ["1D", "one day"], ONE_WEEK: ["1W", "one week"], ONE_MONTH: ["1M", "one month"], THREE_MONTHS: ["3M", "three months"],
  SIX_MONTHS: ["6M", "six months"], YEAR_TO_DATE: ["YTD", "this year"], ONE_YEAR: ["1Y", "one year"],
  FIVE_YEARS: ["5Y", "five years"], MAX: ["Max", "all years"],
};

/** A chart in elements of the page; it draws itself again when its width changes. */
export class PriceChart {
  #picture;
  #summary;
  #table;
  #points = [];
  /** The horizontal position of the pointer, or null. */
  #pointer = null;
  #text = {};

  /** @param elements `picture`, `summary` and `table`, a tbody. */
  constructor({ picture, summary, table }) {
    [this.#picture, this.#summary, this.#table] = [picture, summary, table];
    new ResizeObserver(() => this.#draw()).observe(picture);
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
    const points = this.#points;
    const width = this.#picture.clientWidth;
    if (points.length < 2) {
      this.#picture.replaceChildren(element("p", "empty", this.#text.problem ?? ""));
      this.#summary.textContent = "";
      return;
    }
    if (!width) return;
    const { price, time, axis } = this.#text;
    const closes = points.map(({ close }) => close);
    const [first, last, low, high] = [closes[0], closes.at(-1), Math.min(...closes), Math.max(...closes)];
    const change = first ? ((last - first) / Math.abs(first)) * 100 : null;
    const way = direction(last - first);
    this.#summary.replaceChildren(
      element("b", way, `${percent(change)}`),
      ` in ${this.#text.range}: from ${price(first)} to ${price(last)}, lowest ${price(low)}, highest ${price(high)}`);

    // The labels of prices are right of the line; their width depends on the number of digits.
    const labels = Math.max(...[low, high].map((value) => price(value).length)) * 6.6 + 12;
    const inner = { width: width - margin.right - labels, height: height - margin.top - margin.bottom };
    const span = high - low || Math.abs(high) || 1;
    const x = (index) => (index / (points.length - 1)) * inner.width;
    const y = (value) => margin.top + inner.height - ((value - low) / span) * inner.height;
    const line = points.map(({ close }, index) => `${x(index).toFixed(1)},${y(close).toFixed(1)}`).join(" ");
    const bottom = margin.top + inner.height;
    const picture = drawn("svg", {
      viewBox: `0 0 ${width} ${height}`, width, height, role: "img", "aria-label": `${this.#text.symbol}, ${this.#summary.textContent}`,
    });
    for (const value of [0, 1, 2, 3].map((step) => low + (span * step) / 3)) {
      picture.append(
        drawn("line", { x1: 0, x2: inner.width, y1: y(value), y2: y(value), class: "grid" }),
        drawn("text", { x: inner.width + 8, y: y(value), class: "tick value" }, price(value)));
    }
    const count = Math.max(2, Math.min(6, Math.floor(inner.width / 75), points.length));
    for (let step = 0; step < count; step += 1) {
      const index = Math.round((step / (count - 1)) * (points.length - 1));
      const anchor = step === 0 ? "start" : step === count - 1 ? "end" : "middle";
      picture.append(drawn("text", { x: x(index), y: height - 8, class: "tick", "text-anchor": anchor }, axis.format(points[index].time)));
    }
    picture.append(
      drawn("polygon", { points: `0,${bottom} ${line} ${inner.width},${bottom}`, class: `area ${way}` }),
      drawn("polyline", { points: line, class: `line ${way}` }));
    const text = (point) => `${time.format(point.time)}  ${price(point.close)}`;
    const showReading = this.#follow(picture, { points, x, y, inner, way, text });
    this.#picture.replaceChildren(picture);
    // The picture is drawn again when the price changes.
    if (this.#pointer != null) showReading();
  }

  /** Shows the value under the pointer; the returned function shows it without a movement. */
  #follow(picture, { points, x, y, inner, way, text }) {
    const rule = drawn("line", { y1: margin.top, y2: margin.top + inner.height, class: "rule" });
    const dot = drawn("circle", { r: 4, class: `dot ${way}` });
    const label = drawn("text", { y: margin.top + 4, class: "reading" });
    const reading = drawn("g", { visibility: "hidden" }, rule, dot, label);
    picture.append(reading);
    const show = () => {
      const offset = this.#pointer - picture.getBoundingClientRect().left;
      const index = Math.max(0, Math.min(points.length - 1, Math.round((offset / inner.width) * (points.length - 1))));
      const place = x(index);
      rule.setAttribute("x1", place);
      rule.setAttribute("x2", place);
      dot.setAttribute("cx", place);
      dot.setAttribute("cy", y(points[index].close));
      const isLeft = place < inner.width / 2;
      label.setAttribute("x", isLeft ? place + 8 : place - 8);
      label.setAttribute("text-anchor", isLeft ? "start" : "end");
      label.textContent = text(points[index]);
      reading.setAttribute("visibility", "visible");
    };
    picture.addEventListener("pointermove", ({ clientX }) => {
      this.#pointer = clientX;
      show();
    });
    picture.addEventListener("pointerleave", () => {
      this.#pointer = null;
      reading.setAttribute("visibility", "hidden");
    });
    return show;
  }

  #fillTable() {
    const { price, time } = this.#text;
    const step = Math.max(1, Math.ceil(this.#points.length / rows));
    // Newest first, so the last value is always in the table.
    const shown = this.#points.toReversed().filter((_, index) => index % step === 0);
    const number = new Intl.NumberFormat("en-US", { notation: "compact", maximumFractionDigits: 1 });
    this.#table.replaceChildren(...shown.map((point) => {
      const name = element("th", "", time.format(point.time));
      name.scope = "row";
      const values = [point.open, point.high, point.low, point.close].map((value) => element("td", "", value == null ? "–" : price(value)));
      return element("tr", "", [name, ...values, element("td", "", point.volume == null ? "–" : number.format(point.volume))]);
    }));
    this.#table.closest("table").caption.textContent = step === 1 ? "All values" : `Each ${step}th of ${this.#points.length} values`;
  }
}
