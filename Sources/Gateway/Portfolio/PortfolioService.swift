import Brokerage
package import GraphQL
import Storage
import Upstream

/// A user's portfolio: the holdings at all brokers in one currency.
package struct PortfolioService: Sendable {
    let scope: RequestScope
    let reads: MarketDataReads
}

extension PortfolioService {
    package init(_ scope: RequestScope) {
        self.init(scope: scope, reads: MarketDataReads(scope))
    }

    /// Everything that the user holds, in one currency: accounts, positions and rates, each read once.
    package func portfolio(in code: String) throws -> MaybeAsync<Portfolio?> {
        let currency = try Currency(code, of: "currency")
        let owner = try scope.owner()
        let connections = try ConnectionDirectory(scope).connections(with: nil)
        let accounts = MaybeAsync.each(connections) { AccountService(scope).readAccounts(of: $0) }
        let positions = MaybeAsync.each(connections) { AccountService(scope).positions(of: $0, symbols: nil) }
        return .async {
            async let accountResults = accounts.value()
            async let positionResults = positions.value()
            let holdings = Holdings(
                at: connections, accounts: try await accountResults,
                positions: try await positionResults.map { $0.map { $0 ?? [] } })
            let rates = try await self.rates(holdings.currencies, in: currency)
            return Portfolio(holdings, of: owner, in: currency, rates: rates)
        }
    }

    /// The slices of one account, in its own currency.
    func allocation(of account: ConnectedAccount, by key: AllocationKey) throws -> MaybeAsync<[Allocation]?> {
        let positions = AccountService(scope).positions(of: account, symbols: nil)
        let figures = try AccountService(scope).figures(of: account)
        return .async { [self] in
            async let positionResults = positions.value()
            let account = LoadedAccount(account: try await figures.value(), connection: account.connection)
            let holdings = Holdings(
                at: [account.connection], accounts: [.success([account])],
                positions: [.success(try await positionResults ?? [])])
            let currency = try Currency(account.account.currency)
            let rates = try await self.rates(holdings.currencies, in: currency)
            return try await slices(of: holdings, in: currency, by: rates, key).value()
        }
    }

    /// The slices of all holdings, in one currency.
    ///
    /// - Throws: The failure of an account or a position: the shares of the others would not be those of the whole.
    func slices(
        of holdings: Holdings, in currency: Currency, by rates: ExchangeRates, _ key: AllocationKey
    ) throws -> MaybeAsync<[Allocation]?> {
        if let failure = holdings.failure { throw failure }
        let groups: MaybeAsync<[String?]> =
            switch key {
            case .assetClass:
                InstrumentService(scope).assetClasses(of: holdings.positions).map { classes in
                    classes.map { $0?.rawValue }
                }
            case .sector: companies(of: holdings.positions) { $0.sector.map(Self.capitalized) }
            // Providers write a code or one of several names.
            case .country:
                companies(of: holdings.positions) { company in
                    company.country.map { Country($0)?.name ?? Self.capitalized($0) }
                }
            case .currency, .provider, .account, .instrument: .ready(holdings.positions.map { _ in nil })
            }
        return try groups.map { groups in
            try Allocation.slices(
                of: holdings.values(in: currency, rates: rates, groups: groups), in: currency, by: key)
        }
    }

    /// A property of the company of each position, from the first source that has it; nil if it is unknown.
    ///
    /// Providers write the same name in different case, and which of them responds depends on quotas: `property` returns one
    /// form of a name.
    private func companies(
        of positions: [ConnectedPosition], _ property: @escaping @Sendable (Fundamentals) -> String?
    ) -> MaybeAsync<[String?]> {
        // In an order, so that a small quota is spent on the same companies by each process.
        let symbols = Set(positions.map(\.position.symbol)).sorted { $0.text < $1.text }
        let results = reads.results(for: symbols, named: { "company \"\($0)\"" }, as: property) {
            () throws(FieldError) in
            var routedRead = InstrumentService(scope).fundamentalsRead(
                from: try reads.sources(for: .fundamentals, from: nil))
            routedRead.isComplete = { property($0) != nil }
            return routedRead
        }
        return results.map { results in
            let found = Dictionary(
                uniqueKeysWithValues: zip(symbols, results.map { try? $0.get() ?? nil }))
            return positions.map { connected in found[connected.position.symbol] ?? nil }
        }
    }

    private static func capitalized(_ text: String) -> String {
        text.split(separator: " ").map { $0.prefix(1).uppercased() + $0.dropFirst().lowercased() }
            .joined(separator: " ")
    }

    /// The exchange rates of currencies; a currency without a rate is missing.
    private func rates(_ codes: Set<String>, in currency: Currency) async throws -> ExchangeRates {
        let pairs = codes.sorted().compactMap { code in
            (try? Currency(code)).map { CurrencyPair(from: $0, to: currency) }
        }
        let results = try await ExchangeRateService(scope).rates(of: pairs).value()
        var rates = ExchangeRates(currency: currency)
        for (pair, result) in zip(pairs, results) {
            if case .success(let rate?) = result { rates.known[pair.from.code] = rate }
        }
        return rates
    }
}

/// Rates of some currencies in one.
struct ExchangeRates: Sendable {
    let currency: Currency
    var known: [String: ExchangeRate] = [:]

    init(currency: Currency) {
        self.currency = currency
    }

    func convert(_ amount: Decimal, from code: String) -> Decimal? {
        code == currency.code ? amount : known[code]?.convert(amount)
    }
}

/// The holdings of a user's accounts that could be read, and the failure of the others.
struct Holdings: Sendable {
    let accounts: [LoadedAccount]
    let positions: [ConnectedPosition]
    /// The reason why holdings are missing; nil if all accounts could be read.
    let failure: (any Error)?

    /// The failures of the positions that could not be read, one for each position or connection, by the ids of the
    /// connections.
    let positionFailures: [(connection: String, failure: any Error)]

    /// - Parameters:
    ///   - connections: The connections of the user.
    ///   - accounts: The accounts of each connection.
    ///   - positions: The positions in the accounts of each connection, and failures of those that could not be read.
    init(
        at connections: [BrokerConnection], accounts: BatchResults<[LoadedAccount]>,
        positions: BatchResults<BatchResults<ConnectedPosition>>
    ) {
        self.accounts = accounts.flatMap { (try? $0.get()) ?? [] }
        let lists = positions.map { result -> BatchResults<ConnectedPosition> in
            switch result {
            case .success(let list): list
            case .failure(let error): [.failure(error)]
            }
        }
        self.positions = lists.joined().compactMap { try? $0.get() }
        positionFailures = zip(connections, lists).flatMap { connection, list in
            list.compactMap(\.error).map { (connection.id, $0) }
        }
        failure = accounts.lazy.compactMap(\.error).first ?? positionFailures.first?.failure
    }

    /// The accounts of which it is known what they hold.
    var readAccounts: [ConnectedAccount] {
        accounts.filter { account in !positionFailures.contains { $0.connection == account.connection.id } }
            .map(\.connectedAccount)
    }

    /// The group of positions whose sector or country no provider knows, or whose account could not be read.
    private static let unknown = "UNKNOWN"

    /// The `id` of the account of a position; nil if the position does not name it and it could not be read.
    private func account(of connected: ConnectedPosition) -> String? {
        let connection = connected.connection
        return connected.position.accountID.map(connection.globalID(ofAccount:))
            ?? accounts.first { $0.connection.id == connection.id }?.globalID
    }

    /// Every currency that something is in.
    var currencies: Set<String> {
        Set(accounts.map(\.account.currency) + positions.map(\.position.currency))
    }

    /// Positions and cash with their values in one currency, without those whose value is unknown.
    ///
    /// - Parameters:
    ///   - currency: The currency of the values.
    ///   - rates: The exchange rates.
    ///   - groups: For each position in the same order its asset class, sector or country, if the allocation is by one of
    ///     these. A position with nil has the asset class OTHER, and an unknown sector or country.
    /// - Returns: The positions with a value, and the cash of each account.
    func values(in currency: Currency, rates: ExchangeRates, groups: [String?]) -> [ValuedHolding] {
        let cash = accounts.compactMap { loaded -> ValuedHolding? in
            guard let cash = loaded.account.cash,
                let value = rates.convert(cash, from: loaded.account.currency), value != .zero
            else { return nil }
            return ValuedHolding(
                value: value,
                keys: [
                    .assetClass: AssetClass.cash.rawValue, .sector: AssetClass.cash.rawValue,
                    .country: AssetClass.cash.rawValue, .currency: loaded.account.currency,
                    .provider: loaded.connection.provider.name.text, .account: loaded.globalID,
                    .instrument: AssetClass.cash.rawValue,
                ])
        }
        let held = zip(positions, groups).compactMap { connected, group -> ValuedHolding? in
            let position = connected.position
            guard let worth = position.marketValue,
                let value = rates.convert(worth, from: position.currency)
            else { return nil }
            return ValuedHolding(
                value: value,
                keys: [
                    .assetClass: group ?? AssetClass.other.rawValue, .sector: group ?? Self.unknown,
                    .country: group ?? Self.unknown, .currency: position.currency,
                    .provider: connected.connection.provider.name.text,
                    .account: account(of: connected) ?? Self.unknown,
                    .instrument: position.symbol.text,
                ])
        }
        return cash + held
    }
}

extension Result where Failure == any Error {
    fileprivate var error: (any Error)? {
        guard case .failure(let error) = self else { return nil }
        return error
    }
}
