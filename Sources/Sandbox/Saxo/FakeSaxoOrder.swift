import Brokerage

struct FakeSaxoOrder: Sendable, Hashable {
    let id: String
    let accountKey: String
    let listing: FakeSaxoInstrument
    let isBuy: Bool
    /// Always positive.
    var amount: Decimal
    var kind: Kind
    var duration: Lifetime
    let placed: Instant
    let externalReference: String?
    /// True if the order is executed in the extended hours, too.
    var isForAllSessions = false
    /// True if the stop was reached and the order waits for its limit.
    var isTriggered = false
    /// The entry for whose fill the order waits.
    var masterID: String?
    /// The order that is cancelled when this one is filled, and the reverse.
    var rivalID: String?

    /// Whether the order is an exit of an entry, or one of a pair.
    var hasRelatedOrders: Bool { masterID != nil || rivalID != nil }

    /// `OrderType` with its prices, in ticks.
    enum Kind: Sendable, Hashable {
        case market
        case limit(Int)
        case stop(Int)
        /// Triggered by the last trade instead of the quote.
        case stopIfTraded(Int)
        case stopLimit(stop: Int, limit: Int)
        case trailingStop(FakeSaxoTrailingStop)

        var name: String {
            switch self {
            case .market: "Market"
            case .limit: "Limit"
            case .stop: "Stop"
            case .stopIfTraded: "StopIfTraded"
            case .stopLimit: "StopLimit"
            case .trailingStop(let trail): trail.isIfTraded ? "TrailingStopIfTraded" : "TrailingStop"
            }
        }

        /// `OrderPricing`.
        var price: Int? {
            switch self {
            case .market: nil
            case .limit(let price), .stop(let price), .stopIfTraded(let price), .stopLimit(let price, _):
                price
            case .trailingStop(let trail): trail.stop
            }
        }
    }

    /// `OrderDuration`.
    enum Lifetime: Sendable, Hashable {
        /// Until the close of a session, in seconds since 1970.
        case day(until: Int)
        case untilCancelled
        /// Until a second, which is the end of a day, or a minute of it by the clock of the exchange: `14:00`.
        case untilDate(Int, CalendarDate, minute: String?)
        case immediateOrCancel
        case fillOrKill

        var expiry: Int? {
            switch self {
            case .day(let close): close
            case .untilDate(let second, _, _): second
            case .untilCancelled, .immediateOrCancel, .fillOrKill: nil
            }
        }

        /// True if the order is filled or cancelled at once.
        var isMomentary: Bool {
            switch self {
            case .immediateOrCancel, .fillOrKill: true
            case .day, .untilCancelled, .untilDate: false
            }
        }

        var document: JSONDocument {
            switch self {
            case .day: ["DurationType": "DayOrder"]
            case .untilCancelled: ["DurationType": "GoodTillCancel"]
            case .untilDate(_, let date, let minute):
                [
                    // Without a zone.
                    "DurationType": "GoodTillDate", "ExpirationDateTime": .string(Self.text(date, minute)),
                    "ExpirationDateContainsTime": .bool(minute != nil),
                ]
            case .immediateOrCancel: ["DurationType": "ImmediateOrCancel"]
            case .fillOrKill: ["DurationType": "FillOrKill"]
            }
        }

        /// The duration in the log of orders, whose type is another one (Client Services, "Domain.OrderDuration").
        var logDocument: JSONDocument {
            guard case .untilDate(_, let date, let minute) = self else { return document }
            return [
                "DurationType": "GoodTillDate",
                "ExpirationDate": .string("\(Self.text(date, minute)).000000Z"),
                "ExpirationDateContainsTime": .bool(minute != nil),
            ]
        }

        private static func text(_ date: CalendarDate, _ minute: String?) -> String {
            "\(date)T\(minute ?? "00:00"):00"
        }
    }

    /// `OrderRelation`.
    func relation(among orders: [FakeSaxoOrder]) -> String {
        if orders.contains(where: { $0.masterID == id }) { return "IfDoneMaster" }
        switch (masterID, rivalID) {
        case (.some, .some): return "IfDoneSlaveOco"
        case (.some, nil): return "IfDoneSlave"
        case (nil, .some): return "Oco"
        case (nil, nil): return "StandAlone"
        }
    }

    /// Returns the fill price at the current quote, in ticks; nil if the order is not filled.
    mutating func fill(at quote: FakeSaxoQuote) -> Int? {
        guard quote.isMarketOpen || isForAllSessions && quote.phase != nil, let last = quote.last else {
            return nil
        }
        let side = isBuy ? quote.ask?.price ?? last : quote.bid?.price ?? last
        /// Returns true if a stop is reached: a buyer's from below, a seller's from above.
        func isReached(_ stop: Int, by price: Int) -> Bool { isBuy ? price >= stop : price <= stop }
        func limited(_ limit: Int) -> Int? { (isBuy ? side <= limit : side >= limit) ? side : nil }
        switch kind {
        case .market: return side
        case .limit(let limit): return limited(limit)
        case .stop(let stop): return isReached(stop, by: side) ? side : nil
        case .stopIfTraded(let stop): return isReached(stop, by: last) ? side : nil
        case .stopLimit(let stop, let limit):
            isTriggered = isTriggered || isReached(stop, by: side)
            return isTriggered ? limited(limit) : nil
        case .trailingStop(var trail):
            let price = trail.isIfTraded ? last : side
            trail.follow(price, isBuy: isBuy)
            kind = .trailingStop(trail)
            return isReached(trail.stop, by: price) ? side : nil
        }
    }
}

/// One item of the open orders response.
struct FakeSaxoOpenOrder {
    private let order: FakeSaxoOrder
    private let context: FakeSaxoHost.AuthenticatedRequest
    private let quote: FakeSaxoQuote

    init(_ order: FakeSaxoOrder, of context: FakeSaxoHost.AuthenticatedRequest) {
        self.order = order
        self.context = context
        quote = FakeSaxoQuote(order.listing, at: context.view, context.settings)
    }

    func document(_ groups: Set<String>) throws -> JSONDocument {
        let account = context.client.accounts.first { $0.key == order.accountKey }
        var members: [JSONDocument.Member] =
            [
                .init(name: "OrderId", value: .string(order.id)),
                .init(name: "AccountId", value: .string(account?.id ?? "")),
                .init(name: "AccountKey", value: .string(order.accountKey)),
                .init(name: "ClientKey", value: .string(context.client.key)),
                .init(name: "Uic", value: .integer(order.listing.uic)),
                .init(name: "AssetType", value: .string(order.listing.assetType.rawValue)),
                .init(name: "Amount", value: context.format.number(order.amount)),
                .init(name: "BuySell", value: order.isBuy ? "Buy" : "Sell"),
                .init(name: "OpenOrderType", value: .string(order.kind.name)),
                .init(name: "OrderAmountType", value: "Quantity"),
                .init(name: "OrderRelation", value: .string(order.relation(among: context.activity.orders))),
                .init(name: "OrderTime", value: FakeSaxoFormat.time(order.placed)),
                .init(name: "Duration", value: order.duration.document),
                .init(name: "Status", value: order.masterID == nil ? "Working" : "NotWorking"),
                .init(name: "IsMarketOpen", value: .bool(quote.isMarketOpen)),
                .init(name: "ExecuteAtTradingSession", value: order.isForAllSessions ? "All" : "Regular"),
                .init(name: "RelatedOpenOrders", value: .array(related.map(relatedItem))),
            ]
        members += try prices
        if let reference = order.externalReference {
            members.append("ExternalReference", .string(reference))
        }
        if groups.contains("DisplayAndFormat") {
            members.append("DisplayAndFormat", order.listing.displayAndFormat)
        }
        return .object(members)
    }

    /// The open orders that begin or end with this one.
    private var related: [FakeSaxoOrder] {
        context.activity.orders.filter { other in
            other.masterID == order.id || other.id == order.masterID || other.id == order.rivalID
        }
    }

    private func relatedItem(_ other: FakeSaxoOrder) -> JSONDocument {
        var members: [JSONDocument.Member] = [
            .init(name: "OrderId", value: .string(other.id)),
            .init(name: "Amount", value: context.format.number(other.amount)),
            .init(name: "OpenOrderType", value: .string(other.kind.name)),
            .init(name: "Duration", value: other.duration.document),
        ]
        if let price = other.kind.price {
            let value = context.format.price(price, of: other.listing.instrument)
            members.append("OrderPrice", value)
        }
        if case .stopLimit(_, let limit) = other.kind {
            let value = context.format.price(limit, of: other.listing.instrument)
            members.append("StopLimitPrice", value)
        }
        return .object(members)
    }

    /// The order's price, and its distance from the market.
    private var prices: [JSONDocument.Member] {
        get throws {
            let instrument = order.listing.instrument
            var members: [JSONDocument.Member] = []
            if let price = order.kind.price {
                members.append("Price", context.format.price(price, of: instrument))
            }
            if case .trailingStop(let trail) = order.kind {
                members += [
                    .init(
                        name: "TrailingStopDistanceToMarket",
                        value: context.format.price(trail.distance, of: instrument)),
                    .init(name: "TrailingStopStep", value: context.format.price(trail.step, of: instrument)),
                ]
            }
            guard let last = quote.last else {
                return members + [.init(name: "CurrentPriceType", value: "None")]
            }
            let side = order.isBuy ? quote.ask : quote.bid
            let current = side?.price ?? last
            let type: JSONDocument = side == nil ? "LastTraded" : order.isBuy ? "Ask" : "Bid"
            members += [
                .init(name: "CurrentPrice", value: context.format.price(current, of: instrument)),
                .init(name: "CurrentPriceType", value: type),
                .init(
                    name: "CurrentPriceDelayMinutes",
                    value: .integer(quote.delayInMinutes)),
                .init(name: "MarketPrice", value: context.format.price(current, of: instrument)),
            ]
            if let price = order.kind.price {
                let distance = abs(current - price)
                members.append(
                    .init(name: "DistanceToMarket", value: context.format.price(distance, of: instrument)))
            }
            return members
        }
    }
}

/// A trailing stop: it follows the market at a distance, in steps; all in ticks.
struct FakeSaxoTrailingStop: Sendable, Hashable {
    /// The current stop price.
    var stop: Int
    /// `TrailingStopDistanceToMarket`.
    let distance: Int
    /// `TrailingStopStep`, at least 1.
    let step: Int
    /// True if it follows the last trade instead of the quote.
    let isIfTraded: Bool

    /// Moves by whole steps towards a better price, and never back.
    mutating func follow(_ price: Int, isBuy: Bool) {
        let gap = isBuy ? stop - price - distance : price - stop - distance
        guard gap >= step else { return }
        let way = gap / step * step
        stop += isBuy ? -way : way
    }
}
