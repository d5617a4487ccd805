import Brokerage
import Performance
import Testing
import Upstream

@testable import Gateway
@testable import GraphQL

@Suite("The service of performances")
struct PerformanceServiceTests {
    /// Monday to Thursday before ``TestGateway/now``.
    private let days: [CalendarDate]

    init() throws {
        days = try (16...19).map { try #require(CalendarDate("2026-11-\($0)")) }
    }

    /// A broker whose account has 1,000, 1,100, 1,540 and 1,386 at the ends of the days: 1,000 are deposited on the first
    /// day, and 220 on the third.
    private func broker(_ provider: ProviderID = .alpaca) -> FakeBroker {
        let broker = FakeBroker(provider)
        let deposits = [(0, 1_000), (2, 220)].map { day, amount in
            var deposit = Activity(id: "\(day)", kind: .deposit, providerKind: "CSD", date: days[day])
            (deposit.amount, deposit.currency) = (Brokerage.Decimal(amount), "USD")
            return deposit
        }
        let points = zip(days, [1_000, 1_100, 1_540, 1_386]).map { day, equity in
            EquityPoint(
                time: Instant(secondsSince1970: Int64(day.daysSince1970) * 86_400) ?? .earliest, date: day,
                equity: Brokerage.Decimal(equity), profitLoss: nil, profitLossPercent: nil)
        }
        let account = Account(id: "1", number: "N1", currency: "USD", provenance: broker.provenance)
        let history = EquityHistory(
            range: .max, interval: .oneDay, currency: "USD", baseValue: nil, points: points,
            provenance: broker.provenance)
        broker.set {
            $0.accounts = .success([account])
            $0.activities = .success(deposits)
            $0.histories = ["1": history]
        }
        return broker
    }

    private func scope(
        _ brokers: [FakeBroker], _ sources: [FakeMarket] = [], of owner: OwnerID? = alice
    ) throws -> RequestScope {
        try requestScope(
            of: owner,
            connections: brokers.map { $0.connection($0.provider.name.text, reportsActivities: true) },
            sources: sources.map(\.source), clock: TestClock().calls)
    }

    private func arguments(benchmark: String? = nil, currency: String? = nil) throws -> PerformanceArguments {
        try PerformanceArguments(
            ArgumentReader([
                "from": .string("2026-11-16"), "benchmark": benchmark.map { .string($0) } ?? .null,
                "currency": currency.map { .string($0) } ?? .null,
            ]))
    }

    /// The performance of the accounts of each group of brokers together.
    private func performances(
        of groups: [[ProviderID]], in scope: RequestScope, benchmark: String? = nil
    ) async throws -> [Result<PerformanceObject?, any Error>] {
        var subjects: [Result<PerformanceSubject, any Error>] = []
        for group in groups {
            var accounts: [ConnectedAccount] = []
            for provider in group {
                let id = "Account:\(provider.name.text):1"
                let account = try await AccountService(scope).account(id: id, with: nil).value()
                accounts.append(try #require(account))
            }
            subjects.append(.success(PerformanceSubject(accounts: accounts, currency: .dollar)))
        }
        return try await PerformanceService(scope).performances(
            of: subjects, arguments(benchmark: benchmark))
    }

    @Test("calculates an account from its values and deposits, each of which is read once")
    func account() async throws {
        let broker = broker()
        let results = try await performances(of: [[.alpaca], [.alpaca]], in: scope([broker]))
        #expect(results.count == 2)
        for result in results {
            let performance = try result.get()
            let report = try #require(performance).report
            #expect(report.from == days[0] && report.through == days[3])
            #expect(report.firstValue == 1_000 && report.lastValue == 1_386)
            #expect(report.netFlows == 220)
            // 1,386 − 1,000 − 220
            #expect(report.gain.value?.total == 166)
            // 1,100 ÷ 1,000 × (1,540 − 220) ÷ 1,100 × 1,386 ÷ 1,540 = 1.1 × 1.2 × 0.9 = 1.188
            #expect(report.timeWeighted.value?.rate == Brokerage.Decimal("0.188"))
            #expect(report.series.map(\.date) == days)
        }
        #expect(broker.calls == ["accounts": 1, "history": 1, "activities": 1])
    }

    @Test("sums the accounts of several brokers, and has no sum without one of them")
    func severalBrokers() async throws {
        let (first, second) = (broker(), broker(.saxo))
        let scope = try scope([first, second])
        let both = try await performances(of: [[.alpaca, .saxo]], in: scope).first?.get()
        #expect(both?.report.firstValue == 2_000 && both?.report.lastValue == 2_772)
        #expect(both?.report.gain.value?.total == 332)
        #expect(both?.report.timeWeighted.value?.rate == Brokerage.Decimal("0.188"))

        let failing = broker(.saxo)
        failing.set { $0.activities = .failure(ProviderFailure(.saxo, .unavailable)) }
        let results = try await performances(
            of: [[.alpaca, .saxo], [.alpaca]], in: self.scope([broker(), failing]))
        #expect(throws: FieldError(ProviderFailure(.saxo, .unavailable))) { try results[0].get() }
        #expect(try results[1].get()?.report.gain.value?.total == 166)
    }

    /// Times at which the day in New York differs from that by UTC, and one at which both are equal.
    ///
    /// Alpaca counts days in New York: the value of a day has the time 20:00 there (portfolio history). Requests to Saxo have
    /// days by UTC (`FromDate` of closed positions).
    static let currentDays:
        [(time: String, range: String, brokers: [ProviderID], from: String, through: String)] = [
            ("2026-03-04T01:00:00Z", "ONE_MONTH", [.alpaca], "2026-02-03", "2026-03-03"),
            ("2026-03-04T01:00:00Z", "ONE_MONTH", [.saxo], "2026-02-04", "2026-03-03"),
            ("2026-03-04T01:00:00Z", "ONE_MONTH", [.saxo, .alpaca], "2026-02-03", "2026-03-03"),
            ("2026-03-04T05:00:00Z", "ONE_MONTH", [.alpaca], "2026-02-04", "2026-03-03"),
            ("2026-01-01T01:00:00Z", "YEAR_TO_DATE", [.alpaca], "2024-12-31", "2025-12-31"),
            ("2026-01-01T01:00:00Z", "YEAR_TO_DATE", [.saxo, .alpaca], "2024-12-31", "2025-12-31"),
        ]

    @Test("has ranges until the current day of the brokers, the earliest of several", arguments: currentDays)
    func currentDay(
        time: String, range: String, providers: [ProviderID], from: String, through: String
    ) async throws {
        let now = try #require(Instant(time))
        let opened = try #require(CalendarDate("2024-12-01"))
        let last = try #require(CalendarDate(through))
        let brokers = providers.map { broker($0) }
        for broker in brokers {
            var deposit = Activity(id: "0", kind: .deposit, providerKind: "CSD", date: opened)
            (deposit.amount, deposit.currency) = (1_000, "USD")
            let points = (opened.daysSince1970...last.daysSince1970).map { day in
                EquityPoint(
                    time: now, date: CalendarDate(daysSince1970: day), equity: 1_000, profitLoss: nil,
                    profitLossPercent: nil)
            }
            broker.set { [deposit] in
                $0.activities = .success([deposit])
                $0.histories["1"]?.points = points
            }
        }
        let scope = try requestScope(
            connections: brokers.map { $0.connection($0.provider.name.text, reportsActivities: true) },
            clock: TimeSource(now: { .now }, wallTime: { now }, sleep: TimeSource.system.sleep))
        var accounts: [ConnectedAccount] = []
        for broker in brokers {
            let id = "Account:\(broker.provider.name.text):1"
            accounts.append(try #require(try await AccountService(scope).account(id: id, with: nil).value()))
        }
        let subjects: [Result<PerformanceSubject, any Error>] = [
            .success(PerformanceSubject(accounts: accounts, currency: .dollar))
        ]
        let results = try await PerformanceService(scope).performances(
            of: subjects, PerformanceArguments(ArgumentReader(["range": .enum(range)])))
        let report = try #require(try results.first?.get()).report
        #expect(report.from?.description == from && report.through?.description == through)
    }

    @Test("names the argument of a range in which the broker has no value")
    func noValues() async throws {
        let broker = broker()
        broker.set { $0.histories["1"]?.points = [] }
        let results = try await performances(of: [[.alpaca]], in: scope([broker]))
        let error = FieldError.argument(
            "range", code: .notFound,
            "alpaca has no past value of the account N1, in no range.", provider: .alpaca)
        #expect(throws: error) { try results.first?.get() }
    }

    @Test("compares with a benchmark, and names the argument of one that is unknown")
    func benchmark() async throws {
        // 110 ÷ 100 − 1 = 0.1, and 0.188 − 0.1 = 0.088
        let prices: [CalendarDate: Brokerage.Decimal] = [days[0]: 100, days[3]: 110]
        let source = FakeMarket(
            .yahoo, closes: [.example: prices], adjustments: [.splits, .splitsAndDividends])
        let scope = try scope([broker()], [source])
        let known = try await performances(of: [[.alpaca]], in: scope, benchmark: "AAPL").first?.get()
        #expect(known?.report.benchmark?.value?.rate == Brokerage.Decimal("0.1"))
        #expect(known?.report.benchmark?.value?.includesDividends == true)
        #expect(known?.report.excessReturn == Brokerage.Decimal("0.088"))
        let unknown = try await performances(of: [[.alpaca]], in: scope, benchmark: "TSLA")
        let error = FieldError.argument(
            "benchmark", code: .notFound, "yahoo knows no symbol \"TSLA\".", provider: .yahoo)
        #expect(throws: error) { try unknown.first?.get() }
    }

    @Test(
        "calculates a position in its own currency, or in another by the rates of the days",
        arguments: [
            // 1,210 ÷ 1,000 − 1
            (nil, "USD", "0.21", "1210"),
            // 1,000 USD were 500 EUR, and 1,210 USD are 1,210 EUR: 1,210 ÷ 500 − 1
            ("EUR", "EUR", "1.42", "1210"),
        ])
    func position(
        _ argument: String?, _ currency: String, _ rate: String, _ lastValue: String
    ) async throws {
        let broker = broker()
        var purchase = Activity(id: "buy", kind: .trade, providerKind: "FILL", date: days[0])
        (purchase.symbol, purchase.side) = (.example, .buy)
        (purchase.quantity, purchase.price) = (10, 100)
        (purchase.amount, purchase.currency) = (Brokerage.Decimal("-1000"), "USD")
        var position = Position(
            symbol: .example, side: .long, quantity: 10, currency: "USD", provenance: broker.provenance)
        (position.accountID, position.assetClass) = ("1", .equity)
        broker.set { [purchase, position] in
            $0.activities = .success([purchase])
            $0.positions = .success([position])
        }
        let pair = try #require(Symbol("EUR/USD"))
        let source = FakeMarket(
            .yahoo,
            closes: [
                .example: [days[0]: 100, days[1]: 110, days[3]: 121],
                pair: [days[0]: 2, days[1]: 2, days[3]: 1],
            ], adjustments: [.splits])
        let scope = try scope([broker], [source])
        let positions = try await AccountService(scope).positions(with: nil, of: [.example]).value() ?? []
        let results = try await PerformanceService(scope).performances(
            of: positions.map { try $0.get() }, arguments(currency: argument)
        ).value()
        let performance = try results.first?.get()
        let object = try #require(performance)
        #expect(object.report.currency == currency)
        #expect(object.report.timeWeighted.value?.rate == Brokerage.Decimal(rate))
        #expect(object.report.lastValue == Brokerage.Decimal(lastValue))
        #expect(object.rateSources == (argument == nil ? [] : [.yahoo]))
    }

    @Test("fails without a session")
    func unauthenticated() async throws {
        let scope = try scope([broker()], of: nil)
        let error = await #expect(throws: FieldError.self) {
            try await PerformanceService(scope).performances(of: [], arguments())
        }
        #expect(error?.code == .unauthenticated)
    }
}

@Suite("The slices of an allocation")
struct AllocationTests {
    @Test(
        "have percentages of a positive total only",
        arguments: [
            (["75", "25"], ["75.0000", "25.0000"]), (["150", "-50"], ["150.0000", "-50.0000"]),
            // A negative total turns the signs around, and zero has no parts.
            (["100", "-150"], [nil, nil]), (["50", "-50"], [nil, nil]), (["0"], [nil]),
        ] as [([String], [String?])])
    func percentages(values: [String], percentages: [String?]) throws {
        let held = try values.enumerated().map { index, value in
            let value: Brokerage.Decimal? = .init(value)
            return ValuedHolding(value: try #require(value), keys: [.instrument: "\(index)"])
        }
        let slices = try Allocation.slices(of: held, in: Currency("USD"), by: .instrument)
        #expect(slices.map(\.percent?.description) == percentages)
        #expect(slices.map(\.key) == values.indices.map(String.init))
    }
}
