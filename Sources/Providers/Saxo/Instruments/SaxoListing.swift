package import Brokerage
import Upstream

/// An instrument as Saxo lists it.
package struct SaxoListing: Hashable, Sendable {
    package let key: SaxoInstrumentKey
    package let symbol: Symbol
    /// Saxo's name, which may be that of a hundredth of a currency; nil in a watchlist, which has none.
    package let currencyName: String?
    /// The unit of prices; nil if it is unknown.
    ///
    /// Searches and `DisplayAndFormat` name the pound for prices in pence too, so that they determine only the unit of
    /// amounts, and of the prices of a currency without hundredths. The details have the unit of the others.
    let priceUnit: SaxoCurrency?

    /// Whether prices cannot be converted, because it is unknown whether they are in hundredths of the currency.
    var lacksPriceUnit: Bool { currencyName != nil && priceUnit == nil }

    /// The currency of amounts: values, profits, costs.
    ///
    /// That amounts are in pounds if a price is in pence follows from `PriceToContractFactor`, and from commissions in pounds
    /// that Saxo's simulation returned (dd-jp/samurai-trading-system, "Saxo's data surface, measured", 2.1 and 2.6). No public
    /// source shows a position of such an instrument.
    var currency: SaxoCurrency? { currencyName.map(SaxoCurrency.init) }

    /// A listing without the unit of its prices, if the currency does not determine it.
    package init(_ key: SaxoInstrumentKey, symbol: Symbol, currencyName: String?) {
        self.init(key, symbol: symbol, currencyName: currencyName, statedUnit: nil)
    }

    init(_ key: SaxoInstrumentKey, symbol: Symbol, currencyName: String?, statedUnit: SaxoCurrency?) {
        self.key = key
        self.symbol = symbol
        self.currencyName = currencyName
        priceUnit = currencyName.flatMap { SaxoCurrency($0).priceUnit(of: key, statedUnit) }
    }

    /// The same instrument with the symbol of the request.
    func named(_ symbol: Symbol) -> SaxoListing {
        SaxoListing(key, symbol: symbol, currencyName: currencyName, statedUnit: priceUnit)
    }

    /// The same instrument with the currency that a response states.
    func stating(_ currency: String?) -> SaxoListing {
        SaxoListing(key, symbol: symbol, currencyName: currency ?? currencyName, statedUnit: priceUnit)
    }

    /// The same instrument with what its details add.
    func adding(_ details: SaxoListing) -> SaxoListing {
        SaxoListing(
            key, symbol: symbol, currencyName: currencyName ?? details.currencyName,
            statedUnit: priceUnit ?? details.priceUnit)
    }

    /// Converts a number of decimals of Saxo's prices to that of prices in whole units of the currency; nil if the unit is
    /// unknown.
    func major(decimals: Int?) -> Int? {
        guard currencyName != nil, let decimals, (0...18).contains(decimals) else { return decimals }
        return priceUnit.map { $0.isHundredth ? decimals + 2 : decimals }
    }

    /// Converts one of Saxo's prices to whole units of the currency.
    ///
    /// - Returns: The price; nil if its unit is unknown, or if it has too many digits. Without a currency it is unchanged.
    func major(price: Decimal?) -> Decimal? {
        guard currencyName != nil else { return price }
        return priceUnit?.major(price)
    }
}

extension SaxoClient {
    // MARK: Units of prices

    /// The listings with the units of their prices: those without one are looked up together by Uic.
    ///
    /// A listing whose details cannot be read keeps its currency without a unit, so that it has no prices. A listing that fails
    /// for another reason is not returned, and neither is one without a currency that Saxo does not know.
    func withPriceUnits(
        _ listings: KeyedResults<Symbol, SaxoListing>, in context: CallContext,
        where isNeeded: (SaxoListing) -> Bool = { $0.currencyName != nil }
    ) async -> KeyedResults<Symbol, SaxoListing> {
        let incomplete = listings.found.filter { $0.value.priceUnit == nil && isNeeded($0.value) }
        if incomplete.isEmpty { return listings }
        let details = await self.listings(of: Array(Set(incomplete.values.map(\.key))), in: context)
        var batch = listings
        for (symbol, listing) in incomplete {
            if let known = details[listing.key] {
                batch[symbol] = listing.adding(known)
                continue
            }
            let failure = details.failures[listing.key]
            if listing.currencyName != nil, failure?.isUnreadableContent ?? true { continue }
            batch[symbol] = nil
            batch.failures[symbol] = failure
        }
        return batch
    }

    /// A listing with the unit of its prices; without it if Saxo does not state it.
    ///
    /// - Throws: `ProviderFailure`, with the cause `notFound` for a listing without a currency that Saxo does not know.
    func withPriceUnit(
        _ listing: SaxoListing, in context: CallContext
    ) async throws(ProviderFailure) -> SaxoListing {
        let batch = await withPriceUnits([listing.symbol: listing], in: context) { _ in true }
        guard let found = batch[listing.symbol] else {
            throw batch.failures[listing.symbol] ?? ProviderFailure(.saxo, .notFound)
        }
        return found
    }

    /// Returns the instruments of symbols for a stream, whose messages do not state the unit of their prices.
    ///
    /// A listing of a watchlist has no currency. It is looked up unless it has a plain symbol: those are of home exchanges, whose
    /// prices are in whole units.
    func streamedListings(
        for symbols: [Symbol], in context: CallContext
    ) async -> KeyedResults<Symbol, SaxoListing> {
        await withPriceUnits(pricedListings(for: symbols, in: context), in: context) {
            $0.currencyName != nil || $0.symbol.text.contains(":")
        }
    }
}
