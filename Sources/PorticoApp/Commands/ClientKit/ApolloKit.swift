extension ClientKit {
    /// The cache of Apollo Client.
    var apolloCache: File {
        let possible = possibleTypes.map { "  \($0.name): \(Self.literals($0.types)),\n" }.joined()
        let embedded = embeddedTypes.map { "  \($0): { keyFields: false },\n" }.joined()
        let connections = connectionFields { type, fields in
            "  \(type): { fields: { \(fields) } },\n"
        } _: { connection in
            "relayStylePagination(\(Self.literals(connection.keyArguments)))"
        }
        return File(
            name: "cache.ts",
            text: Self.header + """

                import { InMemoryCache, type TypePolicies } from "@apollo/client";
                import { relayStylePagination } from "@apollo/client/utilities";

                /** The types of each interface, so that fragments on interfaces match. */
                export const possibleTypes: Record<string, string[]> = {
                \(possible)};

                export const typePolicies: TypePolicies = {
                  // Lists that are read in pages: a further page is added to the list.
                \(connections)  // Objects without an id belong to the object that contains them.
                \(embedded)};

                export function createCache(): InMemoryCache {
                  return new InMemoryCache({ possibleTypes, typePolicies });
                }

                """)
    }

    /// Apollo Client 4 with a token, subscriptions and partial data.
    var apolloClient: File {
        File(
            name: "client.ts",
            text: Self.header + #"""

                import { ApolloClient, ApolloLink, CombinedGraphQLErrors, HttpLink } from "@apollo/client";
                import { SetContextLink } from "@apollo/client/link/context";
                import { ErrorLink } from "@apollo/client/link/error";
                import { GraphQLWsLink } from "@apollo/client/link/subscriptions";
                import { createClient, type Client as SocketClient } from "graphql-ws";
                import { OperationTypeNode } from "graphql";
                import { createCache } from "./cache";

                export interface PorticoOptions {
                  /** The address of the endpoint, such as https://portico.example.com/graphql. */
                  url: string;
                  /** The token of the session; null without a session. It is read for each request. */
                  token: () => string | null;
                  /** Called when the session has ended: forget the token and let the user sign in. */
                  onSessionEnd?: () => void;
                  /**
                   * How subscriptions are sent: "multipart" over HTTP, which needs no other connection, or "websocket".
                   * The default is "multipart".
                   */
                  subscriptions?: "multipart" | "websocket";
                  /** The name and version of the application, for the server's metrics and logs. */
                  application?: { name: string; version?: string };
                  /** Inserted before the requests are sent, such as a PersistedQueryLink for trusted documents. */
                  link?: ApolloLink;
                }

                export function createPortico(options: PorticoOptions): ApolloClient {
                  const authorization = new SetContextLink((context) => {
                    const token = options.token();
                    return token ? { headers: { ...context.headers, authorization: `Bearer ${token}` } } : {};
                  });

                  // A request whose token has ended gets data for public fields, and UNAUTHENTICATED for the others.
                  const sessionEnd = new ErrorLink(({ error }) => {
                    if (!options.token() || !CombinedGraphQLErrors.is(error)) return;
                    if (error.errors.some((one) => one.extensions?.code === "UNAUTHENTICATED")) options.onSessionEnd?.();
                  });

                  const http = new HttpLink({ uri: options.url });
                  const transport =
                    options.subscriptions === "websocket"
                      ? ApolloLink.split(
                          ({ operationType }) => operationType === OperationTypeNode.SUBSCRIPTION,
                          new GraphQLWsLink(createSocket(options)),
                          http,
                        )
                      : http;

                  const links = [sessionEnd, authorization, ...(options.link ? [options.link] : []), transport];
                  return new ApolloClient({
                    link: ApolloLink.from(links),
                    cache: createCache(),
                    clientAwareness: options.application,
                    defaultOptions: {
                      // Portico returns all fields that succeed, and an error for each field that fails. Without "all"
                      // one failed provider would hide the data of the others.
                      watchQuery: { errorPolicy: "all" },
                      query: { errorPolicy: "all" },
                      mutate: { errorPolicy: "all" },
                    },
                  });
                }

                /** A WebSocket that connects again, with the present token, until the page is closed. */
                function createSocket(options: PorticoOptions): SocketClient {
                  return createClient({
                    url: options.url.replace(/^http/, "ws"),
                    // Browsers cannot send headers with a WebSocket; Portico reads the token from connection_init.
                    connectionParams: () => {
                      const token = options.token();
                      return token ? { authorization: `Bearer ${token}` } : {};
                    },
                    keepAlive: 15_000,
                    retryAttempts: Infinity,
                    shouldRetry: () => true,
                  });
                }

                """#)
    }
}
