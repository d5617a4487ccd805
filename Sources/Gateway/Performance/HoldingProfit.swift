import Brokerage
import GraphQL
import Performance
import Upstream

/// Cost, profit and income of a holding, calculated from the activities of its accounts.
struct HoldingProfit: Sendable {
    let averageCost: CostBasis
    let fifo: CostBasis
    /// In the currency of the portfolio.
    let income: Figure<IncomeSummary>
    /// The latest day from which on the activities of an account are complete; nil if all are known.
    let since: CalendarDate?
    let isStale: Bool
}

/// Cost and profit of a holding by one method.
struct CostBasis: Sendable {
    /// The figures, or why none can be calculated.
    private let summary: Result<HoldingSummary, Undetermined>
    fileprivate let lots: [AccountLot]
    fileprivate let missing: [AccountMissingCost]
    private let currency: String
    private let portfolioCurrency: String

    fileprivate init(
        of holding: Holding, in accounts: [(ConnectedAccount, HoldingSummary.Account)],
        on today: CalendarDate,
        rates: ExchangeRateHistory
    ) throws {
        currency = holding.currency
        portfolioCurrency = holding.portfolio.currency.code
        let symbol = holding.symbol
        let price = holding.unitValue
        summary = .success(
            try HoldingSummary(
                of: symbol, in: accounts.map(\.1), price: price, on: today, currency: portfolioCurrency,
                rates: rates))
        let converted = portfolioCurrency
        lots = try accounts.flatMap { account, data in
            try (data.lots.lots[symbol] ?? []).map {
                try AccountLot($0, in: account, price: price, currency: holding.currency, converted)
            }
        }.sorted { ($0.lot.acquired ?? .earliest) < ($1.lot.acquired ?? .earliest) }
        missing = accounts.flatMap { account, data in
            data.lots.missing(of: symbol).map { AccountMissingCost(account: account, missing: $0) }
        }
    }

    fileprivate init(undetermined reason: Undetermined, _ holding: Holding) {
        (summary, lots, missing) = (.failure(reason), [], [])
        (currency, portfolioCurrency) = (holding.currency, holding.portfolio.currency.code)
    }

    fileprivate var income: Figure<IncomeSummary> {
        figure { $0.income }.map { $0.rounded(in: portfolioCurrency) }
    }

    private func figure<Value>(_ get: (HoldingSummary) -> Figure<Value>) -> Figure<Value> {
        switch summary {
        case .success(let summary): get(summary)
        case .failure(let reason): .undetermined(reason, known: nil)
        }
    }

    /// In the currency of the instrument.
    fileprivate func amount(_ get: (HoldingSummary) -> Figure<Decimal>) -> Figure<Decimal> {
        figure(get).map { $0.rounded(in: currency) }
    }

    /// In the currency of the portfolio.
    fileprivate func convertedAmount(_ get: (HoldingSummary) -> Figure<Decimal>) -> Figure<Decimal> {
        figure(get).map { $0.rounded(in: portfolioCurrency) }
    }

    fileprivate func yieldOnCost() throws -> Decimal? { try summary.get().yieldOnCost?.asPercentage }
}

/// A tax lot with its account.
private struct AccountLot: Sendable {
    let lot: TaxLot
    let account: ConnectedAccount
    let cost: Decimal?
    let convertedCost: Decimal?
    let profit: Decimal?

    init(
        _ lot: TaxLot, in account: ConnectedAccount, price: Decimal?, currency: String,
        _ portfolioCurrency: String
    ) throws {
        (self.lot, self.account) = (lot, account)
        cost = lot.cost?.rounded(in: currency)
        convertedCost = lot.convertedCost?.rounded(in: portfolioCurrency)
        profit = try price.flatMap { try lot.unrealizedProfit(price: $0) }?.rounded(in: currency)
    }
}

/// Units without a known cost, with their account.
private struct AccountMissingCost: Sendable {
    let account: ConnectedAccount
    let missing: TaxLots.MissingCost
}

extension PerformanceService {
    /// Cost, profit and income of holdings; the activities of each account are read once for all of them.
    func profits(of holdings: [Holding]) async throws -> BatchResults<HoldingProfit?> {
        var profits: BatchResults<HoldingProfit?> = holdings.map { _ in .failure(FieldError.internalError) }
        // Holdings of one layer are those of one portfolio, or of one for each currency.
        for currency in Set(holdings.map(\.portfolio.currency)) {
            let indices = holdings.indices.filter { holdings[$0].portfolio.currency == currency }
            guard let portfolio = indices.first.map({ holdings[$0].portfolio }) else { continue }
            let today = self.today(of: portfolio.holdings.readAccounts)
            let own: BatchResults<HoldingProfit?>
            do {
                own = try await calculating {
                    let books = try await books(of: portfolio)
                    return indices.map { index in Result { try books.profit(of: holdings[index], on: today) }
                    }
                }
            } catch {
                own = indices.map { _ in .failure(error) }
            }
            for (index, profit) in zip(indices, own) { profits[index] = profit }
        }
        return profits
    }

    /// Dividends and interest of the last twelve months in all accounts.
    func income(of portfolio: Portfolio) async throws -> Figure<IncomeSummary>? {
        try await calculating {
            let accounts = try portfolio.accounts()
            let results = await ledgers(of: accounts, holding: [:])
            let ledgers = try accounts.compactMap { try results[$0.globalID]?.get() }
            let today = self.today(of: accounts)
            let start = today.adding(months: -12) ?? .earliest
            let rates = try await rates(for: ledgers, in: portfolio.currency, since: start)
            var (total, reason) = (IncomeSummary(), Undetermined?.none)
            for ledger in ledgers {
                let income = IncomeSummary.twelveMonths(
                    through: today, of: ledger.activities, in: portfolio.currency.code, rates: rates.history,
                    knownFrom: ledger.knownFrom)
                reason = reason ?? income.undetermined
                guard let known = income.known else { continue }
                total.gross = try total.gross + known.gross
                total.taxes = try total.taxes + known.taxes
            }
            return Figure.determined(total.rounded(in: portfolio.currency.code)).limited(by: reason)
        }
    }

    private func books(of portfolio: Portfolio) async throws -> PortfolioBooks {
        let accounts = portfolio.holdings.readAccounts
        let multipliers = portfolio.holdings.positions.map {
            ($0.position.symbol, $0.position.priceMultiplier)
        }
        let results = await ledgers(of: accounts, holding: Dictionary(multipliers) { $0 ?? $1 })
        var (ledgers, failures) = ([AccountLedger](), [String: any Error]())
        for account in accounts {
            switch results[account.globalID] {
            case .success(let ledger): ledgers.append(ledger)
            case .failure(let error) where error.isOfProvider: failures[account.globalID] = error
            case .failure(let error): throw error
            case nil: break
            }
        }
        let rates = try await rates(for: ledgers, in: portfolio.currency, since: nil)
        return try PortfolioBooks(of: portfolio, ledgers, failures, rates.history)
    }

    /// The exchange rates that amounts of activities since a day need; nil for all.
    private func rates(
        for ledgers: [AccountLedger], in currency: Currency, since start: CalendarDate?
    ) async throws -> LoadedRates {
        // Only the currency of the result is needed, not that of the account.
        let records = ledgers.map { $0.record([], currency: currency.code) }
        let pairs = try records.reduce(into: Set<CurrencyPair>()) { pairs, record in
            pairs.formUnion(try record.conversions(to: currency, since: start))
        }
        let booked = ledgers.compactMap(\.activities.first?.date).min()
        guard let day = (start ?? booked)?.adding(days: -7) else { return LoadedRates() }
        return try await DailyPriceService(scope).rates(
            of: pairs, from: CalendarDate(year: day.year, month: 1, day: 1) ?? day)
    }
}

/// The tax lots of all accounts of a portfolio by both methods.
private struct PortfolioBooks: Sendable {
    private let rates: ExchangeRateHistory
    private let ledgers: [AccountLedger]
    /// Whether there are accounts that could not be read.
    private let isPartial: Bool
    /// The failures of the accounts whose activities cannot be read, by the schema's ids of the accounts.
    private let failures: [String: any Error]
    /// For each ledger, or why there are none.
    private let lots: [TaxLots.Method: [Result<TaxLots, Undetermined>]]

    init(
        of portfolio: Portfolio, _ ledgers: [AccountLedger], _ failures: [String: any Error],
        _ rates: ExchangeRateHistory
    ) throws {
        (self.rates, self.ledgers, self.failures) = (rates, ledgers, failures)
        isPartial = portfolio.holdings.failure != nil
        var positions: [String: [Symbol: Decimal]] = [:]
        for connected in portfolio.holdings.positions {
            guard let id = portfolio.account(of: connected)?.globalID else { continue }
            let symbol = connected.position.symbol
            positions[id, default: [:]][symbol] =
                try (positions[id]?[symbol] ?? .zero) + connected.position.signedQuantity
        }
        var lots: [TaxLots.Method: [Result<TaxLots, Undetermined>]] = [:]
        for method in TaxLots.Method.allCases {
            lots[method] = try ledgers.map { ledger in
                do {
                    return .success(
                        try ledger.lots(
                            method, positions: positions[ledger.account.globalID] ?? [:],
                            in: portfolio.currency, rates: rates))
                } catch let reason as Undetermined {
                    return .failure(reason)
                }
            }
        }
        self.lots = lots
    }

    /// - Throws: The failure of an account that holds the instrument; other failed accounts are left out, and the profit is
    ///   then stale.
    func profit(of holding: Holding, on today: CalendarDate) throws -> HoldingProfit {
        let held = try holding.instrument().quantities
        var failures = failures
        for ledger in ledgers {
            let id = ledger.account.globalID
            do {
                try ledger.checkSpinOffs(of: holding.symbol, position: held[id] ?? .zero)
            } catch let error where error.isOfProvider {
                failures[id] = error
            }
        }
        for (account, failure) in failures where held[account] ?? .zero != .zero { throw failure }
        let fifo = try basis(.fifo, of: holding, without: failures, on: today)
        return HoldingProfit(
            averageCost: try basis(.averageCost, of: holding, without: failures, on: today), fifo: fifo,
            income: fifo.income, since: ledgers.compactMap(\.knownFrom).max(),
            isStale: isPartial || !failures.isEmpty || ledgers.contains(where: \.isStale))
    }

    private func basis(
        _ method: TaxLots.Method, of holding: Holding, without failures: [String: any Error],
        on today: CalendarDate
    ) throws -> CostBasis {
        do {
            let own = zip(ledgers, lots[method] ?? []).filter { failures[$0.0.account.globalID] == nil }
            let accounts = try own.map { ledger, lots in
                (
                    ledger.account,
                    HoldingSummary.Account(
                        lots: try lots.get(), activities: ledger.activities, knownFrom: ledger.knownFrom)
                )
            }
            return try CostBasis(of: holding, in: accounts, on: today, rates: rates)
        } catch let reason as Undetermined {
            return CostBasis(undetermined: reason, holding)
        }
    }
}

extension HoldingProfit: GraphQLObject {
    static let graphQL = ObjectType<HoldingProfit>("HoldingProfit") {
        Field("averageCost", \.averageCost)
        Field("fifo", \.fifo)
        Field("income", \.income)
        Field("since", \.since)
        Field("stale", \.isStale)
    }
}

extension CostBasis: GraphQLObject {
    /// The most transfers and purchases without a known cost that are listed.
    private static let maximumMissing = 50

    static let graphQL = ObjectType<CostBasis>("CostBasis") {
        Field("cost") { $0.amount(\.cost) }
        Field("realizedProfit") { $0.amount(\.realizedProfit) }
        Field("unrealizedProfit") { $0.amount(\.unrealizedProfit) }
        Field("convertedCost") { $0.convertedAmount(\.convertedCost) }
        Field("convertedRealizedProfit") { $0.convertedAmount(\.convertedRealizedProfit) }
        Field("yieldOnCostPercentage") { try? $0.yieldOnCost() }
        Field("missing") { Array($0.missing.prefix(maximumMissing)) }
        Field("lotCount", \.lots.count)
        Field("lots", LotsArguments.self) { basis, arguments in
            Optional(Array(basis.lots.prefix(try arguments.checkedFirst())))
        }
    }
}

private struct LotsArguments: GraphQLArguments {
    private let first: Int

    init(_ arguments: ArgumentReader) throws {
        first = try arguments["first"]
    }

    func checkedFirst() throws(FieldError) -> Int {
        try FieldError.check(first, of: "first", in: 1...500)
        return first
    }
}

extension AccountLot: GraphQLObject {
    static let graphQL = ObjectType<AccountLot>("TaxLot") {
        Field("account", \.account)
        Field("acquired", \.lot.acquired)
        Field("quantity", \.lot.quantity)
        Field("cost", \.cost)
        Field("convertedCost", \.convertedCost)
        Field("unrealizedProfit", \.profit)
    }
}

extension AccountMissingCost: GraphQLObject {
    static let graphQL = ObjectType<AccountMissingCost>("MissingCost") {
        Field("account", \.account)
        Field("quantity", \.missing.quantity)
        Field("before", \.missing.before)
    }
}
