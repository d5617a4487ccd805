import Brokerage
import Upstream

extension SaxoClient {
    /// How Saxo is told of an order's type and prices, in the currency that the instrument is priced in; nil where the
    /// instrument takes no such order.
    ///
    /// - Throws: `ProviderFailure`, with the cause `unsupported` for a trailing stop and for prices of too many digits.
    func terms(
        _ price: OrderPrice, of listing: SaxoListing, in context: CallContext
    ) async throws(ProviderFailure) -> SaxoOrderBody.Terms? {
        switch price {
        case .market: return SaxoOrderBody.Terms(type: "Market")
        case .limit(let limit):
            return SaxoOrderBody.Terms(type: "Limit", price: try Self.minor(limit, of: listing))
        case .stop(let stop):
            guard let type = try await stopType(of: listing, in: context) else { return nil }
            return SaxoOrderBody.Terms(type: type, price: try Self.minor(stop, of: listing))
        case .stopLimit(let stop, let limit):
            return SaxoOrderBody.Terms(
                type: "StopLimit", price: try Self.minor(stop, of: listing),
                stopLimitPrice: try Self.minor(limit, of: listing))
        case .trailingStop: throw ProviderFailure(.saxo, .unsupported)
        }
    }

    private static func minor(
        _ price: Decimal, of listing: SaxoListing
    ) throws(ProviderFailure) -> Decimal {
        guard let currency = listing.currency else { return price }
        guard let price = currency.minor(price) else { throw ProviderFailure(.saxo, .unsupported) }
        return price
    }

    /// A stop is triggered by a quote, or by a trade: each instrument takes one of the two, or both.
    private func stopType(
        of listing: SaxoListing, in context: CallContext
    ) async throws(ProviderFailure) -> String? {
        let details = try await details(of: listing.key, in: context)
        guard let types = details.about.orderTypes else { return "Stop" }
        return ["Stop", "StopIfTraded"].first { types.contains($0) }
    }
}

extension Order {
    /// What it stands at; nil for a type that cannot be told again.
    var price: OrderPrice? {
        switch type {
        case .market: .market
        case .limit: limitPrice.map { .limit($0) }
        case .stop: stopPrice.map { .stop($0) }
        case .stopLimit:
            stopPrice.flatMap { stop in limitPrice.map { .stopLimit(stop: stop, limit: $0) } }
        case .trailingStop, nil: nil
        }
    }

    /// Sets type and prices.
    mutating func set(_ price: OrderPrice) {
        type = price.type
        (limitPrice, stopPrice) = (nil, nil)
        switch price {
        case .market, .trailingStop: break
        case .limit(let limit): limitPrice = limit
        case .stop(let stop): stopPrice = stop
        case .stopLimit(let stop, let limit): (stopPrice, limitPrice) = (stop, limit)
        }
    }
}
