import Brokerage

/// The parameters of `GET /v2/orders`, read and checked; `nested` changes nothing, as no order has legs.
struct FakeAlpacaOrderQuery {
    private let isOpen: Bool?
    private let limit: Int
    private let after: Instant?
    private let until: Instant?
    private let newestFirst: Bool
    private let symbols: Set<String>?
    private let side: String?
    private let beforeID: String?
    private let afterID: String?
    private let isOfShares: Bool

    init(_ request: SandboxRequest) throws(FakeAlpacaError) {
        func instant(_ name: String) throws(FakeAlpacaError) -> Instant? {
            guard let text = request[query: name] else { return nil }
            if let instant = Instant(text) { return instant }
            guard let date = CalendarDate(text), let midnight = LocalTime(date: date, hour: 0) else {
                throw .unprocessable("invalid \(name): \(text)")
            }
            return Instant(newYork: midnight)
        }
        switch try request.choice("status", of: ["open", "closed", "all"]) ?? "open" {
        case "open": isOpen = true
        case "closed": isOpen = false
        default: isOpen = nil
        }
        limit = try request.integer("limit", in: 1...500) ?? 50
        after = try instant("after")
        until = try instant("until")
        newestFirst = try request.choice("direction", of: ["asc", "desc"]) != "asc"
        _ = try request.flag("nested")
        symbols = request[query: "symbols"].map { Set($0.split(separator: ",").map(String.init)) }
        side = try request.choice("side", of: ["buy", "sell"])
        beforeID = request[query: "before_order_id"]
        afterID = request[query: "after_order_id"]
        isOfShares =
            request[query: "asset_class"].map { $0.split(separator: ",").contains("us_equity") } ?? true
    }

    func select(_ account: FakeAlpacaAccount) throws -> [FakeAlpacaOrder] {
        func time(_ id: String?) throws -> Instant? {
            guard let id else { return nil }
            guard let order = account.order(id: id) else { throw FakeAlpacaError.orderNotFound(id) }
            return order.createdAt
        }
        let (before, behind) = (try time(beforeID), try time(afterID))
        let found = account.orders.filter { order in
            isOfShares && (isOpen.map { $0 == order.status.isOpen } ?? true)
                && (symbols?.contains(order.ticket.instrument.symbol) ?? true)
                && (side.map { $0 == order.ticket.side.rawValue } ?? true)
                && [after, behind].allSatisfy { $0.map { order.createdAt > $0 } ?? true }
                && [until, before].allSatisfy { $0.map { order.createdAt < $0 } ?? true }
        }
        return Array((newestFirst ? found.reversed() : found).prefix(limit))
    }
}
