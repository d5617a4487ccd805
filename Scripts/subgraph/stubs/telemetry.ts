// Tracing and usage reports, without effect.
class Message {
  nodes = [];
  constructor(fields: object = {}) {
    Object.assign(this, fields);
  }
}
const parts = ["SequenceNode", "ParallelNode", "FlattenNode", "ResponsePathElement", "FetchNode", "ConditionNode"];
export class Trace extends Message {
  static QueryPlanNode: any = Object.assign(class extends Message {}, Object.fromEntries(parts.map((part) => [part, Message])));
}
export const google = {};

export const SpanStatusCode = { ERROR: 2 };
export const OpenTelemetrySpanNames = {};
export const recordExceptions = () => {};
const span = { end() {}, setStatus() {} };
export const tracer = { startActiveSpan: (...parameters: any[]) => parameters.at(-1)(span) };
