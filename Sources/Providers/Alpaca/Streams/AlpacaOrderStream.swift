package import Brokerage
package import Upstream

extension AlpacaClient: OrderStream {
    /// Streams the account's orders: `/stream` of the trading host, which accepts keys and tokens.
    ///
    /// Each change contains the whole order. Existing orders are not sent.
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
                do throws(ProviderFailure) {
                    if case .order(let order) = try await message(on: socket) { deliver(.value(order)) }
                } catch {
                    guard error.isUnreadableContent else { throw error }
                    // An order that cannot be read: the changes until now are unknown, as after a reconnection.
                    deliver(.connected)
                }
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
        var data = JSONObjectText()
        data.add("streams", [AlpacaTradeMessage.updates])
        var body = JSONObjectText()
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

/// A message of the stream of an account's orders: `{"stream":"authorization","data":{…}}`.
package enum AlpacaTradeMessage {
    case authorization(isAuthorized: Bool)
    case listening(streams: [String])
    case order(Order)
    /// Streams that are invented later.
    case other

    /// Reads a whole message: first the name of the stream, wherever it is, then the rest accordingly.
    package init(_ bytes: [UInt8], fetchedAt: Instant) throws(JSONError) {
        let stream = try JSONReader.read(bytes) { reader throws(JSONError) in
            let stream = try reader.member("stream", String.init(json:))
            return try reader.required(stream, "stream")
        }
        switch stream {
        case "authorization":
            let status = try Self.data(bytes, "status") { reader throws(JSONError) in try reader.string() }
            self = .authorization(isAuthorized: status == "authorized")
        case "listening":
            self = .listening(
                streams: try Self.data(bytes, "streams") { reader throws(JSONError) in
                    try reader.array(of: String.self)
                })
        case Self.updates:
            self = .order(
                try Self.data(bytes, "order") { reader throws(JSONError) in
                    try AlpacaOrder(json: &reader).order(fetchedAt: fetchedAt)
                })
        default: self = .other
        }
    }

    /// The name of the stream of orders.
    static let updates = "trade_updates"

    /// Reads one member of `data`.
    private static func data<Value>(
        _ bytes: [UInt8], _ name: StaticString, _ read: (inout JSONReader) throws(JSONError) -> Value
    ) throws(JSONError) -> Value {
        try JSONReader.read(bytes) { reader throws(JSONError) in
            let value = try reader.member("data") { reader throws(JSONError) in
                let value = try reader.member(name, read)
                return try reader.required(value, name)
            }
            return try reader.required(value, "data")
        }
    }
}
