// Written by `portico client-kit`. Run the command again to update it; do not edit it.
// SHA-256 of the lines below: 925f6e0311c661a315de627dc13b26c90cf17187214bff4faacb65a797c1e232

import { Client, fetchExchange, type CombinedError, type Exchange, type Operation } from "@urql/core";
import { authExchange } from "@urql/exchange-auth";
import { retryExchange } from "@urql/exchange-retry";
import { createCache } from "./cache";
import { isUnauthenticated, Session } from "./session";

export interface PorticoOptions {
  /** The address of the endpoint, such as https://portico.example.com/graphql. */
  url: string;
  /** The token of the session; null without a session. It is read for each request. */
  token: () => string | null;
  /** Called once when the session has ended: forget the token and let the user sign in. */
  onSessionEnd?: () => void;
  /** The name and version of the application, for the server's metrics and logs. */
  application?: { name: string; version?: string };
  /** Inserted before the requests are sent, such as persistedExchange for trusted documents. */
  exchanges?: Exchange[];
}

/**
 * A result has `data` and `error` if some fields failed: Portico returns all fields that succeed. Show both.
 */
export function createPortico(options: PorticoOptions): Client {
  const session = new Session(options.token, options.onSessionEnd);
  const authorization = authExchange(async (utils) => ({
    addAuthToOperation(operation) {
      const token = session.token();
      return utils.appendHeaders(operation, {
        ...(token ? { Authorization: `Bearer ${token}` } : {}),
        // The parts of @defer in the format of urql.
        ...(operation.kind === "query" ? { Accept: accept } : {}),
      });
    },
    // Sent again if the page has another token since, except a mutation.
    didAuthError(error, operation) {
      return isUnauthenticated(error.graphQLErrors) && session.handleUnauthenticated(sentToken(operation)) && operation.kind !== "mutation";
    },
    async refreshAuth() {},
  }));
  // Subscribes again after the connection was lost; the first event is the current value.
  const reconnection = retryExchange({
    initialDelayMs: 500,
    maxDelayMs: 15_000,
    maxNumberAttempts: Infinity,
    retryIf: (error, operation) => operation.kind === "subscription" && isRetryable(error),
  });
  const { name, version } = options.application ?? {};
  return new Client({
    url: options.url,
    exchanges: [createCache(), reconnection, authorization, ...(options.exchanges ?? []), fetchExchange],
    // Subscriptions are server-sent events of the same endpoint.
    fetchSubscriptions: true,
    preferGetMethod: false,
    fetchOptions: {
      headers: {
        ...(name ? { "graphql-client-name": name } : {}),
        ...(version ? { "graphql-client-version": version } : {}),
      },
    },
  });
}

const accept = "multipart/mixed; deferSpec=20220824, application/graphql-response+json, application/json";

/** The token that an operation was sent with. */
function sentToken(operation: Operation): string | null {
  const options = operation.context.fetchOptions;
  const headers = (typeof options === "function" ? options() : options)?.headers as Record<string, string> | undefined;
  return headers?.Authorization?.replace("Bearer ", "") ?? null;
}

/** Whether a connection failed, or the server is being restarted, so that another attempt can succeed. */
function isRetryable(error: CombinedError): boolean {
  const status: number = error.response?.status ?? 0;
  return status >= 500 || status === 429 || (error.networkError !== undefined && status < 400);
}
