import Brokerage
import GraphQL

/// Rates between several currencies.
struct ExchangeRateTable: Sendable {
    private let rates: [CurrencyPair: Result<ExchangeRate?, any Error>]

    fileprivate init(_ rates: [CurrencyPair: Result<ExchangeRate?, any Error>]) {
        self.rates = rates
    }

    /// What one unit of a currency is worth in another; nil where both are the same.
    ///
    /// - Throws: `FieldError` where no source has the rate.
    func rate(from: String, to: String) throws -> ExchangeRate? {
        if from == to { return nil }
        guard let from = try? Currency(from), let to = try? Currency(to),
            let rate = rates[CurrencyPair(from: from, to: to)]
        else { throw FieldError(.noExchangeRate, "No rate of \(from) in \(to) is known.") }
        return try rate.get()
    }

    /// An amount in another currency.
    func convert(_ amount: Decimal, from: String, to: String) throws -> Decimal {
        guard let rate = try rate(from: from, to: to) else { return amount }
        guard let converted = rate.convert(amount) else { throw Decimal.Overflow() }
        return converted
    }
}

extension GatewayContext {
    /// The rates of some pairs of currency codes, asked for in one go; one that is no code has none.
    func rateTable(_ pairs: [(from: String, to: String)]) -> MaybeAsync<ExchangeRateTable> {
        let wanted = Set(
            pairs.filter { $0.from != $0.to }.compactMap { pair -> CurrencyPair? in
                guard let from = try? Currency(pair.from), let to = try? Currency(pair.to) else { return nil }
                return CurrencyPair(from: from, to: to)
            }
        ).sorted { ($0.from.code, $0.to.code) < ($1.from.code, $1.to.code) }
        return rates(of: wanted).map { answers in
            ExchangeRateTable(Dictionary(zip(wanted, answers), uniquingKeysWith: { first, _ in first }))
        }
    }
}
