// GraphQL over HTTP with the server of the page: a single response by POST, several as server-sent events, the parts of
// one response as a multipart body.

import { IncrementalAnswer } from "/shared/incremental.js";

const endpoint = "/graphql";
const single = "application/graphql-response+json, application/json;q=0.9";
const incremental = "multipart/mixed;incrementalSpec=v0.2";

/**
 * Sends a request. A response with errors is returned; without a response it throws.
 *
 * @param operation `{query, variables, operationName}`
 * @param options `headers` in addition to those of the protocol; an `AbortSignal` as `signal`; `part`, which requests the
 *   parts of `@defer` and `@stream` as they arrive, and is called with each: `{answer, payload, parts, milliseconds}`, the
 *   response up to now, the payload, the parts in it as `{path, label}`, and its time since the start of the request.
 * @returns The complete response and its HTTP data: `{answer, status, headers, bytes, milliseconds}`.
 */
export async function sendRequest(operation, { headers = {}, signal, part } = {}) {
  const start = performance.now();
  const response = await post(operation, headers, part ? `${incremental}, ${single}` : single, signal);
  const about = { status: response.status, headers: response.headers };
  const isMultipart = response.headers.get("content-type")?.startsWith("multipart/mixed");
  if (!isMultipart) {
    const text = await response.text();
    return { ...about, answer: parse(text, response), bytes: size(text), milliseconds: performance.now() - start };
  }
  const merged = new IncrementalAnswer();
  let bytes = 0;
  for await (const text of bodies(response)) {
    bytes += size(text);
    const payload = parse(text, response);
    const parts = merged.add(payload);
    part({ answer: merged.answer, payload, parts, milliseconds: performance.now() - start });
  }
  return { ...about, answer: merged.answer, bytes, milliseconds: performance.now() - start };
}

/**
 * Runs a subscription.
 *
 * @param listener `opened(response)`, optional; `next(answer)` for each response; `completed()` when the server
 *   completes the stream; `failed(error)` if the connection ends before that, after which the caller can reconnect.
 * @returns A function that ends it.
 */
export function openStream(operation, { headers = {} } = {}, listener) {
  const abort = new AbortController();
  const end = async () => {
    const response = await post(operation, headers, "text/event-stream, application/json;q=0.9", abort.signal);
    listener.opened?.(response);
    if (!response.headers.get("content-type")?.startsWith("text/event-stream")) {
      listener.next(parse(await response.text(), response));
      return listener.completed();
    }
    for await (const event of events(response.body)) {
      if (event.type === "next") listener.next(JSON.parse(event.data));
      if (event.type === "complete") return listener.completed();
    }
    throw new Error("The connection ended before the subscription did.");
  };
  end().catch((error) => {
    if (!abort.signal.aborted) listener.failed(error);
  });
  return () => abort.abort();
}

function post(operation, headers, accept, signal) {
  return fetch(endpoint, {
    method: "POST",
    // Only a token identifies the user.
    credentials: "omit",
    headers: { ...headers, accept, "content-type": "application/json" },
    body: JSON.stringify(operation),
    signal,
  });
}

function parse(text, response) {
  try {
    return JSON.parse(text);
  } catch {
    throw new Error(`The server answered ${response.status} with no JSON: ${text.slice(0, 200)}`);
  }
}

function size(text) {
  return new TextEncoder().encode(text).length;
}

/** The bodies of the parts of a multipart response (RFC 2046, section 5.1), each when its delimiter has arrived. */
async function* bodies(response) {
  const delimiter = `\r\n--${response.headers.get("content-type").match(/boundary="?([^";]+)/)?.[1] ?? "-"}`;
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  let isStarted = false;
  for (;;) {
    const { value, done } = await reader.read();
    if (done) throw new Error("The connection ended before the response did.");
    const texts = (rest + value).split(delimiter);
    rest = texts.pop();
    for (const text of texts) {
      // Before the first delimiter there is no part.
      if (isStarted) yield text.slice(text.indexOf("\r\n\r\n") + 4);
      isStarted = true;
    }
    if (isStarted && rest.startsWith("--")) return;
  }
}

/** The events of a stream (HTML standard, "Server-sent events"); comments are ignored. */
async function* events(body) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    const blocks = (rest + value).split(/\r?\n\r?\n/);
    rest = blocks.pop();
    for (const block of blocks) {
      const fields = block.split(/\r?\n/).map((line) => line.match(/^(event|data):\s?(.*)$/)).filter(Boolean);
      const type = fields.find(([, name]) => name === "event")?.[2];
      if (type) yield { type, data: fields.filter(([, name]) => name === "data").map(([, , text]) => text).join("\n") };
    }
  }
}
