import Brokerage
package import GraphQL
import Upstream

/// Present exchange rates, from quotes of currency pairs.
package struct ExchangeRateService: Sendable {
    let scope: RequestScope
}

extension ExchangeRateService {
    package init(_ scope: RequestScope) {
        self.init(scope: scope)
    }

    /// Digits after the point of an inverted rate, as of the other rates that are calculated.
    private static var digitsOfInverse: Int { 12 }

    /// The rate of each pair, in the order of `pairs`; nil if both currencies are the same.
    ///
    /// Requests the direction in which markets quote the pair first, and the inverse only if no provider has
    /// a price for it.
    func rates(of pairs: [CurrencyPair]) -> MaybeAsync<BatchResults<ExchangeRate?>> {
        let quoted = Set(pairs.filter { $0.from != $0.to }.map(\.asQuoted))
        if quoted.isEmpty { return .ready(pairs.map { _ in .success(nil) }) }
        let first = prices(of: quoted)
        if case .ready(let prices) = first, prices.count == quoted.count {
            return .ready(Self.rates(of: pairs, from: prices))
        }
        return .async {
            var prices = try await first.value()
            let missing = Set(quoted.filter { prices[$0] == nil }.map(\.inverse))
            if !missing.isEmpty { prices.merge(try await self.prices(of: missing).value()) { $1 } }
            return Self.rates(of: pairs, from: prices)
        }
    }

    /// The quotes of the pairs that have a price.
    private func prices(of pairs: Set<CurrencyPair>) -> MaybeAsync<[CurrencyPair: Quote]> {
        let requested = pairs.compactMap { pair in pair.symbol.map { (pair: pair, symbol: $0) } }
            .sorted { $0.symbol.text < $1.symbol.text }
        return QuoteService(scope).quotes(for: requested.map(\.symbol), from: nil).map { results in
            var prices: [CurrencyPair: Quote] = [:]
            for (requested, result) in zip(requested, results) {
                if let quote = try? result.get(), let price = quote.price, price > .zero {
                    prices[requested.pair] = quote
                }
            }
            return prices
        }
    }

    private static func rates(
        of pairs: [CurrencyPair], from prices: [CurrencyPair: Quote]
    ) -> BatchResults<ExchangeRate?> {
        pairs.map { pair in
            if pair.from == pair.to { return .success(nil) }
            if let quote = prices[pair], let rate = quote.price {
                return .success(
                    ExchangeRate(from: pair.from, to: pair.to, rate: rate, provenance: quote.provenance))
            }
            if let quote = prices[pair.inverse], let inverse = quote.price,
                let rate = try? Decimal(1).divided(by: inverse, to: digitsOfInverse, .halfEven)
            {
                return .success(
                    ExchangeRate(from: pair.from, to: pair.to, rate: rate, provenance: quote.provenance))
            }
            return .failure(FieldError.noRate(pair))
        }
    }

    /// The rates of pairs of currency codes, read together; an invalid code has none.
    package func rateTable(_ pairs: [(from: String, to: String)]) -> MaybeAsync<ExchangeRateTable> {
        let wanted = Set(
            pairs.filter { $0.from != $0.to }.compactMap { pair -> CurrencyPair? in
                guard let from = try? Currency(pair.from), let to = try? Currency(pair.to) else { return nil }
                return CurrencyPair(from: from, to: to)
            }
        ).sorted { ($0.from.code, $0.to.code) < ($1.from.code, $1.to.code) }
        return rates(of: wanted).map { results in
            ExchangeRateTable(Dictionary(zip(wanted, results), uniquingKeysWith: { first, _ in first }))
        }
    }
}
