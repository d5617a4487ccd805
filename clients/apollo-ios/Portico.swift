// Written by `portico client-kit`. Run the command again to update it; do not edit it.
// SHA-256 of the lines below: f62ddf32c8901bd87b90a56220d5c21d68d0dcd97c8d0c36825a23ec0573ef80

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
    ///   - token: Returns the token of the session; nil without a session.
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
