// The report of a response: its HTTP data, and its upstream calls if the server reports them.

import { element, time } from "/explorer/elements.js";
import { drawWaterfall } from "/explorer/waterfall.js";

export class Report {
  element = element("div", "report");
  #line = element("p", "line");
  #upstream = element("section", "upstream");
  #events = 0;
  #start = 0;

  constructor() {
    this.#line.setAttribute("role", "status");
    this.#upstream.setAttribute("aria-label", "Upstream calls");
    this.element.append(this.#upstream, this.#line);
    this.clear();
  }

  clear() {
    this.#line.replaceChildren();
    this.#showUpstream(null);
  }

  /** A request is sent. */
  begin() {
    this.#events = 0;
    this.#start = performance.now();
    this.#showUpstream(null);
    this.#tell("busy", "asking …");
  }

  /** A single response has arrived. */
  answered({ answer, status, headers, bytes, milliseconds }) {
    this.#showUpstream(answer.extensions?.portico);
    const errors = answer.errors?.length ?? 0;
    this.#tell(
      answer.data == null ? "bad" : errors > 0 ? "partial" : "good", String(status),
      errors > 0 && `${errors} ${errors === 1 ? "error" : "errors"}`,
      time(milliseconds), size(bytes), headers.get("cache-control"), headers.get("age") && `age ${headers.get("age")} s`);
  }

  /** A stream is open. */
  opened(response) {
    this.#tell("busy", String(response.status), "waiting for the first event …");
  }

  /** A response of a stream has arrived. */
  event(answer) {
    this.#events += 1;
    this.#showUpstream(answer.extensions?.portico);
    this.#tell(
      answer.errors ? "partial" : "live", "live", this.#counted(), `last at ${new Date().toLocaleTimeString()}`);
  }

  ended(how) {
    this.#tell("good", how, this.#counted(), `after ${time(performance.now() - this.#start)}`);
  }

  failed(error) {
    this.#tell("bad", error.message);
  }

  #counted() {
    return `${this.#events} ${this.#events === 1 ? "event" : "events"}`;
  }

  #tell(state, badge, ...facts) {
    this.#line.className = `line ${state}`;
    const texts = facts.filter(Boolean).map((fact) => element("span", "fact", fact));
    this.#line.replaceChildren(element("span", "badge", badge), ...texts);
  }

  #showUpstream(portico) {
    this.#upstream.hidden = !portico;
    this.#upstream.replaceChildren(...(portico ? drawWaterfall(portico) : []));
  }
}

function size(bytes) {
  return bytes < 1000 ? `${bytes} B` : `${(bytes / 1000).toFixed(1)} kB`;
}
