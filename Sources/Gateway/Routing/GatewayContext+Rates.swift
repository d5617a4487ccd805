import Brokerage
import GraphQL
import Upstream

/// What one unit of a currency is worth in another, and who said so.
struct ExchangeRate: Hashable, Sendable {
    let from: Currency
    let to: Currency
    let rate: Decimal
    let reading: Reading
}

/// A currency by its ISO 4217 code.
struct Currency: Hashable, Sendable, CustomStringConvertible {
    let code: String

    /// - Throws: `FieldError` for what is no code.
    init(_ code: String) throws(FieldError) {
        guard code.utf8.count == 3,
            code.utf8.allSatisfy({ (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) })
        else {
            throw FieldError(
                .badUserInput, "\"\(code.prefix(10))\" is no currency: it takes a code of ISO 4217, like USD."
            )
        }
        self.code = code
    }

    private init(valid code: String) {
        self.code = code
    }

    static let dollar = Currency(valid: "USD")

    var description: String { code }
}

/// What is to be converted into what.
struct CurrencyPair: Hashable, Sendable {
    let from: Currency
    let to: Currency

    fileprivate var symbol: Symbol? { Symbol("\(from)/\(to)") }
    fileprivate var inverse: CurrencyPair { CurrencyPair(from: to, to: from) }
}

extension GatewayContext {
    /// Digits that an inverted rate is rounded to: markets quote five.
    private static var digitsOfInverse: Int { 10 }

    /// The rate of each pair, in the order asked; nil where both currencies are the same.
    ///
    /// Markets quote a pair one way round only: both are asked for in one go, and the way round that is quoted is taken.
    func rates(of pairs: [CurrencyPair]) -> Loading<Answers<ExchangeRate?>> {
        let foreign = pairs.filter { $0.from != $0.to }
        let symbols = Set(foreign.flatMap { [$0.symbol, $0.inverse.symbol].compactMap(\.self) })
            .sorted { $0.text < $1.text }
        if symbols.isEmpty { return .ready(pairs.map { _ in .success(nil) }) }
        return quotes(for: symbols, from: nil).map { answers in
            let quotes = Dictionary(zip(symbols, answers), uniquingKeysWith: { first, _ in first })
            return pairs.map { pair in
                pair.from == pair.to
                    ? .success(nil) : Result { try Self.rate(of: pair, in: quotes) }
            }
        }
    }

    private static func rate(
        of pair: CurrencyPair, in quotes: [Symbol: Result<Quote, any Error>]
    ) throws -> ExchangeRate? {
        if let quote = try? pair.symbol.flatMap({ quotes[$0] })?.get(), let rate = quote.price, rate > .zero {
            return ExchangeRate(from: pair.from, to: pair.to, rate: rate, reading: quote.reading)
        }
        if let quote = try? pair.inverse.symbol.flatMap({ quotes[$0] })?.get(), let inverse = quote.price,
            inverse > .zero,
            let rate = try? Decimal(1).divided(by: inverse, to: digitsOfInverse, .halfEven)
        {
            return ExchangeRate(from: pair.from, to: pair.to, rate: rate, reading: quote.reading)
        }
        throw FieldError.noRate(pair)
    }
}

extension FieldError {
    static func noRate(_ pair: CurrencyPair) -> FieldError {
        FieldError(
            .noExchangeRate, "No provider that is configured has a rate of \(pair.from) in \(pair.to) now.")
    }
}

extension ExchangeRate {
    /// An amount in the other currency; nil where it has too many digits.
    func convert(_ amount: Decimal) -> Decimal? {
        // Two digits beyond those of the money that is converted.
        try? (amount * rate).rounded(to: max(amount.scale, 2), .halfEven)
    }
}

extension ExchangeRate: GraphQLObject {
    typealias Context = GatewayContext

    static let graphQL = Object<ExchangeRate>("ExchangeRate") {
        Field("from") { $0.from.code }
        Field("to") { $0.to.code }
        Field("rate", \.rate)
        Field("asOf", \.reading.asOf)
        Field("fetchedAt", \.reading.fetchedAt)
        Field("source", \.reading.source)
        Field("stale", \.reading.isStale)
    }
}
