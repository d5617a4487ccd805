import Brokerage
import PorticoCore

/// The aggregates of a ticker: bars of any window over a range, in pages.
struct FakePolygonAggregates: Sendable {
    private let context: FakePolygonHost.AuthenticatedRequest
    private let query: FakePolygonAggregateQuery
    private let listing: FakePolygonListing?

    /// Throws ``FakePolygonError`` for what Polygon or the plan rejects.
    init(_ context: FakePolygonHost.AuthenticatedRequest) throws(FakePolygonError) {
        self.context = context
        listing = FakePolygonListing(context.request.parameters["ticker"] ?? "", in: context.view.market)
        query = try FakePolygonAggregateQuery(context, of: listing)
        // The market has no bars of seconds.
        guard query.window.timespan != .second else { throw .notEntitled }
        if context.plan == .free {
            let oldest = context.now.instant.inNewYork.date.adding(
                months: -12 * context.settings.yearsOfHistory)
            guard let oldest,
                query.seconds.lowerBound >= Int(Instant(newYorkMidnight: oldest).secondsSince1970),
                query.seconds.lowerBound <= context.view.now
            else { throw .outsideTimeframe }
        }
    }

    func document() -> JSONDocument {
        let page = page
        var members: [JSONDocument.Member] = [
            .init(name: "ticker", value: .string(query.ticker)),
            .init(name: "queryCount", value: .integer(page.baseCount)),
            .init(name: "resultsCount", value: .integer(page.aggregates.count)),
            .init(name: "adjusted", value: .bool(query.isAdjusted)),
        ]
        if let listing, !page.aggregates.isEmpty {
            let today = context.view.instant.inNewYork.date
            let bars = page.aggregates.map { aggregate in
                let day = Instant(secondsSince1970: Int64(aggregate.start))?.inNewYork.date ?? today
                let bar =
                    query.isAdjusted
                    ? aggregate.bar
                    : aggregate.bar.unadjusted(of: listing.instrument, on: day, knownOn: today)
                return JSONDocument.object(
                    bar.polygon(listing.instrument, start: aggregate.start, context.settings))
            }
            members.append("results", .array(bars))
        }
        members += [
            .init(name: "status", value: context.plan.status),
            .init(name: "request_id", value: .string(context.requestID)),
            .init(name: "count", value: .integer(page.aggregates.count)),
        ]
        if let next = page.next { members.append("next_url", .string(link(to: next))) }
        return .object(members)
    }

    /// The current page; empty for an unlisted ticker.
    private var page: FakePolygonPage {
        guard let listing else { return FakePolygonPage() }
        return FakePolygonPage(query, of: listing, context.view(of: listing))
    }

    private func link(to second: Int) -> String {
        let (from, to) =
            query.isDescending ? (query.from, "\(second)000") : ("\(second)000", query.to)
        let cursor = FakePolygonCursor.text([
            ("adjusted", "\(query.isAdjusted)"), ("limit", "\(query.limit)"),
            ("sort", query.isDescending ? "desc" : "asc"),
        ])
        let window = "\(query.window.multiplier)/\(query.window.timespan.rawValue)"
        return
            "\(context.linkBase)/v2/aggs/ticker/\(query.ticker)/range/\(window)/\(from)/\(to)?cursor=\(cursor)"
    }
}

extension FakePolygonAggregates {
    /// Returns `GET /v2/aggs/ticker/{ticker}/prev`: the last day before today.
    static func previous(_ context: FakePolygonHost.AuthenticatedRequest) -> JSONDocument {
        let ticker = context.request.parameters["ticker"] ?? ""
        let result = FakePolygonListing(ticker, in: context.view.market).flatMap { listing -> JSONDocument? in
            let schedule = context.now.market.schedule(of: listing.instrument)
            let today = schedule.date(at: context.now.instant)
            guard let session = schedule.session(before: today),
                context.settings.delistings[ticker].map({ today <= $0 }) ?? true,
                let bar = context.now.dayBar(listing.instrument, session),
                let start = listing.midnight(of: session.date)
            else { return nil }
            return .object(
                [.init(name: "T", value: .string(ticker))]
                    + bar.polygon(listing.instrument, start: start, context.settings))
        }
        let count = JSONDocument.integer(result == nil ? 0 : 1)
        var members: [JSONDocument.Member] = [
            .init(name: "ticker", value: .string(ticker)),
            .init(name: "queryCount", value: count),
            .init(name: "resultsCount", value: count),
            .init(name: "adjusted", value: .bool(context["adjusted"] != "false")),
        ]
        if let result { members.append("results", [result]) }
        return .object(
            members + [
                .init(name: "status", value: context.plan.status),
                .init(name: "request_id", value: .string(context.requestID)),
                .init(name: "count", value: count),
            ])
    }
}

extension FakePolygonSettings.Plan {
    /// The status text of a success.
    var status: JSONDocument {
        switch self {
        case .free, .realtime: "OK"
        case .delayed: "DELAYED"
        }
    }
}

extension Bar {
    /// Writes one bar; `t` is the start of its window in milliseconds.
    fileprivate func polygon(
        _ instrument: FakeInstrument, start: Int, _ settings: FakePolygonSettings
    ) -> [JSONDocument.Member] {
        func price(_ ticks: Int) -> JSONDocument { .number(shortest: instrument.price(ticks)) }
        let bar: [JSONDocument.Member] = [
            .init(name: "v", value: .integer(volume)),
            .init(name: "o", value: price(open)),
            .init(name: "c", value: price(close)),
            .init(name: "h", value: price(high)),
            .init(name: "l", value: price(low)),
            .init(name: "t", value: .integer(start * 1_000)),
        ]
        guard settings.barsHaveTrades else { return bar }
        return bar + [
            .init(name: "vw", value: .number(shortest: averagePrice(of: instrument))),
            .init(name: "n", value: .integer(trades)),
        ]
    }
}

/// The validated parameters of `GET /v2/aggs/ticker/{ticker}/range/{multiplier}/{timespan}/{from}/{to}`.
struct FakePolygonAggregateQuery: Sendable {
    let ticker: String
    let window: FakePolygonWindow
    /// The original texts, for the link to the next page.
    let from: String
    let to: String
    /// Base bars must begin in these seconds, both included.
    let seconds: ClosedRange<Int>
    let isAdjusted: Bool
    let isDescending: Bool
    /// The maximum number of base bars.
    let limit: Int

    /// Throws ``FakePolygonError`` for what Polygon rejects.
    ///
    /// Days are those of the listing's market; of New York for an unlisted ticker.
    init(_ context: FakePolygonHost.AuthenticatedRequest, of listing: FakePolygonListing?)
        throws(FakePolygonError)
    {
        let path = context.request.parameters
        ticker = path["ticker"] ?? ""
        guard let multiplier = path["multiplier"].flatMap({ Int($0) }), (1...100_000).contains(multiplier)
        else {
            throw .badRequest("could not parse the multiplier '\(path["multiplier"] ?? "")'")
        }
        guard let timespan = path["timespan"].flatMap(FakePolygonWindow.Timespan.init) else {
            throw .badRequest("could not parse the timespan '\(path["timespan"] ?? "")'")
        }
        window = FakePolygonWindow(multiplier: multiplier, timespan: timespan)
        from = path["from"] ?? ""
        to = path["to"] ?? ""
        guard let first = Self.second(from, listing, window) else {
            throw .badRequest("could not parse the time '\(from)' for 'from'")
        }
        guard let last = Self.second(to, listing, window, endOfDay: true) else {
            throw .badRequest("could not parse the time '\(to)' for 'to'")
        }
        guard first <= last else { throw .badRequest("'to' cannot be before 'from'") }
        seconds = first...last
        isAdjusted = try Self.choice(context["adjusted"], "adjusted", ["true": true, "false": false]) ?? true
        isDescending = try Self.choice(context["sort"], "sort", ["asc": false, "desc": true]) ?? false
        guard let limit = Int(context["limit"] ?? "5000"), (1...50_000).contains(limit) else {
            throw .badRequest("the limit must be a number from 1 to 50000")
        }
        self.limit = limit
    }

    private static func choice(
        _ text: String?, _ name: String, _ values: [String: Bool]
    ) throws(FakePolygonError) -> Bool? {
        guard let text else { return nil }
        guard let value = values[text] else {
            throw .badRequest("could not parse '\(text)' for '\(name)'")
        }
        return value
    }

    /// Parses a day, as its first or last second, or milliseconds since 1970.
    private static func second(
        _ text: String, _ listing: FakePolygonListing?, _ window: FakePolygonWindow, endOfDay: Bool = false
    ) -> Int? {
        if let milliseconds = Int(text) {
            return Market.clamped(milliseconds.flooredDivision(by: 1_000).quotient)
        }
        guard let date = CalendarDate(text), let day = endOfDay ? date.adding(days: 1) : date else {
            return nil
        }
        let start =
            window.base == .day
            ? (listing?.instrument.schedule ?? .exchanges).start(of: day) : listing?.midnight(of: day)
        return (start ?? TradingHours.exchanges.start(of: day)).map {
            Market.clamped($0 - (endOfDay ? 1 : 0))
        }
    }
}

/// The length of the bars of an aggregate, for instance `5/minute`, `1/quarter`.
struct FakePolygonWindow: Sendable {
    /// 1 or more.
    let multiplier: Int
    let timespan: Timespan

    enum Timespan: String, Sendable, CaseIterable {
        case second
        case minute
        case hour
        case day
        case week
        case month
        case quarter
        case year
    }

    /// The length of the base bars; the limit of a request counts these.
    var base: BarLength {
        switch timespan {
        case .second, .minute, .hour: .minute
        case .day, .week, .month, .quarter, .year: .day
        }
    }

    /// Returns the first second of the window that contains a base bar; nil at the end of the calendar.
    ///
    /// Minutes and hours are counted from midnight, several days or weeks from the first requested day,
    /// months from January of year 0.
    func start(of candle: TimedBar, _ listing: FakePolygonListing, from first: CalendarDate) -> Int? {
        switch timespan {
        case .second: return candle.start
        case .minute: return start(of: candle.start, listing, length: 60 * multiplier)
        case .hour: return start(of: candle.start, listing, length: 3_600 * multiplier)
        case .day: return listing.midnight(of: grouped(day(of: candle, listing), from: first, by: multiplier))
        case .week:
            let sunday = Self.sunday(of: first)
            return listing.midnight(of: grouped(day(of: candle, listing), from: sunday, by: 7 * multiplier))
        case .month: return start(of: day(of: candle, listing), listing, months: multiplier)
        case .quarter: return start(of: day(of: candle, listing), listing, months: 3 * multiplier)
        case .year: return start(of: day(of: candle, listing), listing, months: 12 * multiplier)
        }
    }

    private func start(of second: Int, _ listing: FakePolygonListing, length: Int) -> Int? {
        guard let midnight = listing.midnight(of: listing.date(at: second)) else { return nil }
        return midnight + (second - midnight) / length * length
    }

    /// Returns the date of a day's bar, by its session.
    private func day(of candle: TimedBar, _ listing: FakePolygonListing) -> CalendarDate {
        listing.instrument.schedule.date(at: Instant(secondsSince1970: Int64(candle.start)) ?? .earliest)
    }

    private func grouped(_ date: CalendarDate, from first: CalendarDate, by days: Int) -> CalendarDate {
        let offset = date.daysSince1970 - first.daysSince1970
        let start = offset.flooredDivision(by: days).quotient * days
        return first.adding(days: start) ?? date
    }

    private func start(of date: CalendarDate, _ listing: FakePolygonListing, months: Int) -> Int? {
        let month = (date.year * 12 + date.month - 1) / months * months
        return CalendarDate(year: month / 12, month: month % 12 + 1, day: 1).flatMap(listing.midnight)
    }

    /// Returns the first day of the week, which is Sunday at Polygon.
    private static func sunday(of date: CalendarDate) -> CalendarDate {
        // 1970-01-01 was a Thursday.
        let sinceSunday = (date.daysSince1970 + 4).flooredDivision(by: 7).remainder
        return date.adding(days: -sinceSunday) ?? date
    }
}

/// A parameter with its variants, for instance `ticker`, `ticker.gte`, `ticker.gt`, `ticker.lte`,
/// `ticker.lt`.
struct FakePolygonRangeFilter: Sendable {
    private let equal: String?
    private let bounds: [(holds: @Sendable (String, String) -> Bool, bound: String)]

    init(of name: String, _ context: FakePolygonHost.AuthenticatedRequest) {
        equal = context[name].flatMap { $0.isEmpty ? nil : $0 }
        let comparisons: [(String, @Sendable (String, String) -> Bool)] = [
            ("gte", { $0 >= $1 }), ("gt", { $0 > $1 }), ("lte", { $0 <= $1 }), ("lt", { $0 < $1 }),
        ]
        bounds = comparisons.compactMap { suffix, holds in
            context["\(name).\(suffix)"].map { (holds, $0) }
        }
    }

    /// True if no variant is given.
    var isEverything: Bool { equal == nil && bounds.isEmpty }

    func contains(_ value: String) -> Bool {
        (equal ?? value) == value && bounds.allSatisfy { $0.holds(value, $0.bound) }
    }
}
