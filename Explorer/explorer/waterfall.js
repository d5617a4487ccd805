// The upstream calls of one response, each as a bar from its start to its end, below the part of the response to which
// they belong.

import { element, time } from "/explorer/elements.js";

/** The descriptions of the outcomes, in the order of the legend. */
const outcomes = {
  FETCHED: "fetched from the provider",
  JOINED: "joined a call that was under way",
  CACHED: "answered from memory",
  STALE: "old value, as nobody answered",
  FAILED: "failed",
};

/** The maximum number of parts in the waterfall: a stream can have one for each item. */
export const partsShown = 50;

/**
 * Draws `extensions.portico` of one response, or of its parts.
 *
 * @param parts `{durationMs, upstream: [{provider, call, startMs, durationMs, outcome, status, attempts}], omitted, name}`,
 *   in the order of arrival; `omitted` only if not all calls are listed, `name` only if there are several. All times count
 *   from the start of the operation.
 * @returns The elements of the panel.
 */
export function drawWaterfall(parts) {
  const calls = parts.flatMap(({ upstream }) => upstream);
  const duration = Math.max(...parts.map(({ durationMs }) => durationMs));
  const end = Math.max(duration, ...calls.map(({ startMs, durationMs }) => startMs + durationMs), 0.1);
  const head = element("header", "");
  head.append(element("h2", "", "Upstream"), element("p", "summary", summary(parts, calls, duration)), key(calls));
  const isDivided = parts.length > 1;
  if (calls.length === 0 && !isDivided) return [head];
  const list = element("ol", "calls");
  for (const part of parts.slice(0, partsShown)) {
    if (isDivided) list.append(arrival(part, end));
    const sorted = [...part.upstream].sort((one, other) => one.startMs - other.startMs);
    list.append(...sorted.map((call) => row(call, end, isDivided ? part.durationMs : null)));
  }
  const plot = element("div", "plot");
  plot.append(axis(end), list);
  return [head, plot];
}

function summary(parts, calls, duration) {
  const omitted = parts.reduce((sum, { omitted = 0 }) => sum + omitted, 0);
  const payloads = parts.length === 1 ? [] : [
    `${parts.length} payloads, the first after ${time(parts[0].durationMs)}`,
    parts.length > partsShown && `${parts.length - partsShown} payloads are not shown`,
  ];
  const more = [...payloads, omitted > 0 && `${omitted} more are not shown`].filter(Boolean).map((text) => ` · ${text}`).join("");
  if (calls.length === 0) return `no provider was needed · ${time(duration)}${more}`;
  const sent = calls.filter(({ outcome, attempts }) => ["FETCHED", "FAILED"].includes(outcome) && attempts > 0);
  const reads = calls.length === 1 ? "1 read" : `${calls.length} reads`;
  const callCount = sent.length === 0 ? "no call to a provider" : `${sent.length} ${sent.length === 1 ? "call" : "calls"} to providers`;
  return `${reads}, ${callCount} · ${time(duration)}${more}`;
}

/** A row with the time at which a part arrived; the rows of its calls follow. */
function arrival({ name, durationMs, upstream }, end) {
  const item = element("li", "part");
  const track = element("span", "track");
  track.append(mark(durationMs, end));
  item.append(element("span", "name", name), track, element("span", "took", time(durationMs)));
  const reads = upstream.length === 0 ? "no read" : upstream.length === 1 ? "1 read" : `${upstream.length} reads`;
  item.title = `${name}: after ${time(durationMs)}, with ${reads}`;
  return item;
}

/** The line at the time of a part. */
function mark(time, end) {
  const line = element("span", "arrival");
  line.style.left = `${(time / end) * 100}%`;
  return line;
}

/** The outcomes in the waterfall, with their colours. */
function key(calls) {
  const list = element("ul", "key");
  for (const [outcome, meaning] of Object.entries(outcomes)) {
    const count = calls.filter((call) => call.outcome === outcome).length;
    if (count === 0) continue;
    const item = element("li", outcome, `${count} ${outcome.toLowerCase()}`);
    item.title = meaning;
    list.append(item);
  }
  return list;
}

/** The time axis with four steps. */
function axis(end) {
  const scale = element("div", "axis");
  const marks = element("div", "marks");
  for (const part of [0, 0.25, 0.5, 0.75, 1]) {
    const mark = element("span", "", part === 0 ? "0" : time(end * part));
    mark.style.left = `${part * 100}%`;
    marks.append(mark);
  }
  scale.append(marks);
  scale.setAttribute("aria-hidden", "true");
  return scale;
}

function row({ provider, call, startMs, durationMs, outcome, status, attempts }, end, arrivalTime) {
  const item = element("li", `call ${outcome}`);
  const track = element("span", "track");
  const bar = element("span", "bar");
  bar.style.left = `${(startMs / end) * 100}%`;
  bar.style.width = `${(durationMs / end) * 100}%`;
  track.append(bar);
  if (arrivalTime != null) track.append(mark(arrivalTime, end));
  const notes = [status != null && outcome === "FAILED" && String(status), attempts > 1 && `${attempts} ×`];
  const name = element("span", "name");
  name.append(element("b", "", provider), element("span", "", call));
  const took = element("span", "took");
  took.append(element("span", "notes", notes.filter(Boolean).map((note) => `${note} · `).join("")), time(durationMs));
  item.append(name, track, took);
  item.title = `${provider} ${call}: ${outcomes[outcome] ?? outcome}, from ${time(startMs)} on, for ${time(durationMs)}`
    + `${status != null ? `, status ${status}` : ""}${attempts > 1 ? `, ${attempts} attempts` : ""}`;
  return item;
}
