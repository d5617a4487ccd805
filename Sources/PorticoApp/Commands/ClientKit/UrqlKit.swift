import GraphQL

extension ClientKit {
    /// The normalised cache of urql (Graphcache).
    var urqlCache: File {
        let keys = embeddedTypes.map { "  \($0): () => null,\n" }.joined()
        let connections = connectionFields { type, fields in
            "  \(type): { \(fields) },\n"
        } _: { _ in
            "pages()"
        }
        return File(
            name: "cache.ts",
            text: Self.header + """

                import { cacheExchange, type KeyingConfig, type Resolver, type ResolverConfig } from "@urql/exchange-graphcache";
                import { relayPagination } from "@urql/exchange-graphcache/extras";
                import type { Exchange } from "@urql/core";
                import { schema } from "./schema";

                /** Objects without an id belong to the object that contains them. */
                export const keys: KeyingConfig = {
                \(keys)};

                /** Lists that are read in pages: a further page is added to the list. */
                export const resolvers: ResolverConfig = {
                \(connections)};

                /** Adds a further page to the list; one that failed leaves the list as it is. */
                function pages(): Resolver {
                  const resolve = relayPagination();
                  return (parent, args, cache, info) =>
                    resolve(parent, args, cache, info) ??
                    (info.error && args.after != null ? resolve(parent, { ...args, after: undefined }, cache, info) : undefined);
                }

                export function createCache(): Exchange {
                  return cacheExchange({ schema, keys, resolvers });
                }

                """)
    }

    /// The schema for Graphcache: an introspection of the types with fields, as `minifyIntrospectionQuery` of
    /// `@urql/introspection` writes it.
    var urqlSchema: File {
        func root(_ id: TypeID?) -> String {
            id.map { Self.object([("name", Self.literal(schema[$0].name))]) } ?? "null"
        }
        let types = schema.types.filter { $0.isComposite && !$0.name.hasPrefix("__") }.map { type in
            "      \(introspection(of: type)),\n"
        }.joined()
        return File(
            name: "schema.ts",
            text: Self.header + """

                import type { CacheExchangeOpts } from "@urql/exchange-graphcache";

                /** Which fields can be null: a field that failed does not remove the rest of a response. */
                export const schema: CacheExchangeOpts["schema"] = {
                  __schema: {
                    queryType: \(root(schema.queryType)),
                    mutationType: \(root(schema.mutationType)),
                    subscriptionType: \(root(schema.subscriptionType)),
                    types: [
                \(types)      { kind: "SCALAR", name: "Any" },
                    ],
                    directives: [],
                  },
                };

                """)
    }

    private func introspection(of type: NamedType) -> String {
        var members = [("kind", Self.literal(kind(of: type))), ("name", Self.literal(type.name))]
        if case .union = type.kind {
        } else {
            members.append(
                (
                    "fields",
                    Self.list(
                        type.fields.map { field in
                            Self.object([
                                ("name", Self.literal(field.name)), ("type", reference(to: field.type)),
                                (
                                    "args",
                                    Self.list(
                                        field.arguments.map { argument in
                                            Self.object([
                                                ("name", Self.literal(argument.name)),
                                                ("type", reference(to: argument.type)),
                                            ])
                                        })
                                ),
                            ])
                        })
                ))
            members.append(("interfaces", Self.list(type.interfaces.map(named))))
        }
        if type.isAbstract {
            members.append(("possibleTypes", Self.list(schema.possibleTypes(of: type.id).map(named))))
        }
        return Self.object(members)
    }

    private func named(_ id: TypeID) -> String {
        Self.object([("kind", Self.literal(kind(of: schema[id]))), ("name", Self.literal(schema[id].name))])
    }

    private func kind(of type: NamedType) -> String {
        switch type.kind {
        case .object: "OBJECT"
        case .interface: "INTERFACE"
        case .union: "UNION"
        case .scalar, .enum, .inputObject: "SCALAR"
        }
    }

    /// All types without fields are one scalar, which Graphcache does not distinguish.
    private func reference(to type: GraphQLType) -> String {
        func wrapped(_ wrapping: Wrapping) -> String {
            if wrapping.isNonNull {
                return Self.object([("kind", "\"NON_NULL\""), ("ofType", wrapped(wrapping.nullable))])
            }
            if let item = wrapping.item {
                return Self.object([("kind", "\"LIST\""), ("ofType", wrapped(item))])
            }
            let isComposite = schema[type.type].isComposite
            return isComposite
                ? named(type.type) : Self.object([("kind", "\"SCALAR\""), ("name", "\"Any\"")])
        }
        return wrapped(type.wrapping)
    }

    private static func literal(_ text: String) -> String { "\"\(text)\"" }

    private static func list(_ items: [String]) -> String { "[\(items.joined(separator: ", "))]" }

    private static func object(_ members: [(name: String, value: String)]) -> String {
        "{ \(members.map { "\($0.name): \($0.value)" }.joined(separator: ", ")) }"
    }

    /// urql with a token, subscriptions and partial data.
    var urqlClient: File {
        File(
            name: "client.ts",
            text: Self.header + #"""

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

                """#)
    }
}
