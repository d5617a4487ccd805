// The report of a response: its HTTP data, and the upstream calls of its parts if the server reports them.

import { element, time } from "/explorer/elements.js";
import { drawWaterfall, partsShown } from "/explorer/waterfall.js";

export class Report {
  element = element("div", "report");
  #line = element("p", "line");
  #upstream = element("section", "upstream");
  #events = 0;
  #start = 0;
  /** The parts of the response up to now, for the waterfall. */
  #parts = [];

  constructor() {
    this.#line.setAttribute("role", "status");
    this.#upstream.setAttribute("aria-label", "Upstream calls");
    // It scrolls, so the keyboard must reach it.
    this.#upstream.tabIndex = 0;
    this.element.append(this.#upstream, this.#line);
    this.clear();
  }

  clear() {
    this.#line.replaceChildren();
    this.#show([]);
  }

  /** A request is sent. */
  begin() {
    this.#events = 0;
    this.#start = performance.now();
    this.#show([]);
    this.#tell("busy", "asking …");
  }

  /** A part of a response has arrived. */
  part({ payload, parts, milliseconds }) {
    const portico = payload.extensions?.portico;
    const name = this.#parts.length === 0 ? "first payload" : nameOf(parts);
    this.#parts.push({ durationMs: milliseconds, upstream: [], ...portico, name });
    // Parts that the waterfall does not list are drawn once, at the end.
    if (this.#parts.length <= partsShown) this.#show(this.#parts);
    this.#tell("busy", counted(this.#parts.length, "payload"), `last after ${time(milliseconds)}`, payload.hasNext && "waiting for more …");
  }

  /** A response is complete. */
  answered({ answer, status, headers, bytes, milliseconds }) {
    const count = this.#parts.length;
    this.#show(count > 0 ? this.#parts : answer.extensions?.portico ? [answer.extensions.portico] : []);
    const errors = answer.errors?.length ?? 0;
    this.#tell(
      answer.data == null ? "bad" : errors > 0 ? "partial" : "good", String(status),
      errors > 0 && counted(errors, "error"), count > 0 && counted(count, "payload"),
      time(milliseconds), size(bytes), headers.get("cache-control"), headers.get("age") && `age ${headers.get("age")} s`);
  }

  /** A stream is open. */
  opened(response) {
    this.#tell("busy", String(response.status), "waiting for the first event …");
  }

  /** A response of a stream has arrived. */
  event(answer) {
    this.#events += 1;
    this.#show(answer.extensions?.portico ? [answer.extensions.portico] : []);
    this.#tell(
      answer.errors ? "partial" : "live", "live", counted(this.#events, "event"), `last at ${new Date().toLocaleTimeString()}`);
  }

  ended(how) {
    const count = this.#parts.length;
    const what = this.#events > 0 || count === 0 ? counted(this.#events, "event") : counted(count, "payload");
    this.#tell("good", how, what, `after ${time(performance.now() - this.#start)}`);
  }

  failed(error) {
    this.#tell("bad", error.message);
  }

  #tell(state, badge, ...facts) {
    this.#line.className = `line ${state}`;
    const texts = facts.filter(Boolean).map((fact) => element("span", "fact", fact));
    this.#line.replaceChildren(element("span", "badge", badge), ...texts);
  }

  #show(parts) {
    this.#parts = parts;
    this.#upstream.hidden = parts.length === 0;
    this.#upstream.replaceChildren(...(parts.length > 0 ? drawWaterfall(parts) : []));
  }
}

/** The labels or paths of the parts in a payload, each once with its number: a fragment in a list is a part for each item. */
function nameOf(parts) {
  const counts = new Map();
  for (const { path, label } of parts) {
    const name = label ?? (path.filter((step) => typeof step === "string").join(".") || "the operation");
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  const names = [...counts].map(([name, count]) => (count > 1 ? `${name} × ${count}` : name));
  return names.length > 2 ? `${names.slice(0, 2).join(", ")} and ${names.length - 2} more` : names.join(", ") || "end";
}

function counted(count, noun) {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}

function size(bytes) {
  return bytes < 1000 ? `${bytes} B` : `${(bytes / 1000).toFixed(1)} kB`;
}
