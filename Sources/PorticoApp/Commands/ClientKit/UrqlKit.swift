extension ClientKit {
    /// The normalised cache of urql (Graphcache).
    var urqlCache: File {
        let keys = embeddedTypes.map { "  \($0): () => null,\n" }.joined()
        let connections = connectionFields { type, fields in
            "  \(type): { \(fields) },\n"
        } _: { _ in
            "relayPagination()"
        }
        return File(
            name: "cache.ts",
            text: Self.header + """

                import { cacheExchange, type KeyingConfig, type ResolverConfig } from "@urql/exchange-graphcache";
                import { relayPagination } from "@urql/exchange-graphcache/extras";
                import type { Exchange } from "@urql/core";

                /** Objects without an id belong to the object that contains them. */
                export const keys: KeyingConfig = {
                \(keys)};

                /** Lists that are read in pages: a further page is added to the list. */
                export const resolvers: ResolverConfig = {
                \(connections)};

                export function createCache(): Exchange {
                  return cacheExchange({ keys, resolvers });
                }

                """)
    }

    /// urql with a token, subscriptions and partial data.
    var urqlClient: File {
        File(
            name: "client.ts",
            text: Self.header + #"""

                import { Client, fetchExchange, type Exchange } from "@urql/core";
                import { authExchange } from "@urql/exchange-auth";
                import { createCache } from "./cache";

                export interface PorticoOptions {
                  /** The address of the endpoint, such as https://portico.example.com/graphql. */
                  url: string;
                  /** The token of the session; null without a session. It is read for each request. */
                  token: () => string | null;
                  /** Called when the session has ended: forget the token and let the user sign in. */
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
                  const session = authExchange(async (utils) => ({
                    addAuthToOperation(operation) {
                      const token = options.token();
                      return token ? utils.appendHeaders(operation, { Authorization: `Bearer ${token}` }) : operation;
                    },
                    didAuthError(error) {
                      return options.token() !== null && error.graphQLErrors.some((one) => one.extensions.code === "UNAUTHENTICATED");
                    },
                    async refreshAuth() {
                      options.onSessionEnd?.();
                    },
                  }));
                  const { name, version } = options.application ?? {};
                  return new Client({
                    url: options.url,
                    exchanges: [createCache(), session, ...(options.exchanges ?? []), fetchExchange],
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

                """#)
    }
}
