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
    /// The amount that changes with the price; of FX in the base currency of the pair.
    package var exposure: ConvertedAmount?
    /// The costs of opening the position, and of closing it as far as the broker expects them; above zero.
    package var costs: ConvertedAmount?
    package var canBeClosed: Bool?
    /// The day on which the position is settled.
    package var valueDate: CalendarDate?
    /// The number of orders that close the position, or a part of it.
    package var relatedOrderCount: Int?
    package var reliability: ValuationReliability?
    package var priceFormat: PriceFormat?
    /// The broker's own rate from `currency` to the currency of the account.
    package var conversionRate: Decimal?
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

/// The positions of accounts.
package struct PositionList: Hashable, Sendable {
    package var positions: [Position]
    /// The error of each position that could not be read, with its place in the broker's response and without a value.
    package var unreadable: [String]

    package init(_ positions: [Position], unreadable: [String] = []) {
        self.positions = positions
        self.unreadable = unreadable
    }

    /// The same positions, marked as stale.
    package var markedStale: PositionList {
        var marked = self
        for index in positions.indices {
            marked.positions[index].provenance = positions[index].provenance.markedStale
        }
        return marked
    }

    package static func + (one: PositionList, other: PositionList) -> PositionList {
        PositionList(one.positions + other.positions, unreadable: one.unreadable + other.unreadable)
    }
}

extension PositionList: RandomAccessCollection, ExpressibleByArrayLiteral {
    package init(arrayLiteral positions: Position...) { self.init(positions) }

    package var startIndex: Int { positions.startIndex }
    package var endIndex: Int { positions.endIndex }
    package subscript(index: Int) -> Position { positions[index] }
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

/// An amount of a broker, and its conversion to the currency of the account.
package struct ConvertedAmount: Hashable, Sendable {
    package var amount: Decimal
    /// ISO 4217.
    package var currency: String
    /// As the broker converts it.
    package var accountAmount: Decimal?
    /// ISO 4217; the currency of ``accountAmount``.
    package var accountCurrency: String

    package init(amount: Decimal, currency: String, accountAmount: Decimal?, accountCurrency: String) {
        self.amount = amount
        self.currency = currency
        self.accountAmount = accountAmount
        self.accountCurrency = accountCurrency
    }
}

/// How reliable the figures of a position are, as the broker states it.
package enum ValuationReliability: String, Sendable, CaseIterable {
    case reliable = "RELIABLE"
    case withConditions = "WITH_CONDITIONS"
    case approximatePrice = "APPROXIMATE_PRICE"
    case pricePending = "PRICE_PENDING"
    case noMarketAccess = "NO_MARKET_ACCESS"
    case unknownPrice = "UNKNOWN_PRICE"
    case conversionFailed = "CONVERSION_FAILED"
    case failed = "FAILED"

    /// Whether the figures are valid, if only approximately.
    package var hasFigures: Bool {
        switch self {
        case .reliable, .withConditions, .approximatePrice: true
        case .pricePending, .noMarketAccess, .unknownPrice, .conversionFailed, .failed: false
        }
    }
}

/// How a broker writes the prices of an instrument.
package struct PriceFormat: Hashable, Sendable {
    /// The number of decimals, without those of parts of a pip.
    package var decimals: Int
    /// The number of further decimals, which are parts of a pip.
    package var pipFractionDecimals: Int
    /// The format, as the broker names it.
    package var name: String

    package init(decimals: Int, pipFractionDecimals: Int, name: String) {
        self.decimals = decimals
        self.pipFractionDecimals = pipFractionDecimals
        self.name = name
    }

    /// One unit of the last of ``decimals``; nil if prices have no parts of it.
    package var pip: Decimal? {
        guard pipFractionDecimals > 0 else { return nil }
        return Decimal(coefficient: 1, scale: decimals)
    }
}
