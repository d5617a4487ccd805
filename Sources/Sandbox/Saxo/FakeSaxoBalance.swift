import Brokerage

/// The amounts of a balance, in the book's currency.
struct FakeSaxoBalance {
    let book: FakeSaxoPositionBook
    /// The value of shares and funds.
    let paidValue: Decimal
    /// Profit and loss of all positions on margin.
    let marginProfit: Decimal
    let exposure: Decimal
    let marginUsed: Decimal
    /// True if a price was missing, so that a position counts as zero.
    let isPartial: Bool

    init(_ book: FakeSaxoPositionBook, _ settings: FakeSaxoSettings) throws {
        var (paid, profit, exposure, used) = (Decimal.zero, Decimal.zero, Decimal.zero, Decimal.zero)
        var isPartial = false
        for position in book.positions {
            guard let figures = try FakeSaxoValuation(position, in: book, settings).figures else {
                isPartial = true
                continue
            }
            if position.listing.assetType.isOnMargin {
                let part = try figures.exposureInBase.magnitude
                profit = try profit + figures.profitInBase
                exposure = try exposure + part
                used =
                    try used
                    + (part * position.listing.marginPercent).divided(by: 100, to: 2, .halfEven)
            } else {
                paid = try paid + figures.marketValueInBase
            }
        }
        self.book = book
        paidValue = paid
        marginProfit = profit
        self.exposure = exposure
        marginUsed = used
        self.isPartial = isPartial
    }

    var unrealizedValue: Decimal { get throws { try paidValue + marginProfit } }
    var totalValue: Decimal { get throws { try book.cash + unrealizedValue } }
    /// The equity that can be used as margin: without the value of shares and funds.
    var netEquityForMargin: Decimal { get throws { try book.cash + marginProfit } }
    /// The amount that can be spent; never negative.
    var available: Decimal { get throws { max(.zero, try netEquityForMargin - marginUsed) } }

    func document(_ format: FakeSaxoFormat) throws -> JSONDocument {
        let equity = try netEquityForMargin
        let available = try format.number(available)
        func percent(_ part: Decimal, of whole: Decimal) throws -> JSONDocument {
            whole.isZero ? 0 : format.number(try (part * 100).divided(by: whole, to: 2, .halfEven))
        }
        let count = JSONDocument.integer(book.positions.count)
        return [
            "CalculationReliability": isPartial ? "NoMarketAccess" : "Ok",
            "CashBalance": format.number(book.cash),
            "CashAvailableForTrading": available,
            "CashBlocked": 0,
            "TotalValue": format.number(try totalValue),
            "MarginAvailableForTrading": available,
            "MarginUsedByCurrentPositions": format.number(try marginUsed.negated),
            "MarginUtilizationPct": try percent(marginUsed, of: equity),
            "MarginNetExposure": format.number(exposure),
            "MarginExposureCoveragePct": try percent(equity, of: exposure),
            "NetEquityForMargin": format.number(equity),
            "NonMarginPositionsValue": format.number(paidValue),
            "UnrealizedPositionsValue": format.number(try unrealizedValue),
            "UnrealizedMarginProfitLoss": format.number(marginProfit),
            "CostToClosePositions": 0,
            "TransactionsNotBooked": 0,
            "OptionPremiumsMarketValue": 0,
            "Currency": .string(book.currency),
            "CurrencyDecimals": .integer(FakeSaxoRates.decimals(of: book.currency)),
            "ChangesScheduled": false,
            "ClosedPositionsCount": 0,
            "OpenPositionsCount": .integer(book.positions.reduce(0) { $0 + $1.executions }),
            "NetPositionsCount": count,
            "OrdersCount": .integer(book.orderCount),
            "TriggerOrdersCount": 0,
        ]
    }
}

/// The value of a position at one moment, in its own currency and in the base currency.
struct FakeSaxoValuation {
    let position: FakeSaxoPositionBook.Position
    let quote: FakeSaxoQuote
    /// Nil without a price.
    let figures: Figures?

    struct Figures {
        /// In ticks.
        let price: Int
        let priceType: String
        let averageOpenPrice: Decimal
        let exposure: Decimal
        let exposureInBase: Decimal
        let marketValue: Decimal
        let marketValueInBase: Decimal
        let profit: Decimal
        let profitInBase: Decimal
        let conversionRate: Decimal
        let dayPercentChange: Decimal
        /// Zero or less; the sandbox expects no costs of closing.
        let costs: Decimal
        let costsInBase: Decimal
    }

    init(
        _ position: FakeSaxoPositionBook.Position, in book: FakeSaxoPositionBook, _ settings: FakeSaxoSettings
    ) throws {
        self.position = position
        let listing = position.listing
        let quote = FakeSaxoQuote(position.listing, at: book.view, settings)
        self.quote = quote
        guard let last = quote.last else {
            figures = nil
            return
        }
        // Positions on margin are valued at the closing side of the quote; others at the last price.
        let isOnMargin = position.listing.assetType.isOnMargin
        let side = position.amount.isNegative ? quote.ask?.price : quote.bid?.price
        let price = isOnMargin ? side ?? last : last
        let decimals = FakeSaxoRates.decimals(of: listing.currency)
        let value = try position.amount * listing.value(price)
        let profit = try value - position.cost
        let exposure =
            listing.exposureCurrency == listing.currency ? value : position.amount
        func base(_ amount: Decimal, from currency: String) throws -> Decimal {
            try book.rates.converted(amount, from: currency, to: book.currency)
        }
        let marketValue = isOnMargin ? profit : value
        figures = Figures(
            price: price,
            priceType: isOnMargin ? (position.amount.isNegative ? "Ask" : "Bid") : "LastTraded",
            averageOpenPrice: try position.cost.divided(
                by: position.amount * listing.priceFactor, to: listing.instrument.decimals + 2, .halfEven),
            exposure: exposure.rounded(to: 2, .halfEven),
            exposureInBase: try base(exposure, from: listing.exposureCurrency),
            marketValue: marketValue.rounded(to: decimals, .halfEven),
            marketValueInBase: try base(marketValue, from: listing.currency),
            profit: profit.rounded(to: decimals, .halfEven),
            profitInBase: try base(profit, from: listing.currency),
            conversionRate: book.rates.rate(from: listing.currency, to: book.currency) ?? 1,
            dayPercentChange: quote.percentChange(of: price), costs: try position.commission.negated,
            costsInBase: try base(position.commission.negated, from: listing.currency))
    }
}

/// The exchange rates at a moment, by the market's last prices.
struct FakeSaxoRates: Sendable {
    let market: Market
    /// Seconds since 1970.
    let second: Int
    /// The day whose official closes apply instead of the last prices at ``second``; nil for the last prices.
    var closeOf: CalendarDate?

    /// Returns the price of one unit of `from` in units of `to`, with 10 decimals; 1 for the same.
    ///
    /// Nil if the market has no pairs that connect them.
    func rate(from: String, to: String) -> Decimal? {
        if from == to { return 1 }
        if let direct = direct(from, to) { return direct }
        // Every currency of the market has a pair with the dollar or the euro.
        for middle in ["USD", "EUR"] where middle != from && middle != to {
            if let first = direct(from, middle), let second = direct(middle, to),
                let rate = try? first * second
            {
                return rate.rounded(to: 10, .halfEven)
            }
        }
        return nil
    }

    private func direct(_ from: String, _ to: String) -> Decimal? {
        if let price = price("\(from)/\(to)") { return price }
        return price("\(to)/\(from)").flatMap { try? Decimal(1).divided(by: $0, to: 10, .halfEven) }
    }

    private func price(_ symbol: String) -> Decimal? {
        guard let instrument = market.anyInstrument(symbol) else { return nil }
        if let closeOf, let session = market.schedule(of: instrument).session(onOrBefore: closeOf) {
            return instrument.price(market.close(instrument, session))
        }
        return instrument.price(market.lastTrade(instrument, at: second).price)
    }

    /// Returns an amount in another currency, rounded to its minor unit.
    func converted(_ amount: Decimal, from: String, to: String) throws -> Decimal {
        guard let rate = rate(from: from, to: to) else { throw NoRate(from: from, to: to) }
        return try (amount * rate).rounded(to: Self.decimals(of: to), .halfEven)
    }

    /// The market has no pairs for a conversion.
    struct NoRate: Error, Hashable {
        let from: String
        let to: String
    }

    /// Returns the number of decimals of a currency (ISO 4217).
    static func decimals(of currency: String) -> Int { currency == "JPY" ? 0 : 2 }
}
