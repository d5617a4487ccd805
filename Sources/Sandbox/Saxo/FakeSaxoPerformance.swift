import Brokerage
import NIOHTTP1

/// Saxo's performance service: returns, values and transfers of each market day (developer.saxo, "Performance").
struct FakeSaxoPerformance: Sendable {
    let host: FakeSaxoHost

    var routes: [SandboxRoute] {
        [
            host.get("/hist/v4/performance/timeseries") { context in
                let (series, _) = try Self.series(context)
                return .json(try Self.timeseries(series, context))
            },
            host.get("/hist/v4/performance/summary") { context in
                let (series, ledger) = try Self.series(context)
                return .json(try Self.summary(series, ledger, context))
            },
            host.get("/hist/v3/accountvalues/{client_key}") { context in
                guard context.request.parameters["client_key"] == context.client.key else {
                    throw FakeSaxoError.unauthorized
                }
                let values = try Self.accountValues(context)
                return .json(try FakeSaxoPage(context).document(values) { $0 })
            },
        ]
    }

    private static func series(
        _ context: FakeSaxoHost.AuthenticatedRequest
    ) throws -> (FakeSaxoPerformanceSeries, FakeSaxoLedger) {
        try context.requireClientKey()
        let account = try context.account()
        let ledger = try FakeSaxoLedger(account.map { [$0] } ?? context.client.accounts, context)
        let days = try days(context, until: ledger.lastDay)
        let series = try FakeSaxoPerformanceSeries(
            ledger, in: account?.currency ?? context.client.currency, from: days.lowerBound,
            through: days.upperBound)
        guard !series.days.isEmpty else { throw FakeSaxoError.notFound }
        return (series, ledger)
    }

    /// Returns the days of `StandardPeriod`, or of `FromDate` and `ToDate`.
    private static func days(
        _ context: FakeSaxoHost.AuthenticatedRequest, until last: CalendarDate
    ) throws(FakeSaxoError) -> ClosedRange<CalendarDate> {
        let request = context.request
        guard let period = request[query: "StandardPeriod"] else {
            guard request[query: "FromDate"] != nil || request[query: "ToDate"] != nil else {
                throw .invalid("StandardPeriod", "StandardPeriod or FromDate and ToDate are required")
            }
            let days = try context.days()
            return min(days.lowerBound, last)...min(days.upperBound, last)
        }
        guard request[query: "FromDate"] == nil, request[query: "ToDate"] == nil else {
            throw .invalid("StandardPeriod", "StandardPeriod must not be used with FromDate and ToDate")
        }
        let months: Int
        switch period {
        case "AllTime": return .earliest...last
        case "Month": months = 1
        case "Quarter": months = 3
        case "Year": months = 12
        default:
            throw .invalid("StandardPeriod", "The value '\(period)' is not valid for StandardPeriod.")
        }
        return (last.adding(months: -months)?.adding(days: 1) ?? last)...last
    }

    /// The field groups, each with its parts.
    private static let groups: [String: [String]] = [
        "Balance": [
            "AccountBalance", "AccountValue", "CashTransfer", "SecurityTransfer", "MonthlyProfitLoss",
            "YearlyProfitLoss",
        ],
        "TimeWeighted": ["Accumulated", "MonthlyReturn", "YearlyReturn"], "KeyFigures": [], "Benchmark": [],
    ]

    private static func timeseries(
        _ series: FakeSaxoPerformanceSeries, _ context: FakeSaxoHost.AuthenticatedRequest
    ) throws -> JSONDocument {
        let wanted = context.fieldGroups(["All"])
        let names = Set(groups.flatMap { group, parts in [group] + parts.map { "\(group)_\($0)" } } + ["All"])
        for name in wanted where !names.contains(name) {
            throw FakeSaxoError.invalid("FieldGroups", "The value '\(name)' is not valid for FieldGroups.")
        }
        func points(_ points: [(date: CalendarDate, value: Decimal)]) -> JSONDocument {
            .array(
                points.map {
                    ["Date": .string($0.date.description), "Value": context.format.number($0.value)]
                })
        }
        func part(_ group: String, _ name: String) throws -> JSONDocument {
            switch name {
            case "AccountBalance": points(series.days.map { ($0.date, $0.cash) })
            case "AccountValue": points(series.days.map { ($0.date, $0.value) })
            case "CashTransfer": points(series.days.map { ($0.date, $0.transfer) })
            case "SecurityTransfer": points(series.days.map { ($0.date, .zero) })
            case "MonthlyProfitLoss": points(try series.periods(.month).map { ($0.date, $0.profit) })
            case "YearlyProfitLoss": points(try series.periods(.year).map { ($0.date, $0.profit) })
            case "Accumulated":
                points(series.days.map { ($0.date, $0.accumulated.rounded(to: 12, .halfEven)) })
            case "MonthlyReturn": points(try series.periods(.month).map { ($0.date, $0.rate) })
            default: points(try series.periods(.year).map { ($0.date, $0.rate) })
            }
        }
        var members: [JSONDocument.Member] = []
        for group in ["Balance", "TimeWeighted"] {
            let isWhole = wanted.contains("All") || wanted.contains(group)
            let parts = try (groups[group] ?? []).filter { isWhole || wanted.contains("\(group)_\($0)") }.map
            {
                JSONDocument.Member(name: $0, value: try part(group, $0))
            }
            if !parts.isEmpty { members.append(group, .object(parts)) }
        }
        if wanted.contains("All") || wanted.contains("KeyFigures") {
            let figures: JSONDocument = [
                "ReturnFraction": context.format.number(series.accumulated.rounded(to: 12, .halfEven)),
                "MaxDrawDownFraction": context.format.number(try series.maximumDrawdown),
                "ClosedTradesCount": .integer(series.closed.count),
            ]
            members.append("KeyFigures", figures)
        }
        return .object(members)
    }

    private static func summary(
        _ series: FakeSaxoPerformanceSeries, _ ledger: FakeSaxoLedger,
        _ context: FakeSaxoHost.AuthenticatedRequest
    ) throws -> JSONDocument {
        guard let first = series.days.first, let last = series.days.last else { throw FakeSaxoError.notFound }
        let entries = ledger.accounts.flatMap(\.rows).map(\.entry)
        let trades = entries.filter { $0.kind == .trade && $0.date <= last.date }
        let inPeriod = trades.filter { first.date <= $0.date }
        let won = try series.closed.count { try !$0.profit.isNegative && !$0.profit.isZero }
        func pairs(_ amounts: [String: Decimal]) -> JSONDocument {
            .array(
                amounts.sorted { $0.key < $1.key }.map {
                    ["StringValue": .string($0.key), "Value": context.format.number($0.value)]
                })
        }
        func count(_ number: Int) -> JSONDocument { .integer(number) }
        let listings = inPeriod.compactMap { $0.instrument.flatMap(FakeSaxoInstruments.instrument) }
        var members: [JSONDocument.Member] =
            ([
                "From": .string(first.date.description), "Thru": .string(last.date.description),
                "AccumulatedProfitLoss": context.format.number(
                    try series.days.reduce(Decimal.zero) { try $0 + $1.profit }),
                "TotalCashBalance": context.format.number(last.cash),
                "TotalOpenPositionsValue": context.format.number(try last.value - last.cash),
                "TotalCashBalancePerCurrency": pairs(series.cashPerCurrency),
                "TotalPositionsValuePerCurrency": pairs(series.valuePerCurrency),
                "TradeSummary": [
                    "NumberOfDaysTraded": count(Set(inPeriod.map(\.date)).count),
                    "NumberOfLongTrades": count(inPeriod.count { !$0.quantity.isNegative }),
                    "NumberOfShortTrades": count(inPeriod.count { $0.quantity.isNegative }),
                    "TradesTotalCount": count(series.closed.count), "TradesWonCount": count(won),
                    "TopTradedInstruments": .array(Set(listings.map(\.symbol)).sorted().map { .string($0) }),
                    "TradedInstruments": .array(
                        Set(listings.map(\.assetType.rawValue)).sorted().map { .string($0) }),
                ],
            ] as JSONDocument).members ?? []
        if let day = entries.filter(\.isExternalFlow).map(\.date).min() {
            members.append("InceptionDay", .string(day.description))
        }
        if let day = trades.map(\.date).max() { members.append("LastTradeDay", .string(day.description)) }
        if !series.closed.isEmpty {
            let fraction = try Decimal(won).divided(by: Decimal(series.closed.count), to: 6, .halfEven)
            members.append("WinFraction", context.format.number(fraction))
        }
        return .object(members)
    }

    /// Returns the value of each account and of the client, with the profit of the month and of the year so far.
    private static func accountValues(_ context: FakeSaxoHost.AuthenticatedRequest) throws -> [JSONDocument] {
        func document(_ key: String, _ type: String, _ accounts: [FakeSaxoAccount]) throws -> JSONDocument? {
            let ledger = try FakeSaxoLedger(accounts, context)
            let last = ledger.lastDay
            let first = CalendarDate(year: last.year, month: 1, day: 1) ?? last
            let series = try FakeSaxoPerformanceSeries(
                ledger, in: context.client.currency, from: first, through: last)
            guard let value = series.days.last?.value else { return nil }
            let year = try series.days.reduce(Decimal.zero) { try $0 + $1.profit }
            let month = try series.days.filter { $0.date.month == last.month }
                .reduce(Decimal.zero) { try $0 + $1.profit }
            return [
                "Key": .string(key), "KeyType": .string(type), "AccountValue": context.format.number(value),
                "AccountValueMonth": context.format.number(month),
                "AccountValueYear": context.format.number(year),
            ]
        }
        let client = context.client
        return try client.accounts.compactMap { try document($0.key, "Account", [$0]) }
            + [document(client.key, "Client", client.accounts)].compactMap { $0 }
    }
}
