import Brokerage
import Upstream

extension SaxoClient {
    /// All open orders: `GET /port/v1/orders/me`, page after page; those tied to another are its legs too.
    ///
    /// - Throws: `ProviderFailure`, never with the cause `notFound`: a 404 for the list does not show whether
    ///   an order exists.
    func openOrders(in context: CallContext) async throws(ProviderFailure) -> [Order] {
        do throws(ProviderFailure) {
            return try await readOpenOrders(in: context)
        } catch {
            throw error.cause == .notFound ? ProviderFailure(.saxo, .unavailable) : error
        }
    }

    private func readOpenOrders(in context: CallContext) async throws(ProviderFailure) -> [Order] {
        let url = try address(
            .portfolio, ["v1", "orders", "me"],
            [("FieldGroups", "DisplayAndFormat"), ("$top", Self.pageSize)])
        let sent = try await list("orders", .portfolio, url, of: SaxoOpenOrder.self, in: context)
        let listings = try await listings(of: sent.map { ($0.key, $0.terms.format) }, in: context)
        let fetchedAt = clock.wallTime()
        var orders: [Order] = []
        for item in sent {
            guard let listing = listings[item.key] else {
                throw ProviderFailure(.saxo, .invalidResponse(nil))
            }
            orders.append(item.order(of: listing, fetchedAt: fetchedAt))
        }
        let byID = Dictionary(orders.map { ($0.id, $0) }) { first, _ in first }
        for (place, item) in sent.enumerated() {
            orders[place].legs = item.terms.relatedIDs.compactMap { byID[$0] }
        }
        return orders
    }

    /// The newest of the orders that are asked for.
    static func page(_ orders: [Order], _ query: OrderQuery) -> OrderPage {
        let symbols = query.symbols.map { Set($0) }
        let wanted = orders.filter { order in
            guard symbols?.contains(order.symbol) ?? true else { return false }
            guard let before = query.before else { return true }
            // When it came is not known of every order; one of those is not left out.
            return order.submittedAt.map { $0 < before } ?? true
        }.sorted { ($0.submittedAt ?? .latest) > ($1.submittedAt ?? .latest) }
        let limit = min(max(query.limit, 1), 500)
        return OrderPage(orders: Array(wanted.prefix(limit)), hasMore: wanted.count > limit)
    }
}
