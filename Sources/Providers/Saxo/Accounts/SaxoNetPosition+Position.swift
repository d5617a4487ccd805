import Brokerage

extension SaxoNetPosition {
    /// Whether it is a position that was closed: what was bought was sold, and Saxo still lists both until the end of the
    /// day.
    ///
    /// An amount of 0 alone does not say so: what is locked, or about to be closed, is still there.
    var isSquare: Bool {
        guard base.amount.isZero else { return false }
        switch view.status {
        case "Square", "Closed", nil: return true
        default: return false
        }
    }

    /// The position in Portico's words; nil for an amount that cannot change its sign.
    ///
    /// Figures are left out where the instrument's currency is not known: nobody could say what they are of.
    func position(of account: SaxoAccount, _ listing: SaxoListing, fetchedAt: Instant) -> Position? {
        guard let quantity = try? base.amount.magnitude else { return nil }
        let currency = listing.currency
        var position = Position(
            symbol: listing.symbol, side: side, quantity: quantity,
            currency: currency?.code ?? FiatCurrency.none,
            provenance: Provenance(source: .saxo, fetchedAt: fetchedAt))
        position.accountID = account.key
        position.assetClass = AssetClass(saxo: base.key.assetType)
        position.listing = Listing(saxo: base.key)
        position.status = view.status
        position.delayMinutes = view.currentPrice == nil ? nil : view.delayMinutes
        if let currency {
            position.averageEntryPrice = currency.major(view.averageOpenPrice)
            position.currentPrice = currency.major(view.currentPrice)
            position.marketValue = marketValue(in: currency)
            position.unrealizedProfitLoss = currency.major(view.profitLoss)
        }
        position.inAccountCurrency = converted(to: account.currency)
        return position
    }

    private var side: PositionSide {
        if base.amount.isNegative { return .short }
        return base.amount.isZero && base.openingDirection == .sell ? .short : .long
    }

    /// What Saxo says that it is worth, else its exposure where that is in the same currency.
    ///
    /// The exposure of FX is in the base currency of the pair: 200,000 EUR of a pair that is priced in DKK.
    private func marketValue(in currency: SaxoCurrency) -> Decimal? {
        if let value = view.marketValue { return currency.major(value) }
        guard let exposure = view.exposure, let name = view.exposureCurrency else { return nil }
        let exposed = SaxoCurrency(name)
        return exposed.code == currency.code ? exposed.major(exposure) : nil
    }

    private func converted(to currency: String) -> ConvertedAmounts? {
        let value = view.marketValueInBase ?? view.exposureInBase
        guard value != nil || view.profitLossInBase != nil else { return nil }
        return ConvertedAmounts(
            currency: currency, marketValue: value, unrealizedProfitLoss: view.profitLossInBase)
    }
}
