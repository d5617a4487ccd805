// The equity chart of the day, with Lightweight Charts.

/**
 * Draws an account's history.
 *
 * @param container The element of the chart, which must have a size.
 * @param history `{baseValue, points: [{time, equity}]}`, or null if it could not be read.
 */
export function drawEquity(container, history, currency) {
  let chart = draw(container, history, currency);
  // The library needs colours, not CSS variables, so the chart is drawn again when the colour scheme changes.
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
    chart?.remove();
    chart = draw(container, history, currency);
  });
}

/** Null if there is no line yet. */
function draw(container, history, currency) {
  if (!window.LightweightCharts) {
    container.textContent = "The chart library is not here: fetch it by `make explorer`, and start Portico again.";
    return null;
  }
  const points = (history?.points ?? []).filter((point) => point?.equity != null)
    .map(({ time, equity }) => ({ time: Math.floor(Date.parse(time) / 1000), value: Number(equity) }));
  if (points.length < 2) {
    container.textContent = "There is no line for today yet.";
    return null;
  }
  const base = history.baseValue == null ? points[0].value : Number(history.baseValue);
  const style = getComputedStyle(container);
  const colour = (name) => style.getPropertyValue(`--${name}`).trim();
  const line = points.at(-1).value >= base ? colour("up") : colour("down");
  const clock = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit" });
  const amount = new Intl.NumberFormat("en-US", { style: "currency", currency });
  const chart = LightweightCharts.createChart(container, {
    autoSize: true,
    layout: { background: { color: "transparent" }, textColor: colour("quiet"), fontFamily: style.fontFamily, fontSize: 11 },
    grid: { vertLines: { visible: false }, horzLines: { color: colour("line") } },
    rightPriceScale: { borderVisible: false, entireTextOnly: true, scaleMargins: { top: 0.12, bottom: 0.08 } },
    timeScale: {
      borderVisible: false, timeVisible: true, fixLeftEdge: true, fixRightEdge: true,
      tickMarkFormatter: (time) => clock.format(new Date(time * 1000)),
    },
    localization: { timeFormatter: (time) => clock.format(new Date(time * 1000)), priceFormatter: amount.format },
    crosshair: { horzLine: { labelVisible: false, visible: false } },
    handleScale: false,
    handleScroll: false,
  });
  const series = chart.addAreaSeries({
    lineColor: line, lineWidth: 2, topColor: `${line}40`, bottomColor: `${line}00`, priceLineVisible: false,
  });
  series.setData(points);
  series.createPriceLine({ price: base, color: colour("faint"), lineWidth: 1, lineStyle: 2, axisLabelVisible: false });
  chart.timeScale().fitContent();
  return chart;
}
