import Alpaca
import Brokerage
import Upstream

/// Alpaca, with closures that run before or after calls.
struct InterceptedTrading: TradingAPI {
    let client: AlpacaClient
    /// Runs before an order is marked and sent.
    var beforePlacing: @Sendable () async -> Void = {}
    /// Runs before Alpaca is queried for an order by its client's id.
    var beforeLookup: @Sendable () async -> Void = {}
    /// Runs after Alpaca has returned an order.
    var afterLookup: @Sendable () -> Void = {}

    var orderCapabilities: OrderCapabilities { client.orderCapabilities }
    var previewMethod: OrderPreviewMethod { client.previewMethod }

    func orders(_ query: OrderQuery, in call: CallContext) async throws(ProviderFailure) -> OrderPage {
        try await client.orders(query, in: call)
    }

    func order(
        _ id: String, of account: String?, in call: CallContext
    ) async throws(ProviderFailure) -> Order {
        defer { afterLookup() }
        return try await client.order(id, of: account, in: call)
    }

    func order(
        clientID: String, of account: String?, in call: CallContext
    ) async throws(ProviderFailure) -> OrderLookup {
        await beforeLookup()
        defer { afterLookup() }
        return try await client.order(clientID: clientID, of: account, in: call)
    }

    func outcomes(of orders: [Order], in call: CallContext) async throws(ProviderFailure) -> [Order] {
        try await client.outcomes(of: orders, in: call)
    }

    func place(_ ticket: OrderTicket, in call: CallContext) async throws(ProviderFailure) -> OrderResult {
        await beforePlacing()
        return try await client.place(ticket, in: call)
    }

    func replace(
        _ order: Order, by change: OrderReplacement, clientOrderID: String, in call: CallContext
    ) async throws(ProviderFailure) -> OrderResult {
        try await client.replace(order, by: change, clientOrderID: clientOrderID, in: call)
    }

    func cancel(_ order: Order, in call: CallContext) async throws(ProviderFailure) -> OrderResult {
        try await client.cancel(order, in: call)
    }
}
