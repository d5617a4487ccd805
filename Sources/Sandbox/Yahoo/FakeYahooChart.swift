import Brokerage

/// `GET /v8/finance/chart/{symbol}`: columns of bars, and the last price in `meta`.
struct FakeYahooChart: Sendable {
    private let listing: FakeYahooListing
    private let query: FakeYahooChartQuery
    private let view: MarketView
    private let settings: FakeYahooSettings

    /// Throws ``FakeYahooError`` for an unlisted symbol and an unavailable range.
    init(_ context: FakeYahooHost.AuthenticatedRequest) throws(FakeYahooError) {
        settings = context.settings
        view =
            settings.chartDelay == 0
            ? context.view
            : MarketView(context.view.market, at: context.view.instant - .seconds(settings.chartDelay))
        guard
            let listing = FakeYahooListing(
                context.request.parameters["symbol"] ?? "", in: context.view.market)
        else { throw .noChart(status: settings.unknownSymbolStatus) }
        self.listing = listing
        query = try FakeYahooChartQuery(context, of: listing.instrument)
    }

    /// Returns the chart of a listed symbol, or what is left of that of a delisted one.
    static func document(_ context: FakeYahooHost.AuthenticatedRequest) throws -> JSONDocument {
        let symbol = context.request.parameters["symbol"] ?? ""
        guard context.settings.delisted.contains(symbol), context.settings.delistedHaveCharts else {
            return try FakeYahooChart(context).document()
        }
        let meta: JSONDocument = [
            "currency": nil, "symbol": .string(symbol), "exchangeName": "YHD", "fullExchangeName": "YHD",
            "instrumentType": "MUTUALFUND", "firstTradeDate": nil, "regularMarketTime": 1_561_759_658,
            "hasPrePostMarketData": false, "gmtoffset": -18_000,
            "timezone": "EST",
            "exchangeTimezoneName": "America/New_York", "priceHint": 2, "dataGranularity": "1d", "range": "",
            "validRanges": .array(FakeYahooChartQuery.validRanges.map { .string($0) }),
        ]
        return [
            "chart": ["result": [["meta": meta, "indicators": ["quote": [[:]]]]], "error": nil]
        ]
    }

    private func document() -> JSONDocument {
        let rows = query.isAvailable ? rows : []
        var members: [JSONDocument.Member] = [.init(name: "meta", value: meta)]
        if !rows.isEmpty {
            let stamps = rows.map { JSONDocument.integer($0.second) }
            members.append("timestamp", .array(stamps))
        }
        let events = query.isAvailable ? events : []
        if !events.isEmpty { members.append("events", .object(events)) }
        members.append("indicators", indicators(rows))
        return ["chart": ["result": [.object(members)], "error": nil]]
    }

    /// One row of the columns; without a bar its values are null.
    private struct Row {
        let second: Int
        let bar: Bar?
    }

    private func bars(every length: BarLength) -> BarSeries {
        view.bars(
            of: listing.instrument, every: length, from: query.seconds.lowerBound,
            through: query.seconds.upperBound - 1, extendedHours: query.includesExtendedHours,
            alignment: query.includesExtendedHours ? .clock : .opening)
    }

    /// The weeks of the days in the chart, each of seven days from its beginning.
    ///
    /// They begin on Mondays, but with two times on the weekday of the first one, unless the first trade is later
    /// (joshuaulrich/quantmod#263, atreadw1492/yahoo_fin#11). The first one has the days in the chart only.
    private var weeks: [TimedBar] {
        let schedule = view.market.schedule(of: listing.instrument)
        let first = schedule.date(at: Instant(secondsSince1970: Int64(query.seconds.lowerBound)) ?? .earliest)
        let isAfterFirstTrade = first > settings.historyBegins
        guard
            let origin = query.range.isEmpty && isAfterFirstTrade ? first : BarLength.week.period(of: first)
        else { return [] }
        var weeks: [TimedBar] = []
        for day in bars(every: .day) {
            let week = (day.date.daysSince1970 - origin.daysSince1970) / 7
            guard let date = origin.adding(days: 7 * week) else { continue }
            if let last = weeks.last, last.date == date {
                weeks[weeks.count - 1] = TimedBar(
                    start: last.start, date: date, bar: last.bar.joined(with: day.bar))
            } else {
                weeks.append(TimedBar(start: midnight(of: date), date: date, bar: day.bar))
            }
        }
        return weeks
    }

    /// Returns the first second of a day in the zone of the chart.
    private func midnight(of date: CalendarDate) -> Int {
        let utc = date.daysSince1970 * 86_400
        let schedule = view.market.schedule(of: listing.instrument)
        return schedule == .currencies ? utc : schedule.start(of: date) ?? utc
    }

    private var rows: [Row] {
        let bars = query.interval.length == .week ? weeks : Array(bars(every: query.interval.length))
        var rows = bars.map { Row(second: stamp(of: $0), bar: isMissing($0) ? nil : $0.bar) }
        rows = (rows + unrequestedRows).sorted { $0.second < $1.second }
        if settings.addsLiveBar, query.interval.isIntraday, let second = liveSecond, !rows.isEmpty,
            let price = view.price(listing.instrument.symbol)
        {
            let bar = Bar(open: price, high: price, low: price, close: price, volume: 0)
            rows.append(Row(second: second, bar: bar))
        }
        return rows
    }

    /// The rows of half days after the close, which Yahoo sends with regular hours too: the closing auction, which has a price
    /// but no volume (ranaroussi/yfinance#2806), and the after-hours market.
    private var unrequestedRows: [Row] {
        guard query.interval.isIntraday, !query.includesExtendedHours,
            listing.hasExtendedHours(in: view.market)
        else { return [] }
        return sessions.filter { $0.close - $0.open < 23_400 && $0.close <= view.now }.flatMap { day in
            let price = view.market.close(listing.instrument, day)
            let auction = Bar(open: price, high: price, low: price, close: price, volume: 0)
            let late = view.bars(
                of: listing.instrument, every: query.interval.length, from: day.close + 1,
                through: day.postMarketClose - 1, alignment: .opening)
            return [Row(second: day.close, bar: auction)] + late.map { Row(second: $0.start, bar: $0.bar) }
        }.filter { query.seconds.contains($0.second) }
    }

    /// Returns the timestamp of a bar: the opening for a day of the exchanges, otherwise its start.
    private func stamp(of candle: TimedBar) -> Int {
        guard query.interval == .day else { return candle.start }
        let schedule = view.market.schedule(of: listing.instrument)
        let moment = Instant(secondsSince1970: Int64(candle.start)) ?? .earliest
        return schedule.session(on: schedule.date(at: moment))?.open ?? candle.start
    }

    private func isMissing(_ candle: TimedBar) -> Bool {
        if view.unpriced.contains(listing.instrument.symbol), candle.start >= today { return true }
        guard let share = settings.missingBarOneIn, share > 0, query.interval.isIntraday else { return false }
        return SeededRandom(seed: UInt64(bitPattern: Int64(candle.start))).branch(listing.symbol)
            .number(0, below: share) == 0
    }

    /// The first second of the trading day; a symbol without a price has no bars from then on.
    private var today: Int {
        view.tradingDay(of: listing.instrument)?.preMarketOpen ?? .max
    }

    /// The current second, if the market is open, and it is in the chart and not a bar's start.
    private var liveSecond: Int? {
        let phase = view.phase(of: listing.instrument)
        guard query.seconds.contains(view.now), view.now % 60 != 0,
            phase == .regular || (query.includesExtendedHours && phase != nil)
        else { return nil }
        return view.now
    }

    /// Returns columns of the same length as the timestamps; an empty object without bars.
    private func indicators(_ rows: [Row]) -> JSONDocument {
        guard !rows.isEmpty else { return ["quote": [[:]]] }
        func column(_ value: (Bar) -> JSONDocument) -> JSONDocument {
            .array(rows.map { .optional($0.bar, value) })
        }
        let close = column { price($0.close) }
        var members: [JSONDocument.Member] = [
            .init(
                name: "quote",
                value: [
                    [
                        "open": column { price($0.open) }, "high": column { price($0.high) },
                        "low": column { price($0.low) }, "close": close,
                        "volume": column { .integer($0.volume) },
                    ]
                ])
        ]
        if !query.interval.isIntraday { members.append("adjclose", [["adjclose": close]]) }
        return .object(members)
    }

    private func price(_ ticks: Int) -> JSONDocument {
        settings.pricesAreSinglePrecision
            ? .singlePrecision(listing.instrument.price(ticks)) : listing.price(ticks)
    }
}

extension FakeYahooChart {
    /// The requested events in the range of the chart; a kind without events is missing.
    private var events: [JSONDocument.Member] {
        let schedule = view.market.schedule(of: listing.instrument)
        func stamped(_ date: CalendarDate, _ members: [JSONDocument.Member]) -> JSONDocument.Member? {
            guard let open = schedule.session(on: date)?.open, query.seconds.contains(open) else {
                return nil
            }
            let time = JSONDocument.Member(name: "date", value: .integer(open))
            return .init(name: String(open), value: .object(members + [time]))
        }
        let symbol = listing.instrument.symbol
        let today = view.instant.inNewYork.date
        let first = Instant(secondsSince1970: Int64(query.seconds.lowerBound))?.dateInUTC ?? today
        var kinds: [JSONDocument.Member] = []
        if query.events.contains("div") {
            let paid = CorporateActions.dividends(of: symbol, from: first, through: today, schedule)
                .compactMap {
                    stamped($0.exDate, [.init(name: "amount", value: amount($0))] + dividendCurrency)
                }
            if !paid.isEmpty { kinds.append("dividends", .object(paid)) }
        }
        // Clients use both names.
        if !query.events.isDisjoint(with: ["split", "splits"]) {
            let done = CorporateActions.splits.filter { $0.symbol == symbol }.compactMap { split in
                stamped(
                    split.exDate,
                    [
                        .init(name: "numerator", value: .integer(split.ratio)),
                        .init(name: "denominator", value: 1),
                        .init(name: "splitRatio", value: .string("\(split.ratio):1")),
                    ])
            }
            if !done.isEmpty { kinds.append("splits", .object(done)) }
        }
        return kinds
    }

    private func amount(_ dividend: CorporateActions.Dividend) -> JSONDocument {
        settings.pricesAreSinglePrecision
            ? .singlePrecision(dividend.amount) : .number(shortest: dividend.amount)
    }

    private var dividendCurrency: [JSONDocument.Member] {
        switch settings.dividendCurrency {
        case .missing: []
        case .empty: [.init(name: "currency", value: "")]
        case .named(let name): [.init(name: "currency", value: .string(name))]
        }
    }

    private var meta: JSONDocument {
        let zone = listing.zone(at: view.now)
        let day = FakeYahooDay(listing, view)
        var members: [JSONDocument.Member] = [
            .init(name: "currency", value: .string(listing.currency)),
            .init(name: "symbol", value: .string(listing.symbol)),
            .init(name: "exchangeName", value: .string(listing.exchange.code)),
            .init(name: "fullExchangeName", value: .string(listing.exchange.name)),
            .init(name: "instrumentType", value: .string(listing.type.quoteType)),
            .init(name: "firstTradeDate", value: firstTradeDate),
            .init(name: "hasPrePostMarketData", value: .bool(listing.hasExtendedHours(in: view.market))),
            .init(name: "gmtoffset", value: .integer(zone.offset)),
            .init(name: "timezone", value: .string(zone.abbreviation)),
            .init(name: "exchangeTimezoneName", value: .string(zone.name)),
            .init(name: "longName", value: .string(listing.name)),
            .init(name: "shortName", value: .string(listing.name)),
        ]
        if let day { members += priced(day) }
        if let previous = chartPreviousClose { members.append("chartPreviousClose", listing.price(previous)) }
        if query.interval.isIntraday, let day {
            members.append("previousClose", listing.price(day.previousClose))
        }
        if query.interval.isIntraday { members.append("tradingPeriods", tradingPeriods) }
        return .object(
            members + [
                .init(name: "scale", value: 3),
                .init(name: "priceHint", value: .integer(listing.priceHint)),
                .init(name: "currentTradingPeriod", value: currentTradingPeriod),
                .init(name: "dataGranularity", value: .string(query.interval.rawValue)),
                .init(name: "range", value: .string(query.range)),
                .init(name: "validRanges", value: .array(query.validRanges.map { .string($0) })),
            ])
    }

    private func priced(_ day: FakeYahooDay) -> [JSONDocument.Member] {
        var members: [JSONDocument.Member] = [
            .init(name: "regularMarketTime", value: .integer(day.second)),
            .init(name: "regularMarketPrice", value: listing.price(day.bar.close)),
            .init(name: "regularMarketDayHigh", value: listing.price(day.bar.high)),
            .init(name: "regularMarketDayLow", value: listing.price(day.bar.low)),
            .init(name: "regularMarketVolume", value: .integer(day.bar.volume)),
        ]
        if let year = YearPriceStats(listing.instrument, view) {
            members += [
                .init(name: "fiftyTwoWeekHigh", value: listing.price(year.high)),
                .init(name: "fiftyTwoWeekLow", value: listing.price(year.low)),
            ]
        }
        return members
    }

    private var firstTradeDate: JSONDocument {
        .optional(view.market.schedule(of: listing.instrument).session(on: settings.historyBegins)) {
            .integer($0.open)
        }
    }

    /// The official close of the session before the chart, in ticks.
    private var chartPreviousClose: Int? {
        let schedule = view.market.schedule(of: listing.instrument)
        let first = Instant(secondsSince1970: Int64(query.seconds.lowerBound)) ?? .earliest
        let session = schedule.session(before: schedule.date(at: first))
        return session.map { view.market.close(listing.instrument, $0) }
    }

    /// The hours of the current or last trading day.
    private var currentTradingPeriod: JSONDocument {
        guard let session = view.tradingDay(of: listing.instrument) else { return [:] }
        return [
            "pre": period(.preMarket, session), "regular": period(.regular, session),
            "post": period(.postMarket, session),
        ]
    }

    /// The regular hours of each day of the chart; with extended hours, an object with the hours of each kind.
    private var tradingPeriods: JSONDocument {
        let sessions = sessions
        func periods(_ phase: TradingSession.Phase) -> JSONDocument {
            .array(sessions.map { [period(phase, $0)] })
        }
        guard query.includesExtendedHours else { return periods(.regular) }
        return [
            "pre": periods(.preMarket), "regular": periods(.regular), "post": periods(.postMarket),
        ]
    }

    /// The sessions of the days of the chart.
    private var sessions: [TradingSession] {
        let schedule = view.market.schedule(of: listing.instrument)
        func date(_ second: Int) -> CalendarDate {
            schedule.date(at: Instant(secondsSince1970: Int64(second)) ?? .earliest)
        }
        return schedule.sessions(
            from: date(query.seconds.lowerBound), through: date(query.seconds.upperBound - 1))
    }

    private func period(_ phase: TradingSession.Phase, _ session: TradingSession) -> JSONDocument {
        let zone = listing.zone(at: session.open)
        let seconds = session.seconds(of: phase)
        return [
            "timezone": .string(zone.abbreviation),
            "start": .integer(seconds.lowerBound),
            "end": .integer(seconds.upperBound),
            "gmtoffset": .integer(zone.offset),
        ]
    }
}

/// The current or last market day of an instrument; prices in ticks.
struct FakeYahooDay: Sendable {
    let bar: Bar
    let previousClose: Int
    /// The second of the last change of the regular price.
    let second: Int
    /// The last price outside of market hours, in the current or last phase.
    let extendedPrice: (phase: TradingSession.Phase, price: Int)?
    private let instrument: FakeInstrument

    /// Nil if the instrument has no price.
    init?(_ listing: FakeYahooListing, _ view: MarketView) {
        instrument = listing.instrument
        guard view.priced(instrument.symbol) != nil, let session = view.marketDay(of: instrument),
            let bar = view.dayBar(instrument, session)
        else { return nil }
        let tape = view.market.tape(instrument, session)
        self.bar = bar
        previousClose = tape.previousClose
        second = min(view.now, session.close)
        extendedPrice =
            listing.hasExtendedHours(in: view.market) ? Self.extendedPrice(instrument, tape, view) : nil
    }

    private static func extendedPrice(
        _ instrument: FakeInstrument, _ tape: DayTape, _ view: MarketView
    ) -> (phase: TradingSession.Phase, price: Int)? {
        switch view.phase(of: instrument) {
        case .preMarket: return (.preMarket, view.market.lastTrade(instrument, at: view.now).price)
        case .regular: return nil
        case .postMarket, nil:
            let session = tape.session
            let evening = tape.bar(of: .postMarket, from: session.close, through: view.now)
            return evening.map { (.postMarket, $0.close) }
        }
    }

    /// The change, in 32 bits as at Yahoo.
    var change: Float { single(bar.close) - single(previousClose) }

    /// In percent: 0.64 for a rise by 0.64 %.
    var changePercent: Float { change / single(previousClose) * 100 }

    private func single(_ ticks: Int) -> Float { Float(instrument.price(ticks).doubleValue) }
}
