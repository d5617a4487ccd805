import Brokerage
import GraphQL
import Performance
import PorticoCore
import Upstream

/// Accounts, or one instrument in them, whose performance is calculated together.
struct PerformanceSubject: Sendable {
    let accounts: [ConnectedAccount]
    /// The currency of the result.
    let currency: Currency
    /// Nil for everything in the accounts.
    var instrument: HeldInstrument?
    /// Whether there are other accounts, which could not be read.
    var isPartial = false
}

/// An instrument, and what is held of it in each account.
struct HeldInstrument: Sendable {
    let symbol: Symbol
    /// ISO 4217.
    let currency: String
    /// By the schema's ids of the accounts; negative for a short position.
    let quantities: [String: Decimal]
    /// The number by which quantity times price is multiplied for the value; nil if it is unknown.
    let multiplier: Decimal?
}

/// What was read of accounts for a calculation.
private struct PerformanceData: Sendable {
    var ledgers: [String: Result<AccountLedger, any Error>] = [:]
    var histories: [String: Result<EquityHistory, any Error>] = [:]
    var prices: [Symbol: Result<DailyPrices, any Error>] = [:]
    var rates = LoadedRates()
    var benchmark: Result<(Benchmark, ProviderID), any Error>?
}

/// Performance, profits and income of accounts, calculated from their activities and values.
package struct PerformanceService: Sendable {
    let scope: RequestScope
}

extension PerformanceService {
    package init(_ scope: RequestScope) {
        self.init(scope: scope)
    }

    /// The current day of accounts in the time zones of their brokers; without accounts the day by UTC.
    ///
    /// For several it is the earliest of theirs: on a later one, not all of them can have a value.
    func today(of accounts: [ConnectedAccount]) -> CalendarDate {
        let now = scope.clock.wallTime()
        return accounts.lazy.map { account in
            now.date(in: ExchangeTimeZone(account.connection.provider.traits.accountTimeZone))
        }.min() ?? now.dateInUTC
    }

    /// The performance of each subject, in their order, from the fewest calls for all of them: one history and one update
    /// of the activities for each account, then prices and exchange rates of all together.
    func performances(
        of subjects: BatchResults<PerformanceSubject>, _ arguments: PerformanceArguments
    ) async throws -> BatchResults<PerformanceObject?> {
        let known = subjects.compactMap { try? $0.get() }
        let first = today(of: known.flatMap(\.accounts))
        return try await calculating {
            let data = try await performanceData(of: known, arguments, first)
            return subjects.map { subject in
                subject.flatMap { subject in
                    Result {
                        try data.performance(of: subject, arguments.period, today(of: subject.accounts))
                    }
                }
            }
        }
    }

    /// The performance of the subject of each object, in their order.
    func performances<Object: Sendable>(
        of objects: [Object], _ arguments: PerformanceArguments,
        _ subject: @escaping @Sendable (Object) throws -> PerformanceSubject
    ) -> MaybeAsync<BatchResults<PerformanceObject?>> {
        .async { [self] in
            try await performances(of: objects.map { object in Result { try subject(object) } }, arguments)
        }
    }

    /// The performance of positions, each in its own currency unless the arguments state one.
    func performances(
        of positions: [ConnectedPosition], _ arguments: PerformanceArguments
    ) -> MaybeAsync<BatchResults<PerformanceObject?>> {
        .async { [self] in
            let accounts = try await AccountService(scope).accounts(at: positions.map(\.accountReference))
                .value()
            let subjects = zip(positions, accounts).map { position, account in
                account.flatMap { account in
                    Result {
                        guard let account else { throw FieldError.internalError }
                        let held = HeldInstrument(
                            symbol: position.position.symbol, currency: position.position.currency,
                            quantities: [account.globalID: try position.position.signedQuantity],
                            multiplier: position.position.priceMultiplier)
                        return PerformanceSubject(
                            accounts: [account],
                            currency: try arguments.currency ?? Currency(position.position.currency),
                            instrument: held)
                    }
                }
            }
            return try await performances(of: subjects, arguments)
        }
    }

    private func performanceData(
        of subjects: [PerformanceSubject], _ arguments: PerformanceArguments, _ today: CalendarDate
    ) async throws -> PerformanceData {
        var data = PerformanceData()
        let accounts = subjects.flatMap(\.accounts).distinct
        let valued = subjects.filter { $0.instrument == nil }.flatMap(\.accounts).distinct
        let instruments = subjects.compactMap(\.instrument).map { ($0.symbol, $0.multiplier) }
        let multipliers = Dictionary(instruments) { $0 ?? $1 }
        let symbols = Set(multipliers.keys)
        async let ledgers = ledgers(of: accounts, holding: multipliers)
        async let histories = dailyHistories(of: valued)
        (data.ledgers, data.histories) = (await ledgers, await histories)
        let first = arguments.period.start(on: today) ?? data.firstDay ?? today
        // Values and prices of a weekend are those of a day before.
        let day = min(first, today).adding(days: -7) ?? .earliest
        async let prices = DailyPriceService(scope).closes(of: symbols, from: day)
        async let benchmark = benchmark(arguments, from: day)
        data.prices = try await prices
        data.benchmark = await benchmark
        // Whole years, so that several fields share a cached value.
        data.rates = try await DailyPriceService(scope).rates(
            of: data.conversions(for: subjects, since: arguments.period.start(on: today)),
            from: CalendarDate(year: day.year, month: 1, day: 1) ?? day)
        return data
    }

    private func benchmark(
        _ arguments: PerformanceArguments, from first: CalendarDate
    ) async -> Result<(Benchmark, ProviderID), any Error>? {
        guard let symbol = arguments.benchmark else { return nil }
        return await .of { try await DailyPriceService(scope).benchmark(symbol, from: first) }
    }

    /// The activities of accounts by their effect, by the schema's ids of the accounts.
    ///
    /// `multipliers` has the instruments whose cost or performance is calculated, with the numbers by which quantity times
    /// price is multiplied for the value, as far as they are known; spin-offs of others need no prices.
    func ledgers(
        of accounts: [ConnectedAccount], holding multipliers: [Symbol: Decimal?]
    ) async -> [String: Result<AccountLedger, any Error>] {
        let bookings = await byAccount(accounts) { account in
            .async { try await ActivityService(scope).bookings(of: account) }
        }
        let activities = bookings.values.compactMap { (try? $0.get())?.activities }
        let spinOffs = await spinOffReferences(in: activities, holding: Set(multipliers.keys))
        let known = multipliers.compactMapValues(\.self)
        return bookings.mapValues { $0.map { AccountLedger($0, spinOffs, multipliers: known) } }
    }

    /// The complete histories of accounts by days, by the schema's ids of the accounts.
    ///
    /// They serve every range with one call.
    func dailyHistories(of accounts: [ConnectedAccount]) async -> [String: Result<EquityHistory, any Error>] {
        await byAccount(accounts) { account in
            try AccountService(scope).history(of: account, .max, interval: .oneDay).map { history in
                guard let history else { throw FieldError.internalError }
                if let failure = history.failures.first { throw failure }
                return history
            }
        }
    }

    private func byAccount<Value: Sendable>(
        _ accounts: [ConnectedAccount], _ load: (ConnectedAccount) throws -> MaybeAsync<Value>
    ) async -> [String: Result<Value, any Error>] {
        let loading = MaybeAsync.each(accounts, load)
        // A load of each has a result of each, and no error of its own.
        let values = (try? await loading.value()) ?? []
        return Dictionary(zip(accounts.map(\.globalID), values)) { first, _ in first }
    }

    /// Executes a calculation over all activities of accounts; see ``CalculationLimiter``.
    func calculating<Value: Sendable>(_ body: () async throws -> Value) async throws -> Value {
        try await scope.services.calculations.run(for: try scope.owner(), before: scope.call.deadline, body)
    }
}

extension Position {
    /// The quantity; negative for a short position.
    var signedQuantity: Decimal {
        get throws(Decimal.Overflow) {
            switch side {
            case .long: quantity
            case .short: try quantity.negated
            }
        }
    }
}

extension [ConnectedAccount] {
    /// Each account once.
    var distinct: [ConnectedAccount] {
        var known: Set<String> = []
        return filter { known.insert($0.globalID).inserted }
    }
}

extension EquityHistory {
    /// The values at the end of days, as a broker reports them: with the deposits of the day.
    var valuations: [Valuation] {
        points.compactMap { point in point.date.map { Valuation($0, point.equity) } }
    }
}

extension PerformanceData {
    /// The first day with an activity or a value.
    fileprivate var firstDay: CalendarDate? {
        let booked = ledgers.values.compactMap { try? $0.get().activities.first?.date }
        let valued = histories.values.compactMap { try? $0.get().points.first?.date }
        return (booked + valued).min()
    }

    /// The conversions that the calculations need.
    fileprivate func conversions(
        for subjects: [PerformanceSubject], since start: CalendarDate?
    ) throws -> Set<CurrencyPair> {
        var pairs: Set<CurrencyPair> = []
        for subject in subjects {
            // A subject that failed needs none.
            for record in (try? records(of: subject)) ?? [] {
                pairs.formUnion(try record.conversions(to: subject.currency, since: start))
            }
            if case .success((let benchmark, _))? = benchmark, let from = try? Currency(benchmark.currency),
                from != subject.currency
            {
                pairs.insert(CurrencyPair(from: from, to: subject.currency))
            }
        }
        return pairs
    }

    /// The accounts of a subject with their values and activities.
    ///
    /// - Throws: The failure of an account: a part of the accounts must not count as all. An account that holds none of
    ///   the instrument of the subject, and whose activities or spin-offs cannot be read, is left out, see
    ///   ``isStale(_:of:)``.
    private func records(of subject: PerformanceSubject) throws -> [AccountRecord] {
        try subject.accounts.compactMap { account in
            let id = account.globalID
            let result = ledger(of: id, for: subject)
            if let held = subject.instrument, held.quantities[id] ?? .zero == .zero,
                case .failure(let error) = result, error.isOfProvider
            {
                return nil
            }
            let ledger = try result.get()
            if let held = subject.instrument {
                let quantity = held.quantities[id] ?? .zero
                let record = try ledger.record(
                    of: held.symbol, currency: held.currency, position: quantity,
                    multiplier: held.multiplier, prices: try prices[held.symbol]?.get())
                // It never was in this account.
                return record.activities.isEmpty && quantity.isZero ? nil : record
            }
            guard let history = try histories[id]?.get() else { throw FieldError.internalError }
            let record = ledger.record(history.valuations, currency: history.currency)
            // Nothing was ever in it.
            if record.valuations.isEmpty, ledger.knownFrom == nil, ledger.activities.isEmpty { return nil }
            guard !record.valuations.isEmpty else { throw FieldError.noValues(of: account) }
            return record
        }
    }

    /// The activities of an account with all that the subject needs of them.
    private func ledger(
        of account: String, for subject: PerformanceSubject
    ) -> Result<AccountLedger, any Error> {
        Result {
            guard let ledger = try ledgers[account]?.get() else { throw FieldError.internalError }
            if let held = subject.instrument {
                try ledger.checkSpinOffs(of: held.symbol, position: held.quantities[account] ?? .zero)
            }
            return ledger
        }
    }

    fileprivate func performance(
        of subject: PerformanceSubject, _ period: PerformancePeriod, _ today: CalendarDate
    ) throws -> PerformanceObject {
        if case .failure(let error as FieldError)? = benchmark, error.argument != nil { throw error }
        let records = try records(of: subject)
        if records.isEmpty, subject.instrument == nil {
            throw subject.accounts.first.map(FieldError.noValues) ?? FieldError.noAccounts
        }
        let last = records.map { $0.valuations.last?.date }.min { $0 ?? .earliest < $1 ?? .earliest } ?? nil
        let (start, end) = try period.days(on: today, last: last)
        let report = PerformanceReport.calculate(
            records, in: subject.currency.code, from: start, through: end, rates: rates.history,
            benchmark: try? benchmark?.get().0)
        let ids = subject.accounts.map(\.globalID)
        let provenances = ids.compactMap { try? histories[$0]?.get().provenance }
        return PerformanceObject(
            report: report, benchmark: benchmark,
            rateSources: rates.sources.sorted { $0.name.text < $1.name.text },
            provenances: provenances,
            isStale: subject.isPartial || ids.contains { isStale($0, of: subject) })
    }

    /// Whether the latest read of the activities of an account failed, or the account is left out.
    private func isStale(_ account: String, of subject: PerformanceSubject) -> Bool {
        switch ledger(of: account, for: subject) {
        case .success(let ledger): ledger.isStale
        case .failure: true
        }
    }
}

extension Error {
    /// Whether a provider failed, and not this server.
    var isOfProvider: Bool { (self as? FieldError)?.provider != nil }
}

extension FieldError {
    /// The broker has no past values of an account.
    fileprivate static func noValues(of account: ConnectedAccount) -> FieldError {
        let provider = account.connection.provider
        return .argument(
            "range", code: .notFound,
            "\(provider.name.text) has no past value of the account \(account.stored.number), in no range.",
            provider: provider)
    }

    /// The user has no account.
    fileprivate static let noAccounts = FieldError.argument(
        "range", code: .notFound, "There is no account, so that no range has a performance.")
}
