import Brokerage

/// The response of `GET /v2/account/portfolio/history`.
///
/// Points are labelled with the beginning of their interval, in seconds; a day's label is 20:00 in New York.
/// Amounts have two decimals, as those of the real history. The profit of a day is the change since the day before, as in
/// Alpaca's examples, and not since the base value, as its documentation says. There are no points in the future, or by the
/// settings null ones for the rest of the day.
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
        /// The value from which profit and loss count.
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
        let hasZeros = settings.historyHasLeadingZeros && query.timeframe == .day
        sessions = Self.sessions(query, of: book, at: view, from: hasZeros ? .earliest : nil)
    }

    func document() throws -> JSONDocument {
        guard let first = sessions.first, let before = view.market.exchanges.session(before: first.date)
        else {
            return Self.empty(query.timeframe)
        }
        let base = hasOpened(by: first) ? try self.base(atCloseOf: before) : .zero
        let points = query.timeframe == .day ? try days(base) : try intervals(base)
        var members: [JSONDocument.Member] = [
            .init(name: "timestamp", value: .array(points.map { .integer($0.label) })),
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
            members.append("cashflow", .object(cashflow))
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
            ? book.ledger.openingDeposit : try book.equity(atCloseOf: session).inCents
    }

    /// Whether the account was open on the day of a session.
    private func hasOpened(by session: TradingSession) -> Bool {
        session.date >= book.ledger.opened.inNewYork.date
    }

    private func days(_ base: Decimal) throws -> [Point] {
        let visibleSessions =
            settings.historyIncludesToday ? sessions : sessions.filter { $0.close <= view.now }
        var points: [Point] = []
        for session in visibleSessions {
            // Today's label stands for the day so far.
            guard let label = LocalTime(date: session.date, hour: 20) else { continue }
            points.append(
                Point(
                    label: Int(Instant(newYork: label).secondsSince1970),
                    second: view.now < session.postMarketClose ? view.now : session.close,
                    equity: try equity(of: session), base: points.last?.equity ?? base))
        }
        return points
    }

    /// The equity at the close of a session, or until now; zero before the account was opened.
    private func equity(of session: TradingSession) throws -> Decimal {
        guard hasOpened(by: session) else { return .zero }
        let equity =
            view.now < session.postMarketClose
            ? try EquityCurve(book, session).equity(at: view.now) : try book.equity(atCloseOf: session)
        return equity.inCents
    }

    private func intervals(_ base: Decimal) throws -> [Point] {
        var dayBase = base
        return try sessions.flatMap { session -> [Point] in
            let curve = try EquityCurve(book, session)
            let span = span(of: session)
            let step = query.timeframe.seconds ?? 60
            let labels = stride(from: span.lowerBound, to: span.upperBound, by: step).prefix { label in
                (settings.historyHasFuturePoints || label <= view.now)
                    && query.end.map { label <= Int($0.secondsSince1970) } ?? true
            }
            let points = try labels.map { label in
                let second = min(label + step, span.upperBound, view.now)
                return Point(
                    label: label, second: second,
                    equity: label <= view.now ? try curve.equity(at: second).inCents : nil,
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

    /// Returns the requested trading days, from a day or the opening of the account until now.
    private static func sessions(
        _ query: FakeAlpacaPortfolioHistoryQuery, of book: FakePortfolio, at view: MarketView,
        from earliest: CalendarDate?
    ) -> [TradingSession] {
        let isByMarketHours = query.timeframe == .day || query.reporting == .marketHours
        guard let current = isByMarketHours ? view.marketDay : view.tradingDay,
            let last = view.market.exchanges.session(onOrBefore: min(query.lastDate, current.date))
        else { return [] }
        let opened = book.ledger.opened.inNewYork.date
        let first = earliest ?? opened
        guard let start = query.start else {
            let sessions = view.market.exchanges.sessions(
                from: max(query.period.shifting(last.date, by: -1).adding(days: 1) ?? .earliest, first),
                through: last.date)
            // The days of a period are trading days, the last one being the current day.
            guard query.period.unit == .day else { return sessions }
            return view.market.exchanges.sessions(from: opened, through: last.date).suffix(query.period.count)
        }
        return view.market.exchanges.sessions(from: max(start.inNewYork.date, first), through: last.date)
            .filter { Int(start.secondsSince1970) <= $0.close }
    }
}

extension Decimal {
    fileprivate var inCents: Decimal { rounded(to: 2, .halfEven) }
}
