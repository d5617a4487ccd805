// A chart of one or two lines in SVG, with the value under the pointer.

import { drawn, element } from "/example/elements.js";

const height = 260;
const margin = { top: 12, right: 8, bottom: 26 };

/** A chart in an element of the page; it draws itself again when its width changes. */
export class LineChart {
  #picture;
  #content = null;
  /** The horizontal position of the pointer, or null. */
  #pointer = null;

  constructor(picture) {
    this.#picture = picture;
    picture.classList.add("line-chart");
    new ResizeObserver(() => this.#draw()).observe(picture);
  }

  /**
   * Shows lines.
   *
   * @param content `points`, each `{time, value, other}`, where `other` is a value of the second line or null; `text(value)`;
   *   `axis`, the format of times below the lines; `reading(point)`, the text beside the pointer; `way`, the class of the
   *   line; `label`, the text for screen readers; `problem`, the text if there are less than two points.
   */
  show(content) {
    this.#content = content;
    this.#draw();
  }

  #draw() {
    const width = this.#picture.clientWidth;
    if (!this.#content || !width) return;
    const { points, text, axis, way, label, problem } = this.#content;
    if (points.length < 2) {
      this.#picture.replaceChildren(element("p", "empty", problem ?? ""));
      return;
    }
    const values = points.flatMap(({ value, other }) => (other == null ? [value] : [value, other]));
    const [low, high] = [Math.min(...values), Math.max(...values)];
    // The labels of values are right of the line; their width depends on the number of digits.
    const labels = Math.max(...[low, high].map((value) => text(value).length)) * 6.6 + 12;
    const inner = { width: width - margin.right - labels, height: height - margin.top - margin.bottom };
    const span = high - low || Math.abs(high) || 1;
    const x = (index) => (index / (points.length - 1)) * inner.width;
    const y = (value) => margin.top + inner.height - ((value - low) / span) * inner.height;
    const place = (value, index) => `${x(index).toFixed(1)},${y(value).toFixed(1)}`;
    const line = points.map(({ value }, index) => place(value, index)).join(" ");
    const bottom = margin.top + inner.height;
    const picture = drawn("svg", { viewBox: `0 0 ${width} ${height}`, width, height, role: "img", "aria-label": label });
    for (const value of [0, 1, 2, 3].map((step) => low + (span * step) / 3)) {
      picture.append(
        drawn("line", { x1: 0, x2: inner.width, y1: y(value), y2: y(value), class: "grid" }),
        drawn("text", { x: inner.width + 8, y: y(value), class: "tick value" }, text(value)));
    }
    const count = Math.max(2, Math.min(6, Math.floor(inner.width / 75), points.length));
    for (let step = 0; step < count; step += 1) {
      const index = Math.round((step / (count - 1)) * (points.length - 1));
      const anchor = step === 0 ? "start" : step === count - 1 ? "end" : "middle";
      picture.append(drawn("text", { x: x(index), y: height - 8, class: "tick", "text-anchor": anchor }, axis.format(points[index].time)));
    }
    const other = points.flatMap((point, index) => (point.other == null ? [] : [place(point.other, index)])).join(" ");
    picture.append(
      drawn("polygon", { points: `0,${bottom} ${line} ${inner.width},${bottom}`, class: `area ${way}` }),
      ...(other ? [drawn("polyline", { points: other, class: "line other" })] : []),
      drawn("polyline", { points: line, class: `line ${way}` }));
    const showReading = this.#follow(picture, x, y, inner);
    this.#picture.replaceChildren(picture);
    // The picture is drawn again when the last value changes.
    if (this.#pointer != null) showReading();
  }

  /** Shows the value under the pointer; the returned function shows it without a movement. */
  #follow(picture, x, y, inner) {
    const { points, way, reading: describe } = this.#content;
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
      dot.setAttribute("cy", y(points[index].value));
      const isLeft = place < inner.width / 2;
      label.setAttribute("x", isLeft ? place + 8 : place - 8);
      label.setAttribute("text-anchor", isLeft ? "start" : "end");
      label.textContent = describe(points[index]);
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
}

/**
 * Fills the table of a chart, newest first, so that the last value is always in it.
 *
 * @param cells Returns the texts of a point, the first of which names the row.
 */
export function fillTable(table, points, cells) {
  const step = Math.max(1, Math.ceil(points.length / 30));
  const shown = points.toReversed().filter((_, index) => index % step === 0);
  table.replaceChildren(...shown.map((point) => {
    const [name, ...values] = cells(point);
    const head = element("th", "", name);
    head.scope = "row";
    return element("tr", "", [head, ...values.map((text) => element("td", "", text))]);
  }));
  table.closest("table").caption.textContent = step === 1 ? "All values" : `Each ${step}th of ${points.length} values`;
}
