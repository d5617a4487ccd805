// Written by `portico client-kit`. Run the command again to update it; do not edit it.
// SHA-256 of the lines below: 9ad887f0745acafd7de50cd6f1d92b39bef1d93165de7a6762001bcb35faa46c

import { createClient, type Client } from "graphql-ws";
import { pause, type Session } from "./session";

/** The WebSocket of all subscriptions; it connects again after it was closed, and sends them again. */
export interface Socket {
  client: Client;
  /** The token that the socket was opened with. */
  token: () => string | null;
  /** Connects again if the page has another token since. */
  update: () => void;
}

export function createSocket(url: string, session: Session): Socket {
  let token: string | null = null;
  let answer: ReturnType<typeof setTimeout> | undefined;
  const client = createClient({
    url: url.replace(/^http/, "ws"),
    // Browsers cannot send headers with a WebSocket; Portico reads the token from connection_init.
    connectionParams: () => {
      token = session.token();
      return token ? { authorization: `Bearer ${token}` } : {};
    },
    retryAttempts: Infinity,
    retryWait: (attempt) => new Promise((resolve) => setTimeout(resolve, pause(attempt))),
    // Only a connection that closed or could not be opened is opened again; an error of the client would occur again at
    // once. 4403 is the end of the session.
    shouldRetry: (event) => isConnectionEvent(event) && (event.code !== 4403 || session.refuses(token)),
    keepAlive: 15_000,
    on: {
      // A connection that was cut without a close event gives no answer.
      ping: (isReceived) => {
        if (!isReceived) answer = setTimeout(() => client.terminate(), 10_000);
      },
      pong: (isReceived) => {
        if (isReceived) clearTimeout(answer);
      },
      closed: () => clearTimeout(answer),
    },
  });
  return {
    client,
    token: () => token,
    update: () => {
      if (token !== session.token()) client.terminate();
    },
  };
}

/** Whether it is an event of the WebSocket, `close` or `error`, and no error of the client. */
function isConnectionEvent(event: unknown): event is { type?: string; code?: number } {
  return typeof event === "object" && event !== null && !(event instanceof Error) && ("code" in event || "type" in event);
}
