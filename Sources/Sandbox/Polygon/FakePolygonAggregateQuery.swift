import Brokerage

/// The parameters of `GET /v2/aggs/ticker/{ticker}/range/{multiplier}/{timespan}/{from}/{to}`, read and checked.
struct FakePolygonAggregateQuery: Sendable {
    let ticker: String
    let window: FakePolygonWindow
    /// As they came, for the link to the next page.
    let from: String
    let to: String
    /// Base bars that begin in these seconds, both included.
    let seconds: ClosedRange<Int>
    let isAdjusted: Bool
    let isDescending: Bool
    /// The most base bars that are taken.
    let limit: Int

    /// Throws ``FakePolygonError`` for what Polygon would refuse.
    ///
    /// Days are those of the listing's market; of New York for a ticker that is not listed.
    init(_ visit: FakePolygonHost.AuthenticatedRequest, of listing: FakePolygonListing?)
        throws(FakePolygonError)
    {
        let path = visit.request.parameters
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
        isAdjusted = try Self.choice(visit["adjusted"], "adjusted", ["true": true, "false": false]) ?? true
        isDescending = try Self.choice(visit["sort"], "sort", ["asc": false, "desc": true]) ?? false
        guard let limit = Int(visit["limit"] ?? "5000"), (1...50_000).contains(limit) else {
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

    /// The first or the last second of a day, or milliseconds since 1970.
    private static func second(
        _ text: String, _ listing: FakePolygonListing?, _ window: FakePolygonWindow, endOfDay: Bool = false
    ) -> Int? {
        if let milliseconds = Int(text) {
            return Market.clamped(milliseconds.flooredQuotientAndRemainder(dividingBy: 1_000).quotient)
        }
        guard let date = CalendarDate(text), let day = endOfDay ? date.adding(days: 1) : date else {
            return nil
        }
        let start =
            window.base == .day
            ? (listing?.instrument.schedule ?? .exchanges).start(of: day) : listing?.midnight(of: day)
        return (start ?? Schedule.exchanges.start(of: day)).map { Market.clamped($0 - (endOfDay ? 1 : 0)) }
    }
}
