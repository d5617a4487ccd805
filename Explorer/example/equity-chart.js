// The chart of the value of all accounts, with Lightweight Charts.

/** The chart of a portfolio's history in an element, which must have a size. */
export class EquityChart {
  #container;
  #chart = null;
  #shown = null;

  constructor(container) {
    this.#container = container;
    // The library needs colours, not CSS variables, so the chart is drawn again when the colour scheme changes.
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.#draw());
  }

  /**
   * Draws a history, unless it is drawn.
   *
   * @param history `{points: [{date, value}]}`, or null if there is none.
   * @param problem The text in place of a line.
   */
  show(history, currency, problem) {
    const old = JSON.stringify(this.#shown);
    this.#shown = [history ?? null, currency, problem];
    if (JSON.stringify(this.#shown) !== old) this.#draw();
  }

  #draw() {
    this.#chart?.remove();
    this.#chart = draw(this.#container, ...this.#shown);
  }
}

/** Null if there is no line yet. */
function draw(container, history, currency, problem) {
  container.replaceChildren();
  if (!window.LightweightCharts) {
    container.textContent = "The chart library is not here: fetch it by `make explorer`, and start Portico again.";
    return null;
  }
  const points = (history?.points ?? []).map(({ date, value }) => ({ time: date, value: Number(value) }));
  if (points.length < 2) {
    container.textContent = problem || "There are no values for a line.";
    return null;
  }
  const base = points[0].value;
  const style = getComputedStyle(container);
  const colour = (name) => style.getPropertyValue(`--${name}`).trim();
  const line = points.at(-1).value >= base ? colour("up") : colour("down");
  const day = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", timeZone: "UTC" });
  const label = (date) => day.format(typeof date === "string" ? new Date(date) : new Date(Date.UTC(date.year, date.month - 1, date.day)));
  const amount = new Intl.NumberFormat("en-US", { style: "currency", currency });
  const chart = LightweightCharts.createChart(container, {
    autoSize: true,
    layout: { background: { color: "transparent" }, textColor: colour("quiet"), fontFamily: style.fontFamily, fontSize: 11 },
    grid: { vertLines: { visible: false }, horzLines: { color: colour("line") } },
    rightPriceScale: { borderVisible: false, entireTextOnly: true, scaleMargins: { top: 0.12, bottom: 0.08 } },
    timeScale: {
      borderVisible: false, fixLeftEdge: true, fixRightEdge: true,
      tickMarkFormatter: label,
    },
    localization: { timeFormatter: label, priceFormatter: amount.format },
    crosshair: { horzLine: { labelVisible: false, visible: false } },
    handleScale: false,
    handleScroll: false,
  });
  const series = chart.addAreaSeries({
    lineColor: line, lineWidth: 2, topColor: `${line}40`, bottomColor: `${line}00`, priceLineVisible: false,
    // Its label would cover one of the axis.
    lastValueVisible: false,
  });
  series.setData(points);
  series.createPriceLine({ price: base, color: colour("faint"), lineWidth: 1, lineStyle: 2, axisLabelVisible: false });
  chart.timeScale().fitContent();
  return chart;
}
