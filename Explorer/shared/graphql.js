// GraphQL over HTTP with the server of the page: a single response by POST, several as server-sent events.

const endpoint = "/graphql";

/**
 * Sends a request. A response with errors is returned; without a response it throws.
 *
 * @param operation `{query, variables, operationName}`
 * @param options `headers` in addition to those of the protocol, and an `AbortSignal` as `signal`.
 * @returns The response and its HTTP data: `{answer, status, headers, bytes, milliseconds}`.
 */
export async function sendRequest(operation, { headers = {}, signal } = {}) {
  const start = performance.now();
  const response = await post(operation, headers, "application/graphql-response+json, application/json;q=0.9", signal);
  const text = await response.text();
  const milliseconds = performance.now() - start;
  return {
    answer: parse(text, response),
    status: response.status,
    headers: response.headers,
    bytes: new TextEncoder().encode(text).length,
    milliseconds,
  };
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
