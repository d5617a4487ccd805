/// What an account holds of one instrument.
///
/// Figures that need a price are nil while the broker has none.
package struct Position: Hashable, Sendable {
    /// The broker's account id; nil if the credential opens one account only.
    package var accountID: String?
    package var symbol: Symbol
    /// Nil if the broker does not report it.
    package var assetClass: AssetClass?
    /// The probable asset class, used if `assetClass` is nil and no other provider knows it.
    ///
    /// Alpaca's `us_equity` are shares, and funds that trade like shares.
    package var probableAssetClass: AssetClass?
    /// The broker's own name of the instrument.
    package var listing: Listing?
    package var side: PositionSide
    /// Zero or more, also for short positions: `side` has the direction.
    package var quantity: Decimal
    /// Not held back by open orders.
    package var availableQuantity: Decimal?
    package var averageEntryPrice: Decimal?
    package var costBasis: Decimal?
    /// As the broker values it.
    package var currentPrice: Decimal?
    /// The delay of `currentPrice`; nil if the broker does not report it.
    package var delayMinutes: Int?
    /// Below zero for shorts.
    package var marketValue: Decimal?
    /// The instrument's, which may differ from the account's.
    package var currency: String
    package var unrealizedProfitLoss: Decimal?
    /// In per cent: 0.64 is 0.64 %.
    package var unrealizedProfitLossPercent: Decimal?
    package var dayProfitLoss: Decimal?
    /// In per cent.
    package var dayProfitLossPercent: Decimal?
    /// The status, as the broker names it.
    package var status: String?
    /// The amounts in the currency of the account, if the broker converts them.
    package var inAccountCurrency: ConvertedAmounts?
    package var provenance: Provenance

    package init(
        symbol: Symbol, side: PositionSide, quantity: Decimal, currency: String, provenance: Provenance
    ) {
        self.symbol = symbol
        self.side = side
        self.quantity = quantity
        self.currency = currency
        self.provenance = provenance
    }
}

/// Whether an instrument is owned (long) or owed (short).
package enum PositionSide: String, Sendable, CaseIterable {
    case long = "LONG"
    case short = "SHORT"
}

/// Figures of a position that the broker converted itself.
package struct ConvertedAmounts: Hashable, Sendable {
    /// ISO 4217.
    package var currency: String
    package var marketValue: Decimal?
    package var unrealizedProfitLoss: Decimal?

    package init(currency: String, marketValue: Decimal?, unrealizedProfitLoss: Decimal?) {
        self.currency = currency
        self.marketValue = marketValue
        self.unrealizedProfitLoss = unrealizedProfitLoss
    }
}
