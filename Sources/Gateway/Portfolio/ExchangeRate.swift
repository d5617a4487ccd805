import Brokerage
import GraphQL
import Upstream

/// The value of one unit of a currency in another, and its source.
struct ExchangeRate: Hashable, Sendable {
    let from: Currency
    let to: Currency
    let rate: Decimal
    let provenance: Provenance
}

/// A currency by its ISO 4217 code.
struct Currency: Hashable, Sendable, CustomStringConvertible {
    let code: String

    /// - Parameters:
    ///   - code: Three letters.
    ///   - argument: The argument that has the code; nil for a code from a provider.
    /// - Throws: `FieldError` for an invalid code.
    init(_ code: String, of argument: String? = nil) throws(FieldError) {
        guard code.utf8.count == 3,
            code.utf8.allSatisfy({ (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) })
        else {
            let reason = "\"\(code.beginning(10))\" is not a currency"
            guard let argument else {
                throw FieldError(.noExchangeRate, "\(reason) of ISO 4217, so that it has no rate.")
            }
            throw .argument(argument, "\(reason). Use a code of ISO 4217, such as USD.")
        }
        self.code = code
    }

    private init(valid code: String) {
        self.code = code
    }

    static let dollar = Currency(valid: "USD")

    var description: String { code }
}

/// The currencies of a conversion.
struct CurrencyPair: Hashable, Sendable {
    let from: Currency
    let to: Currency

    var symbol: Symbol? { Symbol("\(from)/\(to)") }
    var inverse: CurrencyPair { CurrencyPair(from: to, to: from) }

    /// The pair in the direction in which markets quote it, such as EUR/USD and USD/JPY.
    ///
    /// It is the pair itself if neither currency is in the list of base currencies.
    var asQuoted: CurrencyPair {
        let order = Self.baseCurrencies
        return (order.firstIndex(of: to.code) ?? order.count)
            < (order.firstIndex(of: from.code) ?? order.count)
            ? inverse : self
    }

    /// The base currency of a pair is the one that is earliest in this list.
    private static let baseCurrencies = ["EUR", "GBP", "AUD", "NZD", "USD", "CAD", "CHF"]
}

extension FieldError {
    static func noRate(_ pair: CurrencyPair) -> FieldError {
        FieldError(
            .noExchangeRate, "No provider that is configured has a rate of \(pair.from) in \(pair.to) now.")
    }
}

extension ExchangeRate {
    /// Converts an amount to the other currency; nil if it has too many digits.
    func convert(_ amount: Decimal) -> Decimal? {
        try? (amount * rate).rounded(in: to.code)
    }
}

extension ExchangeRate: GraphQLObject {
    static let graphQL = ObjectType<ExchangeRate>("ExchangeRate") {
        Field("from") { $0.from.code }
        Field("to") { $0.to.code }
        Field("rate", \.rate)
        Field("asOf", \.provenance.asOf)
        Field("fetchedAt", \.provenance.fetchedAt)
        Field("source", \.provenance.source)
        Field("stale", \.provenance.isStale)
    }
}

/// Rates between several currencies.
package struct ExchangeRateTable: Sendable {
    private let rates: [CurrencyPair: Result<ExchangeRate?, any Error>]

    init(_ rates: [CurrencyPair: Result<ExchangeRate?, any Error>]) {
        self.rates = rates
    }

    /// The value of one unit of a currency in another; nil if both are the same.
    ///
    /// - Throws: `FieldError` if no source has the rate.
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
