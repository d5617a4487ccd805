extension ClientKit {
    /// The token of a page, and the pauses between attempts to connect; for all kits in TypeScript.
    var session: File {
        File(
            name: "session.ts",
            text: Self.header + #"""

                /** The token of the page, and its end. Several operations, and other tabs, can renew or end it at the same time. */
                export class Session {
                  private ended: string | null = null;

                  constructor(
                    readonly token: () => string | null,
                    private readonly onEnd?: () => void,
                  ) {}

                  /**
                   * Handles UNAUTHENTICATED for an operation.
                   *
                   * @param sent The token that the operation was sent with.
                   * @returns true if the page has another token since: send the operation again. Otherwise the session has ended, which is
                   *   reported once.
                   */
                  handleUnauthenticated(sent: string | null): boolean {
                    const token = this.token();
                    if (sent !== token) return token !== null;
                    if (token !== null && token !== this.ended) {
                      this.ended = token;
                      this.onEnd?.();
                    }
                    return false;
                  }
                }

                /** An error of a response. */
                interface ResponseError {
                  path?: readonly (string | number)[];
                  extensions?: Record<string, unknown>;
                }

                /** Mutations whose UNAUTHENTICATED means wrong credentials or a refused sign-in: the session of the page goes on. */
                const signIns: unknown[] = ["signIn", "completeSignIn"];

                /**
                 * Whether an operation was refused because its token has ended; fields that need no session have their values. Do not give these
                 * mutations an alias, which would hide them here.
                 */
                export function isUnauthenticated(errors: readonly ResponseError[] = []): boolean {
                  return errors.some(
                    (error) => error.extensions?.code === "UNAUTHENTICATED" && !signIns.includes(error.path?.[0]),
                  );
                }

                /** The milliseconds before an attempt to connect again: up to 15 s, random, so that clients do not connect at the same time. */
                export function retryDelay(attempt: number): number {
                  return Math.min(15_000, 500 * 2 ** Math.min(attempt, 5)) * (0.5 + Math.random() / 2);
                }

                """#)
    }

    /// The WebSocket of the subscriptions, by graphql-ws.
    var socket: File {
        File(
            name: "socket.ts",
            text: Self.header + #"""

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

                """#)
    }
}
