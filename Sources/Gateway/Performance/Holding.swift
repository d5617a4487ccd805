import Brokerage
import GraphQL
import Performance
import Upstream

/// What a user holds of one instrument in all accounts that could be read.
struct Holding: Sendable {
    let portfolio: Portfolio
    let symbol: Symbol
    /// The ISO 4217 code of the instrument.
    let currency: String
    /// In the accounts, at least one.
    let positions: [ConnectedPosition]
    /// Negative for a short position.
    let quantity: Decimal
    /// The sum of the positions' values in the currency of the instrument, rounded; nil if a broker reports none.
    let marketValue: Decimal?
    /// In the currency of the portfolio; nil if it or the exchange rate is unknown.
    let value: Decimal?

    fileprivate init(
        _ symbol: Symbol, in currency: String, _ positions: [ConnectedPosition], of portfolio: Portfolio
    ) throws {
        (self.portfolio, self.symbol, self.currency) = (portfolio, symbol, currency)
        self.positions = positions
        quantity = try positions.reduce(.zero) { try $0 + $1.position.signedQuantity }
        marketValue = try positions.sum(of: \.marketValue)?.rounded(in: currency)
        value = marketValue.flatMap { portfolio.rates.convert($0, from: currency) }
    }

    /// The holdings of a portfolio, the largest value first; those without a known value are last.
    static func all(of portfolio: Portfolio) throws -> [Holding] {
        let groups = Dictionary(grouping: portfolio.holdings.positions) {
            Key(symbol: $0.position.symbol, currency: $0.position.currency)
        }
        return try groups.map { key, positions in
            try Holding(key.symbol, in: key.currency, positions, of: portfolio)
        }.sorted { $0.sortKey < $1.sortKey }
    }

    private struct Key: Hashable {
        let symbol: Symbol
        let currency: String
    }

    /// The place in the list.
    var sortKey: HoldingSortKey { HoldingSortKey(value: value, symbol: symbol.text, currency: currency) }

    /// The price with which the brokers value it.
    var price: Decimal? { positions.lazy.compactMap(\.position.currentPrice).first }

    /// What a unit of the quantity is worth by the price; nil if it is unknown, as if the units of a contract are.
    var unitValue: Decimal? {
        positions.lazy.map(\.position).compactMap { position in
            guard let price = position.currentPrice, let multiplier = position.priceMultiplier else {
                return nil
            }
            return try? price * multiplier
        }.first
    }

    fileprivate func weight() throws -> Decimal? {
        guard let value, let total = try portfolio.sum(\.equity) else { return nil }
        return value.percent(of: total)
    }

    /// The quantities by the schema's ids of the accounts.
    ///
    /// - Throws: The failure of an account that holds the instrument.
    func instrument() throws -> HeldInstrument {
        var quantities: [String: Decimal] = [:]
        for connected in positions {
            guard let id = portfolio.account(of: connected)?.globalID else {
                guard let failure = portfolio.holdings.failure else { continue }
                throw failure
            }
            quantities[id] = try (quantities[id] ?? .zero) + connected.position.signedQuantity
        }
        return HeldInstrument(
            symbol: symbol, currency: currency, quantities: quantities,
            multiplier: positions.lazy.compactMap(\.position.priceMultiplier).first)
    }
}

extension [ConnectedPosition] {
    /// The sum of an amount; nil if it is unknown of one.
    fileprivate func sum(of amount: (Position) -> Decimal?) throws(Decimal.Overflow) -> Decimal? {
        var sum = Decimal.zero
        for connected in self {
            guard let value = amount(connected.position) else { return nil }
            sum = try sum + value
        }
        return sum
    }
}

extension Portfolio {
    /// The account of a position; one without an account is in the only account of its connection.
    func account(of connected: ConnectedPosition) -> ConnectedAccount? {
        let accounts = holdings.accounts.filter { $0.connection.id == connected.connection.id }
        return connected.accountReference.account(among: accounts.map(\.connectedAccount))
    }
}

/// The place of a holding in the list: by value, then by symbol and currency.
struct HoldingSortKey: Comparable, Sendable {
    let value: Decimal?
    let symbol: String
    let currency: String

    static func < (one: HoldingSortKey, other: HoldingSortKey) -> Bool {
        switch (one.value, other.value) {
        case (let value?, let otherValue?) where value != otherValue: value > otherValue
        case (.some, nil): true
        case (nil, .some): false
        case (.some, .some), (nil, nil): (one.symbol, one.currency) < (other.symbol, other.currency)
        }
    }
}

extension Holding: GraphQLObject {
    typealias Context = RequestScope

    static let graphQL = ObjectType<Holding>("Holding") {
        Field("symbol", \.symbol)
        Field(
            "instrument",
            load: { holdings, scope in InstrumentService(scope).instruments(for: holdings.map(\.symbol)) })
        Field("currency", \.currency)
        Field("quantity", \.quantity)
        Field("price") { $0.price }
        Field("marketValue", \.marketValue)
        Field("value", \.value)
        Field("weightPercentage", throwing: { try $0.weight() })
        Field("dayProfitLoss", load: { holdings, scope in PortfolioService(scope).dayProfits(of: holdings) })
        Field(
            "dayContributionPercentage",
            load: { holdings, scope in PortfolioService(scope).dayContributions(of: holdings) })
        Field("positions", \.positions)
        Field(
            "nextDividendDate",
            load: { holdings, scope in
                let today = scope.clock.wallTime().inNewYork.date
                return CorporateActionService(scope).nextDividendDates(
                    of: holdings.map(\.symbol), from: today)
            })
        Field(
            "profit",
            load: { holdings, scope in .async { try await PerformanceService(scope).profits(of: holdings) } })
        Field(
            "performance", PerformanceArguments.self,
            load: { holdings, arguments, scope in
                PerformanceService(scope).performances(of: holdings, arguments) { holding in
                    PerformanceSubject(
                        accounts: holding.portfolio.holdings.readAccounts,
                        currency: arguments.currency ?? holding.portfolio.currency,
                        instrument: try holding.instrument(),
                        isPartial: holding.portfolio.holdings.failure != nil)
                }
            })
    }
}
