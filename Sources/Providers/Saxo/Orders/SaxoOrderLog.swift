package import Brokerage
package import Upstream

extension SaxoClient {
    /// The time for which lists contain orders that have ended: the log has two years and more, and is read completely.
    private static var period: Duration { .seconds(30 * 86_400) }
    /// The greatest difference between Portico's clock and Saxo's for which no event is missed.
    private static var clockDifference: Duration { .seconds(300) }

    /// The orders that have ended in the last 30 days.
    func endedOrders(in context: CallContext) async throws(ProviderFailure) -> OrderPage {
        var page = try await loggedOrders(since: clock.wallTime() - Self.period, in: context)
        page.orders.removeAll { !$0.state.isFinal }
        return page
    }

    /// Returns what became of orders that are not open: by the log since the time at which Saxo reported the first of them last.
    package func outcomes(
        of orders: [Order], in context: CallContext
    ) async throws(ProviderFailure) -> [Order] {
        guard let first = orders.map(\.provenance.fetchedAt).min() else { return [] }
        let ids = Set(orders.map(\.id))
        // The log of one order is short. An event that cannot be read does not hide the other orders; its order becomes unknown.
        let page =
            if ids.count == 1, let id = ids.first {
                try await loggedOrders(SaxoOrderID(id), since: nil, in: context)
            } else {
                try await loggedOrders(since: first - Self.clockDifference, in: context)
            }
        return page.orders.filter { ids.contains($0.id) && $0.state != .unknown }
    }

    /// An order that is not open, by its last event; nil if the log does not have it, or does not show its state.
    func loggedOrder(_ id: SaxoOrderID, in context: CallContext) async throws(ProviderFailure) -> Order? {
        let page = try await loggedOrders(id, since: nil, in: context)
        if let order = page.orders.first(where: { $0.id == id.text }) {
            return order.state == .unknown ? nil : order
        }
        // The log of one order has nothing else.
        guard page.unreadable.isEmpty else { throw ProviderFailure(.saxo, .invalidResponse(nil)) }
        return nil
    }

    /// All orders of the last 30 days; none if the application may not read the log.
    func readableOrders(in context: CallContext) async throws(ProviderFailure) -> [Order] {
        do throws(ProviderFailure) {
            return try await loggedOrders(since: clock.wallTime() - Self.period, in: context).orders
        } catch {
            guard error.cause == .notEntitled else { throw error }
            return []
        }
    }

    /// Orders by their last events: `GET /cs/v1/audit/orderactivities`, page after page.
    ///
    /// - Parameters:
    ///   - id: The order; nil for all.
    ///   - start: The time of the earliest events; nil for all.
    ///   - context: The user and the deadline.
    /// - Returns: The orders, in no order.
    /// - Throws: `ProviderFailure`, never with the cause `notFound`: a 404 for the log, or for the client whose log it is, shows
    ///   nothing about an order.
    private func loggedOrders(
        _ id: SaxoOrderID? = nil, since start: Instant?, in context: CallContext
    ) async throws(ProviderFailure) -> OrderPage {
        do throws(ProviderFailure) {
            return try await readLog(id, since: start, in: context)
        } catch {
            throw error.cause == .notFound ? ProviderFailure(.saxo, .unavailable) : error
        }
    }

    private func readLog(
        _ id: SaxoOrderID?, since start: Instant?, in context: CallContext
    ) async throws(ProviderFailure) -> OrderPage {
        let identity = try await identity(in: context)
        let url = try address(
            .clientServices, ["v1", "audit", "orderactivities"],
            [
                ("ClientKey", identity.user.clientKey), ("EntryType", "Last"),
                ("OrderId", id?.text), ("FromDateTime", start?.description),
                ("FieldGroups", "DisplayAndFormat"), ("$top", Self.pageSize),
            ])
        let log = try await list("order log", .clientServices, url, of: SaxoOrderEvent.self, in: context)
        let events = log.items.filter { !$0.order.id.isEmpty }
        let last = Dictionary(events.map { ($0.order.id, $0) }) { $1.isLater(than: $0) ? $1 : $0 }.values
        let listings = try await listings(of: last.map { ($0.order.key, $0.order.terms.format) }, in: context)
        let fetchedAt = clock.wallTime()
        let orders = last.compactMap { event in
            listings[event.order.key].map { listing in
                var order = event.order(of: listing, fetchedAt: fetchedAt, isLast: true)
                order.accountID = event.accountID(among: identity.accounts)
                return order
            }
        }
        return OrderPage(orders: orders, unreadable: log.unreadable, hasMore: false)
    }
}

/// The number of an order at Saxo: digits only.
///
/// Saxo's path accepts several numbers with commas between them, so that another text could cancel other
/// orders.
struct SaxoOrderID: Hashable, Sendable {
    let text: String

    /// - Throws: `notFound` for a text in another form, without a call: no order of Saxo has such a number.
    init(_ text: String) throws(ProviderFailure) {
        guard (1...20).contains(text.utf8.count),
            text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
        else { throw ProviderFailure(.saxo, .notFound) }
        self.text = text
    }
}
