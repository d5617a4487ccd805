import Brokerage

/// The response of `GET /v2/account/portfolio/history` (fact sheet, the section of that name).
///
/// Points are labelled with the beginning of their interval, in seconds; a day's label is 20:00 in New York.
/// Points in the future are null.
struct FakeAlpacaPortfolioHistory {
    private let query: FakeAlpacaPortfolioHistoryQuery
    private let book: FakePortfolio
    private let view: MarketView
    private let sessions: [TradingSession]
    private let settings: FakeAlpacaSettings
    /// The activities of the account.
    private let flows: [FakeAlpacaActivity]

    private struct Point {
        let label: Int
        /// The second of the equity.
        let second: Int
        /// Nil in the future.
        let equity: Decimal?
        /// The base value of profit and loss.
        let base: Decimal
    }

    init(
        _ query: FakeAlpacaPortfolioHistoryQuery, of book: FakePortfolio, at view: MarketView,
        _ settings: FakeAlpacaSettings, flows: [FakeAlpacaActivity] = []
    ) {
        self.flows = flows
        self.query = query
        self.book = book
        self.view = view
        self.settings = settings
        sessions = Self.sessions(query, of: book, at: view)
    }

    func document() throws -> JSONDocument {
        guard let first = sessions.first, let before = view.market.exchanges.session(before: first.date)
        else {
            return Self.empty(query.timeframe)
        }
        let base = try self.base(atCloseOf: before)
        let points = query.timeframe == .day ? try days(base) : try intervals(base)
        var members: [JSONDocument.Member] = [
            .init(name: "timestamp", value: .array(points.map { JSONDocument(integerLiteral: $0.label) })),
            .init(
                name: "equity",
                value: .array(points.map { .optional($0.equity, JSONDocument.number(shortest:)) })),
            .init(name: "profit_loss", value: .array(try points.map(profit))),
            .init(name: "profit_loss_pct", value: .array(try points.map(profitFactor))),
            .init(name: "base_value", value: .number(shortest: base)),
            .init(name: "base_value_asof", value: .string(before.date.description)),
            .init(name: "timeframe", value: .string(query.timeframe.rawValue)),
        ]
        if let types = query.cashflow {
            let cashflow = try cashflow(types, points, after: before.close)
            members.append(.init(name: "cashflow", value: .object(cashflow)))
        }
        return .object(members)
    }

    /// Returns for each type the sums of the amounts since the point before; all types that occur if none are named.
    private func cashflow(
        _ types: [String], _ points: [Point], after start: Int
    ) throws -> [JSONDocument.Member] {
        var sums: [String: [Decimal]] = [:]
        for type in types { sums[type] = Array(repeating: .zero, count: points.count) }
        for flow in flows where flow.type != "FILL" && start < flow.marketSecond {
            guard types.isEmpty || sums[flow.type] != nil,
                let index = points.firstIndex(where: { flow.marketSecond <= $0.second })
            else { continue }
            var column = sums[flow.type] ?? Array(repeating: .zero, count: points.count)
            column[index] = try column[index] + flow.amount
            sums[flow.type] = column
        }
        return sums.sorted { $0.key < $1.key }.map { type, column in
            .init(name: type, value: .array(column.map(JSONDocument.number(shortest:))))
        }
    }

    /// Returns the response for an account without history.
    private static func empty(_ timeframe: FakeAlpacaPortfolioHistoryQuery.Timeframe) -> JSONDocument {
        [
            "timestamp": [], "equity": [], "profit_loss": [], "profit_loss_pct": [], "base_value": 0,
            "timeframe": .string(timeframe.rawValue),
        ]
    }

    private func profit(_ point: Point) throws -> JSONDocument {
        guard let equity = point.equity else { return .null }
        return .number(shortest: try equity - point.base)
    }

    private func profitFactor(_ point: Point) throws -> JSONDocument {
        guard let equity = point.equity else { return .null }
        return .number(shortest: try (equity - point.base).ratio(to: point.base))
    }

    /// Returns the equity at a close; the deposit if the account was not open yet.
    private func base(atCloseOf session: TradingSession) throws -> Decimal {
        session.close < Int(book.ledger.opened.secondsSince1970)
            ? book.ledger.openingDeposit : try book.equity(atCloseOf: session)
    }

    private func days(_ base: Decimal) throws -> [Point] {
        let visibleSessions =
            settings.historyIncludesToday ? sessions : sessions.filter { $0.close <= view.now }
        return try visibleSessions.map { session in
            // The label is hours after the close; today's label stands for the day so far.
            let label = session.close + (session.isHalfDay ? 7 : 4) * 3600
            let equity =
                view.now < session.postMarketClose
                ? try EquityCurve(book, session).equity(at: view.now) : try book.equity(atCloseOf: session)
            return Point(
                label: label, second: view.now < session.postMarketClose ? view.now : session.close,
                equity: equity, base: base)
        }
    }

    private func intervals(_ base: Decimal) throws -> [Point] {
        var dayBase = base
        return try sessions.flatMap { session -> [Point] in
            let curve = try EquityCurve(book, session)
            let span = span(of: session)
            let step = query.timeframe.seconds ?? 60
            let labels = stride(from: span.lowerBound, to: span.upperBound, by: step).prefix { label in
                query.end.map { label <= Int($0.secondsSince1970) } ?? true
            }
            let points = try labels.map { label in
                let second = min(label + step, span.upperBound, view.now)
                return Point(
                    label: label, second: second,
                    equity: label <= view.now ? try curve.equity(at: second) : nil,
                    base: query.resetsDaily ? dayBase : base)
            }
            dayBase = try self.base(atCloseOf: session)
            return points
        }
    }

    /// Returns the seconds of a day that the history covers.
    private func span(of session: TradingSession) -> Range<Int> {
        switch query.reporting {
        case .marketHours: session.open..<session.close
        case .extendedHours: session.preMarketOpen..<session.postMarketClose
        case .continuous: session.midnight..<end(ofContinuous: session)
        }
    }

    /// Returns the end of a session for continuous histories: days without trading belong to the previous
    /// session, up to now.
    private func end(ofContinuous session: TradingSession) -> Int {
        let day = session.midnight + 86_400
        guard let next = view.market.exchanges.session(after: session.date) else { return day }
        return max(day, min(next.midnight, view.now))
    }

    /// Returns the requested trading days, from the opening of the account until now.
    private static func sessions(
        _ query: FakeAlpacaPortfolioHistoryQuery, of book: FakePortfolio, at view: MarketView
    ) -> [TradingSession] {
        let isByMarketHours = query.timeframe == .day || query.reporting == .marketHours
        guard let current = isByMarketHours ? view.marketDay : view.tradingDay,
            let last = view.market.exchanges.session(onOrBefore: min(query.lastDate, current.date))
        else { return [] }
        let opened = book.ledger.opened.inNewYork.date
        guard let start = query.start else {
            let sessions = view.market.exchanges.sessions(
                from: max(query.period.shifting(last.date, by: -1).adding(days: 1) ?? .earliest, opened),
                through: last.date)
            // The days of a period are trading days, the last one being the current day.
            guard query.period.unit == .day else { return sessions }
            return view.market.exchanges.sessions(from: opened, through: last.date).suffix(query.period.count)
        }
        return view.market.exchanges.sessions(from: max(start.inNewYork.date, opened), through: last.date)
            .filter { Int(start.secondsSince1970) <= $0.close }
    }
}

/// The validated parameters of `GET /v2/account/portfolio/history`.
struct FakeAlpacaPortfolioHistoryQuery: Sendable {
    let period: Period
    let timeframe: Timeframe
    let start: Instant?
    /// Nil for the clock's time.
    let end: Instant?
    /// The last day of the history.
    let lastDate: CalendarDate
    let reporting: Reporting
    let resetsDaily: Bool
    /// The types of activities to sum up; empty for all, nil for none.
    let cashflow: [String]?

    enum Timeframe: String, Sendable, CaseIterable {
        case minute = "1Min"
        case fiveMinutes = "5Min"
        case quarterHour = "15Min"
        case hour = "1H"
        case day = "1D"

        /// Nil for days, whose length is that of their session.
        var seconds: Int? {
            switch self {
            case .minute: 60
            case .fiveMinutes: 300
            case .quarterHour: 900
            case .hour: 3600
            case .day: nil
            }
        }
    }

    enum Reporting: String, Sendable, CaseIterable {
        case marketHours = "market_hours"
        case extendedHours = "extended_hours"
        case continuous
    }

    struct Period: Sendable {
        let count: Int
        let unit: Unit

        enum Unit: Character, Sendable {
            case day = "D"
            case week = "W"
            case month = "M"
            case year = "A"
        }

        private init(count: Int, unit: Unit) {
            self.count = count
            self.unit = unit
        }

        /// Parses a number from 1 to 999 with a unit, a year being `A`; nil for other texts.
        init?(_ text: String) {
            guard let last = text.last, let unit = Unit(rawValue: last), let count = Int(text.dropLast()),
                (1...999).contains(count)
            else { return nil }
            self.count = count
            self.unit = unit
        }

        /// The number of days of the period; a month counts 30.
        var days: Int {
            switch unit {
            case .day: count
            case .week: count * 7
            case .month: count * 30
            case .year: count * 365
            }
        }

        /// Returns the date one period after `date` for 1, and before it for -1.
        func shifting(_ date: CalendarDate, by direction: Int) -> CalendarDate {
            let shifted: CalendarDate? =
                switch unit {
                case .day: date.adding(days: direction * count)
                case .week: date.adding(days: direction * 7 * count)
                case .month: date.adding(months: direction * count)
                case .year: date.adding(months: direction * 12 * count)
                }
            return shifted ?? (direction < 0 ? .earliest : .latest)
        }

        static let month = Period(count: 1, unit: .month)
    }

    /// Parses the query at the time `now`.
    ///
    /// Throws ``FakeAlpacaError/unprocessable(_:)`` for an invalid parameter.
    init(_ request: SandboxRequest, now: Instant) throws(FakeAlpacaError) {
        let period = try Self.period(request)
        start = try Self.instant(request, "start")
        end =
            if let end = try Self.instant(request, "end") { end } else {
                try Self.dayEnd(request, "date_end")
            }
        guard period == nil || start == nil || end == nil else {
            throw .unprocessable("only two of start, end and period can be specified at the same time")
        }
        let today = now.inNewYork.date
        lastDate =
            if let end { min(end.inNewYork.date, today) } else if let start, let period {
                min(period.shifting(start.inNewYork.date, by: 1), today)
            } else { today }
        self.period = period ?? .month
        let last = lastDate
        let days =
            start.map { last.daysSince1970 - $0.inNewYork.date.daysSince1970 } ?? (period ?? .month).days
        let defaultTimeframe: Timeframe = days < 7 ? .minute : days < 30 ? .quarterHour : .day
        let timeframe = try Self.choice(request, "timeframe") ?? defaultTimeframe
        guard timeframe == .day || days <= 30 else {
            throw .unprocessable("only 1D timeframe is accepted for periods longer than 30 days")
        }
        self.timeframe = timeframe
        let extended = request[query: "extended_hours"] == "true"
        reporting =
            try Self.choice(request, "intraday_reporting") ?? (extended ? .extendedHours : .marketHours)
        let reset: Reset? = try Self.choice(request, "pnl_reset")
        resetsDaily = reset != .never
        cashflow = try Self.cashflow(request)
    }

    private static func cashflow(_ request: SandboxRequest) throws(FakeAlpacaError) -> [String]? {
        guard let text = request[query: "cashflow_types"], text != "NONE" else { return nil }
        guard text != "ALL" else { return [] }
        let types = text.split(separator: ",").map(String.init)
        for type in types where !FakeAlpacaActivityQuery.types.contains(type) {
            throw .unprocessable("invalid cashflow_types: \(type)")
        }
        return types
    }

    private enum Reset: String, CaseIterable {
        case perDay = "per_day"
        case never = "no_reset"
    }

    private static func period(_ request: SandboxRequest) throws(FakeAlpacaError) -> Period? {
        guard let text = request[query: "period"] else { return nil }
        guard let period = Period(text) else { throw .unprocessable("invalid period: \(text)") }
        return period
    }

    private static func choice<Choice: RawRepresentable<String>>(
        _ request: SandboxRequest, _ name: String
    ) throws(FakeAlpacaError) -> Choice? {
        guard let text = request[query: name] else { return nil }
        guard let choice = Choice(rawValue: text) else { throw .unprocessable("invalid \(name): \(text)") }
        return choice
    }

    private static func instant(_ request: SandboxRequest, _ name: String) throws(FakeAlpacaError) -> Instant?
    {
        guard let text = request[query: name] else { return nil }
        guard let instant = Instant(text) else { throw .unprocessable("invalid \(name): \(text)") }
        return instant
    }

    /// Returns the end of the last day, the older form of the parameter.
    private static func dayEnd(_ request: SandboxRequest, _ name: String) throws(FakeAlpacaError) -> Instant?
    {
        guard let text = request[query: name] else { return nil }
        guard let date = CalendarDate(text), let end = LocalTime(date: date, hour: 23, minute: 59, second: 59)
        else {
            throw .unprocessable("invalid \(name): \(text)")
        }
        return Instant(newYork: end)
    }
}
