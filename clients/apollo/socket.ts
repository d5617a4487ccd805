// Written by `portico client-kit`. Run the command again to update it; do not edit it.
// SHA-256 of the lines below: 52e5211432d9fb39b1fcd71842a4da6618aec189d67073743efc91852ee47db8

import { createClient, type Client } from "graphql-ws";
import { retryDelay, type Session } from "./session";

/** The WebSocket of all subscriptions; it connects again after it was closed, and sends them again. */
export interface Socket {
  client: Client;
  /** The token that the socket was opened with. */
  token: () => string | null;
  /** Connects again if the page has another token since. */
  reconnect: () => void;
}

export function createSocket(url: string, session: Session): Socket {
  let token: string | null = null;
  let pongTimeout: ReturnType<typeof setTimeout> | undefined;
  const client = createClient({
    url: url.replace(/^http/, "ws"),
    // Browsers cannot send headers with a WebSocket; Portico reads the token from connection_init.
    connectionParams: () => {
      token = session.token();
      return token ? { authorization: `Bearer ${token}` } : {};
    },
    retryAttempts: Infinity,
    retryWait: (attempt) => new Promise((resolve) => setTimeout(resolve, retryDelay(attempt))),
    // Only a connection that closed or could not be opened is opened again; an error of the client would occur again at
    // once. 4403 is the end of the session.
    shouldRetry: (event) => isConnectionEvent(event) && (event.code !== 4403 || session.handleUnauthenticated(token)),
    keepAlive: 15_000,
    on: {
      // After a ping without a pong, the connection was lost without a close event.
      ping: (isReceived) => {
        if (!isReceived) pongTimeout = setTimeout(() => client.terminate(), 10_000);
      },
      pong: (isReceived) => {
        if (isReceived) clearTimeout(pongTimeout);
      },
      closed: () => clearTimeout(pongTimeout),
    },
  });
  return {
    client,
    token: () => token,
    reconnect: () => {
      if (token !== session.token()) client.terminate();
    },
  };
}

/** Whether it is an event of the WebSocket, `close` or `error`, and no error of the client. */
function isConnectionEvent(event: unknown): event is { type?: string; code?: number } {
  return typeof event === "object" && event !== null && !(event instanceof Error) && ("code" in event || "type" in event);
}
