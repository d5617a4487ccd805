package import Brokerage
import GraphQL
import Upstream

extension GatewayContext {
    /// Follows prices: each symbol at the best source of the route that tells one, together with all others who follow it
    /// there.
    ///
    /// - Parameters:
    ///   - symbols: At most 200.
    ///   - provider: Follow this provider and no other.
    /// - Returns: their prices from now on; a symbol that no source could have is not among them.
    /// - Throws: `FieldError` where there is no source of quotes.
    package func follow(_ symbols: [Symbol], from provider: ProviderID?) throws -> QuoteSubscription {
        try Self.checkCount(of: symbols, maximum: Self.maximumSymbols)
        let sources = try sources(for: .quotes, from: provider)
        let places = Dictionary(
            symbols.map { symbol in (symbol, sources.indices.filter { sources[$0].has(symbol) }) },
            uniquingKeysWith: { first, _ in first })
        return QuoteSubscription(
            places, for: quoteClient, within: call.allowance, clock: services.watches.clock
        ) {
            [services] place throws(ProviderFailure) in
            services.live.feed(for: try services.currentSource(sources[place]))
        }
    }

    /// The client against whose limit symbols of price feeds count.
    ///
    /// A guest counts together with the other guests at the same address, since one client can create any
    /// number of guests.
    private var quoteClient: QuoteClient {
        guard let owner = session.owner, !session.isLimitedByAddress else { return .address(origin.number) }
        return .user(owner)
    }
}

extension GatewayServices {
    /// A source by its credential of now.
    ///
    /// - Throws: `unauthorized` for one of a connection that has gone meanwhile.
    fileprivate func currentSource(_ source: MarketDataSource) throws(ProviderFailure) -> MarketDataSource {
        switch source.audience {
        case .everybody: return source
        case .owner(let owner, let connection):
            guard let now = links(of: owner).first(where: { $0.id == connection })?.market else {
                throw ProviderFailure(source.provider, .unauthorized)
            }
            return now
        }
    }
}
