// The line of the day, by Lightweight Charts.

/**
 * Draws an account's history.
 *
 * @param place Has a size already.
 * @param history `{baseValue, points: [{time, equity}]}`, or null where it could not be read.
 */
export function drawEquity(place, history, currency) {
  let chart = draw(place, history, currency);
  // The library is given colours, not their names, so it is drawn anew when day turns to night.
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
    chart?.remove();
    chart = draw(place, history, currency);
  });
}

/** Null where there is no line yet. */
function draw(place, history, currency) {
  if (!window.LightweightCharts) {
    place.textContent = "The chart library is not here: fetch it by `make explorer`, and start Portico again.";
    return null;
  }
  const points = (history?.points ?? []).filter(({ equity }) => equity != null)
    .map(({ time, equity }) => ({ time: Math.floor(Date.parse(time) / 1000), value: Number(equity) }));
  if (points.length < 2) {
    place.textContent = "There is no line for today yet.";
    return null;
  }
  const base = history.baseValue == null ? points[0].value : Number(history.baseValue);
  const style = getComputedStyle(place);
  const colour = (name) => style.getPropertyValue(`--${name}`).trim();
  const line = points.at(-1).value >= base ? colour("up") : colour("down");
  const clock = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit" });
  const amount = new Intl.NumberFormat("en-US", { style: "currency", currency });
  const chart = LightweightCharts.createChart(place, {
    autoSize: true,
    layout: { background: { color: "transparent" }, textColor: colour("quiet"), fontFamily: style.fontFamily, fontSize: 11 },
    grid: { vertLines: { visible: false }, horzLines: { color: colour("line") } },
    rightPriceScale: { borderVisible: false, scaleMargins: { top: 0.12, bottom: 0.08 } },
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
