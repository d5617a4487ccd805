package import Brokerage
package import Upstream

extension AlpacaClient: MarketClockSource {
    /// Whether the US exchanges are open: `GET /v2/clock`; while they are closed, also `GET /v2/calendar`,
    /// which has the hours before the opening and after the close.
    package func clock(in context: CallContext) async throws(ProviderFailure) -> MarketClock {
        let response = try await get(
            "clock", from: .trading, { $0.appending(path: "v2", "clock") }, in: context
        ) { response throws(JSONError) in try AlpacaClock(json: response.body) }
        var clock = MarketClock(provider: .alpaca, isOpen: response.isOpen, now: response.now)
        clock.nextOpen = response.nextOpen
        clock.nextClose = response.nextClose
        clock.state = response.isOpen ? .open : await stateOutside(at: response.now, in: context)
        return clock
    }

    /// Nil if the calendar cannot be read or contradicts the clock; the clock's `isOpen` is valid without
    /// it.
    private func stateOutside(at now: Instant, in context: CallContext) async -> MarketState? {
        let local = now.inNewYork
        guard let calendar = try? await calendar(of: local.date.year, in: context) else { return nil }
        guard let day = calendar.days.first(where: { $0.date == local.date }) else {
            // A day that could not be read may be today.
            return calendar.isComplete ? .closed : nil
        }
        guard day.session.contains(local.secondOfDay) else { return .closed }
        if local.secondOfDay < day.regularHours.lowerBound { return .pre }
        // Within regular hours the clock and the calendar contradict each other.
        return day.regularHours.contains(local.secondOfDay) ? nil : .post
    }
}

/// The response of `GET /v2/clock`.
package struct AlpacaClock: JSONObjectDecodable, Hashable {
    var now = Instant.earliest
    var isOpen = false
    package var nextOpen: Instant?
    var nextClose: Instant?

    package static let json = JSONFields(Self()) {
        $0.required("timestamp", \.now)
        $0.required("is_open", \.isOpen)
        $0.optional("next_open", \.nextOpen)
        $0.optional("next_close", \.nextClose)
    }
}

/// The response of `GET /v2/calendar`.
package struct AlpacaCalendar: JSONDecodable, Hashable, Sendable {
    package let days: [AlpacaCalendarDay]
    /// Whether all days could be read: only then is a day that it does not have one without trading.
    package let isComplete: Bool

    package init(json reader: inout JSONReader) throws(JSONError) {
        let rows = try reader.rows(of: AlpacaCalendarDay.self)
        (days, isComplete) = (rows.elements, rows.failures.isEmpty)
    }
}

/// A trading day, of `GET /v2/calendar`; all times are New York's, in seconds since midnight.
package struct AlpacaCalendarDay: Sendable, Hashable {
    package let date: CalendarDate
    /// From the opening to the close, which is early before holidays.
    package let regularHours: Range<Int>
    /// From the first to the last trade, outside of regular hours too.
    package let session: Range<Int>
}

extension AlpacaCalendarDay: JSONDecodable {
    /// An element of the response.
    struct Response: JSONObjectDecodable {
        var date = CalendarDate.earliest
        var open = 0
        var close = 0
        var sessionOpen: Int?
        var sessionClose: Int?

        static let json = JSONFields(Self()) {
            $0.required("date", \.date)
            $0.required("open", \.open, JSONReader.timeOfDay)
            $0.required("close", \.close, JSONReader.timeOfDay)
            $0.optional("session_open", \.sessionOpen, JSONReader.timeOfDay)
            $0.optional("session_close", \.sessionClose, JSONReader.timeOfDay)
        }
    }

    package init(json reader: inout JSONReader) throws(JSONError) {
        let day = try Response(json: &reader)
        date = day.date
        let close = try reader.required(day.open <= day.close ? day.close : nil, "close behind its open")
        regularHours = day.open..<close
        session = min(day.sessionOpen ?? day.open, day.open)..<max(day.sessionClose ?? close, close)
    }
}

extension JSONReader {
    /// Reads `09:30` or `0930`, as seconds since midnight.
    fileprivate static func timeOfDay(_ reader: inout JSONReader) throws(JSONError) -> Int {
        try reader.token(oneOf: "times of day, 09:30 or 0930") { token in
            let digits = token.string.filter { $0 != ":" }
            guard digits.utf8.count == 4, let number = Int(digits), (0..<24).contains(number / 100),
                (0..<60).contains(number % 100)
            else { return nil }
            return number / 100 * 3600 + number % 100 * 60
        }
    }
}

extension AlpacaClient {
    /// The most memory that the trading days take, in bytes.
    package static let calendarLimit = 1 << 20

    /// The trading days of a year, cached for a day: `GET /v2/calendar`.
    func calendar(
        of year: Int, in context: CallContext
    ) async throws(ProviderFailure) -> AlpacaCalendar {
        let items: [(name: String, value: String?)] = [
            ("start", "\(year)-01-01"), ("end", "\(year)-12-31"),
        ]
        return try await calendar.read(CalendarQuery(year: year), in: .shared(.alpaca), for: context) {
            [self] context throws(ProviderFailure) in
            try await get(
                "calendar", from: .trading,
                { $0.appending(path: "v2", "calendar")?.appending(query: items) }, in: context
            ) { response throws(JSONError) in try AlpacaCalendar(json: response.body) }
        }
    }
}

/// The trading days of a year.
struct CalendarQuery: CacheQuery {
    let year: Int

    var cacheName: String { String(year) }
}
