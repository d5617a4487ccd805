extension ClientKit {
    /// The configuration of the code generator of Apollo iOS.
    var apolloIOSConfiguration: File {
        File(
            name: "apollo-codegen-config.json",
            text: """
                {
                  "schemaNamespace": "PorticoAPI",
                  "schemaDownload": {
                    "downloadMethod": {
                      "introspection": {
                        "endpointURL": "http://127.0.0.1:8080/graphql",
                        "httpMethod": { "POST": {} },
                        "includeDeprecatedInputValues": false,
                        "outputFormat": "SDL"
                      }
                    },
                    "outputPath": "./schema.graphqls"
                  },
                  "input": {
                    "operationSearchPaths": ["**/*.graphql"],
                    "schemaSearchPaths": ["./schema.graphqls"]
                  },
                  "output": {
                    "testMocks": { "none": {} },
                    "schemaTypes": { "path": "./PorticoAPI", "moduleType": { "swiftPackageManager": {} } },
                    "operations": { "inSchemaModule": {} }
                  },
                  "options": {
                    "deprecatedEnumCases": "include",
                    "conversionStrategies": { "enumCases": "camelCase" }
                  }
                }

                """)
    }

    /// The scalars as Swift types; the code generator creates a type alias for each, which these replace.
    var apolloIOSScalars: File {
        let aliases = scalars.map { scalar in
            let type =
                switch scalar.name {
                case "Decimal", "Number": "PorticoDecimal"
                case "DateTime": "PorticoInstant"
                case "UnixTime": "Int"
                default: scalar.isNumber ? "Double" : "String"
                }
            return "//   \(scalar.name): public typealias \(scalar.name) = \(type)\n"
        }.joined()
        return File(
            name: "Scalars.swift",
            text: Self.header + """
                //
                // Add this file to the target PorticoAPI. In PorticoAPI/Sources/Schema/CustomScalars, which the code
                // generator writes once, replace the type alias of each scalar:
                //
                \(aliases)
                import ApolloAPI
                import Foundation

                /// A decimal number: Foundation's `Decimal` has 38 digits, which is enough for every value of Portico.
                public struct PorticoDecimal: CustomScalarType, Hashable, Sendable {
                    public let value: Foundation.Decimal

                    public init(_ value: Foundation.Decimal) {
                        self.value = value
                    }

                    public init(_jsonValue value: JSONValue) throws {
                        // A `Decimal` of the schema is a string, a `Number` is a JSON number.
                        let text = (value as? String) ?? (value as? NSNumber)?.stringValue ?? ""
                        guard let number = Foundation.Decimal(string: text, locale: Locale(identifier: "en_US_POSIX")) else {
                            throw JSONDecodingError.couldNotConvert(value: value, to: PorticoDecimal.self)
                        }
                        self.init(number)
                    }

                    public var _jsonValue: JSONValue { NSDecimalNumber(decimal: value).stringValue }
                }

                /// An instant with up to nine decimals of a second.
                public struct PorticoInstant: CustomScalarType, Hashable, Sendable {
                    public let date: Date

                    public init(_ date: Date) {
                        self.date = date
                    }

                    public init(_jsonValue value: JSONValue) throws {
                        guard let text = value as? String, let date = PorticoInstant.date(from: text) else {
                            throw JSONDecodingError.couldNotConvert(value: value, to: PorticoInstant.self)
                        }
                        self.init(date)
                    }

                    public var _jsonValue: JSONValue { date.formatted(.iso8601) }

                    private static func date(from text: String) -> Date? {
                        (try? Date(text, strategy: .iso8601))
                            ?? (try? Date(text, strategy: Date.ISO8601FormatStyle(includingFractionalSeconds: true)))
                    }
                }

                """)
    }

    /// The keys of the normalised cache of Apollo iOS.
    var apolloIOSCache: File {
        File(
            name: "SchemaConfiguration.swift",
            text: Self.header + """
                //
                // Replace the file of this name in PorticoAPI/Sources/Schema, which the code generator writes once.

                import ApolloAPI

                /// Objects with an id are identified by it in the cache; others belong to the object that contains them.
                public enum SchemaConfiguration: ApolloAPI.SchemaConfiguration {
                    public static func cacheKeyInfo(for type: ApolloAPI.Object, object: ApolloAPI.ObjectData) -> CacheKeyInfo? {
                        guard let id = object["id"] as? String else { return nil }
                        return CacheKeyInfo(id: id)
                    }
                }

                """)
    }

    /// Apollo iOS with a token and subscriptions.
    var apolloIOSClient: File {
        File(
            name: "Portico.swift",
            text: Self.header + #"""

                import Apollo
                import ApolloAPI
                import ApolloWebSocket
                import Foundation

                /// Apollo iOS for Portico: queries and mutations over HTTP, subscriptions over a WebSocket.
                ///
                /// A response can have data and errors: Portico returns all fields that succeed. Read `data` and `errors`.
                public enum Portico {
                    /// - Parameters:
                    ///   - url: The address of the endpoint, such as https://portico.example.com/graphql.
                    ///   - token: Returns the token of the session; nil without a session. It is read for each HTTP request. The
                    ///     WebSocket has the token at the time of this call, because Apollo iOS sends the same payload each
                    ///     time that it connects again. Create a new client after sign-in, sign-out and `renewSession`, and
                    ///     release this one: when its token has ended, the server closes the WebSocket with 4403, and it
                    ///     would connect again every second.
                    public static func client(url: URL, token: @escaping @Sendable () -> String?) -> ApolloClient {
                        let store = ApolloStore()
                        let http = RequestChainNetworkTransport(
                            interceptorProvider: Interceptors(store: store, token: token), endpointURL: url)
                        var socketURL = URLComponents(url: url, resolvingAgainstBaseURL: false)
                        socketURL?.scheme = url.scheme == "https" ? "wss" : "ws"
                        let socket = WebSocketTransport(
                            websocket: WebSocket(url: socketURL?.url ?? url, protocol: .graphql_transport_ws),
                            store: store,
                            config: .init(
                                reconnect: true, reconnectionInterval: 1,
                                connectingPayload: token().map { ["authorization": "Bearer \($0)"] }))
                        let transport = SplitNetworkTransport(
                            uploadingNetworkTransport: http, webSocketNetworkTransport: socket)
                        return ApolloClient(networkTransport: transport, store: store)
                    }
                }

                /// Adds the token to each request.
                private final class Authorization: ApolloInterceptor {
                    let id = UUID().uuidString
                    private let token: @Sendable () -> String?

                    init(_ token: @escaping @Sendable () -> String?) {
                        self.token = token
                    }

                    func interceptAsync<Operation: GraphQLOperation>(
                        chain: any RequestChain, request: HTTPRequest<Operation>, response: HTTPResponse<Operation>?,
                        completion: @escaping (Result<GraphQLResult<Operation.Data>, any Error>) -> Void
                    ) {
                        if let token = token() { request.addHeader(name: "Authorization", value: "Bearer \(token)") }
                        chain.proceedAsync(request: request, response: response, interceptor: self, completion: completion)
                    }
                }

                private final class Interceptors: DefaultInterceptorProvider {
                    private let token: @Sendable () -> String?

                    init(store: ApolloStore, token: @escaping @Sendable () -> String?) {
                        self.token = token
                        super.init(store: store)
                    }

                    override func interceptors<Operation: GraphQLOperation>(for operation: Operation) -> [any ApolloInterceptor] {
                        [Authorization(token)] + super.interceptors(for: operation)
                    }
                }

                """#)
    }
}
