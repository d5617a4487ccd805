import { createClient as createSSE } from "graphql-sse";
import { createClient as createWS } from "graphql-ws";
import type { Answer, App, Library, Page } from "./library.ts";

/** The clients of docs/clients/http.md, which have no kit: their subscriptions. */
const runs = [
  "live data goes on when the session is renewed in another tab",
  "subscriptions go on after a restart, and after the server was killed",
  "a subscription that is invalid ends with an error, and is not sent again",
];

interface Sink {
  next(value: any): void;
  error(error: unknown): void;
  complete(): void;
}

interface Client {
  subscribe(payload: { query: string; variables?: Record<string, unknown> }, sink: Sink): () => void;
  dispose(): void;
}

function app(client: Client): App {
  const answer = ({ data, errors }: any): Answer => ({ data: data ?? null, errors: (errors ?? []).map((one: Error) => one.message) });
  return {
    query: (query, variables) =>
      new Promise((resolve, reject) => {
        let last: Answer | undefined;
        client.subscribe({ query, variables }, {
          next: (value) => (last = answer(value)), error: reject, complete: () => resolve(last!),
        });
      }),
    subscribe: (query, onEvent, onEnd) =>
      client.subscribe({ query }, { next: (value) => onEvent(answer(value)), error: onEnd, complete: () => onEnd() }),
    close: () => client.dispose(),
  };
}

const headers = ({ token }: Page) => {
  const now = token();
  return now ? { authorization: `Bearer ${now}` } : {};
};

export const graphqlWS: Library = {
  name: "graphql-ws",
  runs,
  open: (page) =>
    app(createWS({
      url: page.url.replace(/^http/, "ws"),
      connectionParams: () => headers(page),
      retryAttempts: Infinity,
      shouldRetry: (event: any) => !(event instanceof Error) && event.code !== 4403,
    }) as Client),
};

export const graphqlSSE: Library = {
  name: "graphql-sse",
  runs,
  open: (page) =>
    app(createSSE({ url: page.url, headers: () => headers(page) as Record<string, string>, retryAttempts: 100 }) as Client),
};

export const graphqlSSESingle: Library = {
  name: "graphql-sse, one connection",
  runs,
  // The library sends a request that got 400 again, as often as retryAttempts says.
  lacks: { [runs[2]]: "the library repeats refused requests" },
  open: (page) =>
    app(createSSE({
      url: page.url, headers: () => headers(page) as Record<string, string>, singleConnection: true, retryAttempts: 100,
    }) as Client),
};
