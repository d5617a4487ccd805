import Brokerage
import GraphQL

/// The profit or loss of a position since the previous close, in the currency of the instrument.
struct DayProfit: Sendable {
    let amount: Decimal
    /// In per cent of the value at the previous close.
    let percentage: Decimal?
}

extension DayProfit {
    /// As the broker reports it; nil if it does not.
    fileprivate init?(_ position: Position) {
        guard let amount = position.dayProfitLoss else { return nil }
        self.init(amount: amount, percentage: position.dayProfitLossPercent)
    }

    /// The change of the price since the previous close, as if the whole position had been held since then.
    ///
    /// Nil without the change, and if it is in another currency than the position.
    fileprivate init?(_ position: Position, at quote: Quote) {
        guard let change = quote.change, quote.currency == position.currency,
            let amount = try? position.signedQuantity * change
        else { return nil }
        let percentage = quote.changePercent.flatMap { percent in
            position.side == .long ? percent : try? percent.negated
        }
        self.init(amount: amount.rounded(in: position.currency).withoutTrailingZeros, percentage: percentage)
    }
}

extension Position {
    /// Whether the profit of the day can be calculated from a quote: the broker values the position and does not report it.
    fileprivate var needsQuoteOfDay: Bool {
        dayProfitLoss == nil && currentPrice != nil && assetClass?.isPricedPerUnit == true
    }
}

extension AccountService {
    /// The day's profit or loss of positions: as the broker reports it, otherwise calculated from the broker's quotes.
    ///
    /// The quotes of all positions at a broker are read together. It is nil if the broker has no quote, and an error if
    /// the quote could not be read.
    func dayProfits(of positions: [ConnectedPosition]) -> MaybeAsync<BatchResults<DayProfit?>> {
        let open = Dictionary(
            grouping: positions.filter(\.position.needsQuoteOfDay), by: \.connection.provider
        )
        .mapValues { Set($0.map(\.position.symbol)).sorted { $0.text < $1.text } }
        let providers = open.keys.sorted { $0.name.text < $1.name.text }
        return MaybeAsync.each(providers) { QuoteService(scope).quotes(for: open[$0] ?? [], from: $0) }.map {
            lists in
            var quotes: [ProviderID: [Symbol: Result<Quote, any Error>]] = [:]
            for (provider, list) in zip(providers, lists) {
                let symbols = open[provider] ?? []
                let results =
                    switch list {
                    case .success(let results): results
                    case .failure(let error): symbols.map { _ in Result<Quote, any Error>.failure(error) }
                    }
                quotes[provider] = Dictionary(zip(symbols, results)) { first, _ in first }
            }
            return positions.map { connected in
                let position = connected.position
                if let reported = DayProfit(position) { return .success(reported) }
                guard let quote = quotes[connected.connection.provider]?[position.symbol] else {
                    return .success(nil)
                }
                return quote.map { DayProfit(position, at: $0) }.flatMapError { error in
                    error.meansNoQuote ? .success(nil) : .failure(error)
                }
            }
        }
    }
}

extension Error {
    /// Whether the broker has no quote for the user, rather than that it failed.
    fileprivate var meansNoQuote: Bool {
        switch (self as? FieldError)?.code {
        case .notFound, .assetNotFound, .unsupported, .notEntitled: true
        default: false
        }
    }
}
