// Written by `portico client-kit`. Run the command again to update it; do not edit it.
// SHA-256 of the lines below: 92784a8520b84ee9d38736882fdbd4a603c28be06e29ae563a17a68fae807f24

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
