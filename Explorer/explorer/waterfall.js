// The upstream calls of one response, each as a bar from its start to its end.

import { element, time } from "/explorer/elements.js";

/** The descriptions of the outcomes, in the order of the legend. */
const outcomes = {
  FETCHED: "fetched from the provider",
  JOINED: "joined a call that was under way",
  CACHED: "answered from memory",
  STALE: "old value, as nobody answered",
  FAILED: "failed",
};

/**
 * Draws `extensions.portico`.
 *
 * @param portico `{durationMs, upstream: [{provider, call, startMs, durationMs, outcome, status, attempts}], omitted}`;
 *   `omitted` only if not all calls are listed.
 * @returns The elements of the panel.
 */
export function drawWaterfall({ durationMs, upstream, omitted = 0 }) {
  const calls = [...upstream].sort((one, other) => one.startMs - other.startMs);
  const end = Math.max(durationMs, ...calls.map(({ startMs, durationMs }) => startMs + durationMs), 0.1);
  const head = element("header", "");
  head.append(element("h2", "", "Upstream"), element("p", "summary", summary(calls, durationMs, omitted)), key(calls));
  if (calls.length === 0) return [head];
  const list = element("ol", "calls");
  list.append(...calls.map((call) => row(call, end)));
  return [head, axis(end), list];
}

function summary(calls, durationMs, omitted) {
  if (calls.length === 0) return `no provider was needed · ${time(durationMs)}`;
  const sent = calls.filter(({ outcome, attempts }) => ["FETCHED", "FAILED"].includes(outcome) && attempts > 0);
  const reads = calls.length === 1 ? "1 read" : `${calls.length} reads`;
  const callCount = sent.length === 0 ? "no call to a provider" : `${sent.length} ${sent.length === 1 ? "call" : "calls"} to providers`;
  return `${reads}, ${callCount} · ${time(durationMs)}${omitted > 0 ? ` · ${omitted} more are not shown` : ""}`;
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

function row({ provider, call, startMs, durationMs, outcome, status, attempts }, end) {
  const item = element("li", `call ${outcome}`);
  const track = element("span", "track");
  const bar = element("span", "bar");
  bar.style.left = `${(startMs / end) * 100}%`;
  bar.style.width = `${(durationMs / end) * 100}%`;
  track.append(bar);
  const notes = [status != null && outcome === "FAILED" && String(status), attempts > 1 && `${attempts} ×`];
  const name = element("span", "name");
  name.append(element("b", "", provider), element("span", "", call));
  item.append(name, track, element("span", "took", [...notes.filter(Boolean), time(durationMs)].join(" · ")));
  item.title = `${provider} ${call}: ${outcomes[outcome] ?? outcome}, from ${time(startMs)} on, for ${time(durationMs)}`
    + `${status != null ? `, status ${status}` : ""}${attempts > 1 ? `, ${attempts} attempts` : ""}`;
  return item;
}
