package import Brokerage
package import Upstream

extension AlpacaClient: OrderStream {
    /// Follows the account's orders: `/stream` of the trading host, which keys and tokens open alike.
    ///
    /// Each change brings the whole order. Orders of before are not told of.
    package func run(
        deliver: @escaping @Sendable (StreamEvent<Order>) -> Void
    ) async throws(ProviderFailure) {
        guard let url = configuration.tradingURL.appending(path: "stream") else {
            throw ProviderFailure(.alpaca, transport: .badURL)
        }
        try await AlpacaSocket.run(url, within: configuration.streamTimeout, clock: clock) {
            socket throws(ProviderFailure) in
            try await logIn(on: socket)
            try await listen(on: socket)
        } then: { socket throws(ProviderFailure) in
            deliver(.connected)
            while true {
                if case .order(let order) = try await message(on: socket) { deliver(.value(order)) }
            }
        }
    }

    private func logIn(on socket: AlpacaSocket) async throws(ProviderFailure) {
        try await socket.send(configuration.credential.tradeStreamGreeting)
        while true {
            guard case .authorization(let isAuthorized) = try await message(on: socket) else { continue }
            guard isAuthorized else { throw ProviderFailure(.alpaca, .unauthorized) }
            return
        }
    }

    private func listen(on socket: AlpacaSocket) async throws(ProviderFailure) {
        var data = AlpacaBody()
        data.add("streams", [AlpacaTradeMessage.updates])
        var body = AlpacaBody()
        body.add("action", "listen")
        body.add("data", data)
        try await socket.send(body)
        while true {
            guard case .listening(let streams) = try await message(on: socket) else { continue }
            guard streams.contains(AlpacaTradeMessage.updates) else {
                throw ProviderFailure(.alpaca, .notEntitled)
            }
            return
        }
    }

    private func message(on socket: AlpacaSocket) async throws(ProviderFailure) -> AlpacaTradeMessage {
        let bytes = try await socket.receive()
        do throws(JSONError) {
            return try AlpacaTradeMessage(bytes, fetchedAt: clock.wallTime())
        } catch {
            throw ProviderFailure(.alpaca, .invalidResponse(error))
        }
    }
}
