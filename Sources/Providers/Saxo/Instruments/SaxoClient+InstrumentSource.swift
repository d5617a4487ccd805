package import Brokerage
package import Upstream

extension SaxoClient: InstrumentSource {
    /// Instruments by words of their names: `GET /ref/v1/instruments`.
    ///
    /// One name may bring a share and the CFD on it, which are two instruments. Families, such as all options on a share,
    /// are left out: they cannot be quoted.
    package func search(
        _ text: String, limit: Int, in context: CallContext
    ) async throws(ProviderFailure) -> [SearchHit] {
        guard !text.isEmpty, limit > 0 else { return [] }
        let found = try await instruments(text, of: nil, limit: min(limit, 100), in: context)
            .filter(\.isInstrument)
        await directory.learn(
            found.compactMap { $0.listing(in: configuration.symbolMapping) }, now: clock.now())
        let fetchedAt = clock.wallTime()
        return found.compactMap { $0.hit(in: configuration.symbolMapping, fetchedAt: fetchedAt) }
    }

    /// An instrument with the rules of its orders: `GET /ref/v1/instruments/details/{Uic}/{AssetType}`.
    package func instrument(
        _ symbol: Symbol, in context: CallContext
    ) async throws(ProviderFailure) -> Instrument {
        guard let listing = try await listing(for: symbol, in: context) else {
            throw ProviderFailure(.saxo, .notFound)
        }
        return try await details(of: listing.key, in: context)
            .instrument(named: symbol, fetchedAt: clock.wallTime())
    }

    package var instrumentsPerCall: Int { 1_000 }

    /// Instruments with the rules of their orders: `GET /ref/v1/instruments/details?Uics=&AssetTypes=`, a call for each
    /// hundred that were met before.
    package func instruments(
        _ symbols: [Symbol], in context: CallContext
    ) async throws(ProviderFailure) -> KeyedResults<Symbol, Instrument> {
        let listings = await listings(for: symbols, in: context)
        let details = await details(of: Array(Set(listings.found.values.map(\.key))), in: context)
        let fetchedAt = clock.wallTime()
        var instruments = KeyedResults<Symbol, Instrument>(failures: listings.failures)
        for (symbol, listing) in listings.found {
            instruments[symbol] = details[listing.key]?.instrument(named: symbol, fetchedAt: fetchedAt)
            if let failure = details.failures[listing.key] { instruments.failures[symbol] = failure }
        }
        return instruments
    }
}
