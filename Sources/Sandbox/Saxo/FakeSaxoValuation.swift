import Brokerage

/// What a position is worth at its moment, in its own currency and in the base currency.
struct FakeSaxoValuation {
    let position: FakeSaxoBook.Position
    let quote: FakeSaxoQuote
    /// Nil where no price is told.
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
    }

    init(_ position: FakeSaxoBook.Position, in book: FakeSaxoBook, _ settings: FakeSaxoSettings) throws {
        self.position = position
        let instrument = position.listing.instrument
        let quote = FakeSaxoQuote(position.listing, at: book.view, settings)
        self.quote = quote
        guard let last = quote.last else {
            figures = nil
            return
        }
        // What is on margin is closed at the other side's price; the rest is told at the last.
        let isOnMargin = position.listing.assetType.isOnMargin
        let side = position.amount.isNegative ? quote.ask?.price : quote.bid?.price
        let price = isOnMargin ? side ?? last : last
        let decimals = FakeSaxoRates.decimals(of: instrument.currency)
        let value = try position.amount * instrument.price(price)
        let profit = try value - position.cost
        let exposure =
            position.listing.exposureCurrency == instrument.currency ? value : position.amount
        func base(_ amount: Decimal, from currency: String) throws -> Decimal {
            try book.rates.converted(amount, from: currency, to: book.currency)
        }
        let worth = isOnMargin ? profit : value
        figures = Figures(
            price: price,
            priceType: isOnMargin ? (position.amount.isNegative ? "Ask" : "Bid") : "LastTraded",
            averageOpenPrice: try position.cost.divided(
                by: position.amount, to: instrument.decimals + 2, .halfEven),
            exposure: exposure.rounded(to: 2, .halfEven),
            exposureInBase: try base(exposure, from: position.listing.exposureCurrency),
            marketValue: worth.rounded(to: decimals, .halfEven),
            marketValueInBase: try base(worth, from: instrument.currency),
            profit: profit.rounded(to: decimals, .halfEven),
            profitInBase: try base(profit, from: instrument.currency),
            conversionRate: book.rates.rate(from: instrument.currency, to: book.currency) ?? 1,
            dayPercentChange: quote.percentChange(of: price))
    }
}
