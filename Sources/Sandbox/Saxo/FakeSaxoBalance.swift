import Brokerage

/// The figures of a balance, in the book's currency.
struct FakeSaxoBalance {
    let book: FakeSaxoBook
    /// What shares and funds are worth.
    let paidValue: Decimal
    /// Profit and loss of everything on margin.
    let marginProfit: Decimal
    let exposure: Decimal
    let marginUsed: Decimal
    /// Whether a price was missing, so that something counts for nothing.
    let isPartial: Bool

    init(_ book: FakeSaxoBook, _ settings: FakeSaxoSettings) throws {
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
    /// What may be used as margin: all but what shares and funds are worth.
    var netEquityForMargin: Decimal { get throws { try book.cash + marginProfit } }
    /// What can be spent; never below zero.
    var available: Decimal { get throws { max(.zero, try netEquityForMargin - marginUsed) } }

    func document(_ format: FakeSaxoFormat) throws -> JSONDocument {
        let equity = try netEquityForMargin
        let available = try format.number(available)
        func percent(_ part: Decimal, of whole: Decimal) throws -> JSONDocument {
            whole.isZero ? 0 : format.number(try (part * 100).divided(by: whole, to: 2, .halfEven))
        }
        let count = JSONDocument(integerLiteral: book.positions.count)
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
            "CurrencyDecimals": JSONDocument(integerLiteral: FakeSaxoRates.decimals(of: book.currency)),
            "ChangesScheduled": false,
            "ClosedPositionsCount": 0,
            "OpenPositionsCount": JSONDocument(
                integerLiteral: book.positions.reduce(0) { $0 + $1.executions }),
            "NetPositionsCount": count,
            "OrdersCount": JSONDocument(integerLiteral: book.orderCount),
            "TriggerOrdersCount": 0,
        ]
    }
}
