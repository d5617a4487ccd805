import Brokerage

/// An order as Saxo keeps it.
struct FakeSaxoOrder: Sendable, Hashable {
    let id: String
    let accountKey: String
    let listing: FakeSaxoInstrument
    let isBuy: Bool
    /// Above zero.
    var amount: Decimal
    var kind: Kind
    var duration: Lifetime
    let placed: Instant
    let externalReference: String?
    /// Whether a stop has been reached, and only its limit is left to be.
    var isTriggered = false

    /// `OrderType` with its prices, in ticks.
    enum Kind: Sendable, Hashable {
        case market
        case limit(Int)
        case stop(Int)
        /// Triggered by the last trade instead of by the quote.
        case stopIfTraded(Int)
        case stopLimit(stop: Int, limit: Int)
        case trailingStop(FakeSaxoTrail)

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
        /// Until a second, with the text that said so.
        case untilDate(Int, text: String)
        case immediateOrCancel
        case fillOrKill

        var expiry: Int? {
            switch self {
            case .day(let close): close
            case .untilDate(let second, _): second
            case .untilCancelled, .immediateOrCancel, .fillOrKill: nil
            }
        }

        /// Lives for one look at the market only.
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
            case .untilDate(_, let text):
                [
                    "DurationType": "GoodTillDate", "ExpirationDateTime": .string(text),
                    "ExpirationDateContainsTime": true,
                ]
            case .immediateOrCancel: ["DurationType": "ImmediateOrCancel"]
            case .fillOrKill: ["DurationType": "FillOrKill"]
            }
        }
    }

    /// The price at which the market takes the order now, in ticks; nil while it does not.
    mutating func fill(at quote: FakeSaxoQuote) -> Int? {
        guard quote.isMarketOpen, let last = quote.last else { return nil }
        let side = isBuy ? quote.ask?.price ?? last : quote.bid?.price ?? last
        /// A buyer's stop is reached from below, a seller's from above.
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
