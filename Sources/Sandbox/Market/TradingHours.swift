package import Brokerage

/// The trading hours of an instrument.
package enum TradingHours: Sendable, Hashable, CaseIterable {
    /// The US stock exchanges: ``NewYorkCalendar``.
    case exchanges
    /// Indices: the market hours of the exchanges, without the extended hours.
    case marketHours
    /// The London Stock Exchange: ``LondonCalendar``.
    case london
    /// Every day from midnight in New York for 23 hours and 59 minutes, without extended hours: the exchanges of a
    /// sandbox that is always open.
    case aroundTheClock
    /// Currencies: from Sunday 17:00 to Friday 17:00 in New York without a pause, holidays included.
    ///
    /// A new day begins at every 17:00 and has the date of its end.
    case currencies
    /// Crypto: always; a new day begins at midnight UTC.
    case continuous

    /// Returns the session of a day; nil if there is none.
    package func session(on date: CalendarDate) -> TradingSession? {
        switch self {
        case .exchanges: return NewYorkCalendar.session(on: date)
        case .marketHours:
            return NewYorkCalendar.session(on: date).map { TradingSession(date, from: $0.open, to: $0.close) }
        case .london:
            return LondonCalendar.hours(on: date).map {
                TradingSession(date, from: $0.lowerBound, to: $0.upperBound)
            }
        case .aroundTheClock:
            // Trading pauses for the last minute, because a session must not end at the time "24:00".
            guard let start = start(of: date), let next = date.adding(days: 1).flatMap(start(of:)) else {
                return nil
            }
            return TradingSession(date, from: start, to: next - 60)
        case .currencies:
            // Clocks change on Sundays before the day begins, so it is always 86,400 seconds long.
            guard !date.weekday.isWeekend, let start = start(of: date) else { return nil }
            return TradingSession(date, from: start, to: start + 86_400)
        case .continuous:
            return start(of: date).map { TradingSession(date, from: $0, to: $0 + 86_400) }
        }
    }

    /// Returns the first second of a day, with or without trading.
    ///
    /// It is midnight in New York or London, the rollover of the currencies on the evening before, or
    /// midnight UTC.
    package func start(of date: CalendarDate) -> Int? {
        switch self {
        case .exchanges, .marketHours, .aroundTheClock: Self.second(of: date, hour: 0)
        case .london: LondonCalendar.midnight(of: date)
        case .currencies: date.adding(days: -1).flatMap { Self.second(of: $0, hour: Self.rollover) }
        case .continuous: date.daysSince1970 * 86_400
        }
    }

    private static func second(of date: CalendarDate, hour: Int) -> Int? {
        LocalTime(date: date, hour: hour).map { Int(Instant(newYork: $0).secondsSince1970) }
    }

    /// Returns the last session on or before a date; nil before the calendar begins.
    package func session(onOrBefore date: CalendarDate) -> TradingSession? {
        var day: CalendarDate? = date
        while let current = day {
            if let session = session(on: current) { return session }
            day = current.adding(days: -1)
        }
        return nil
    }

    /// Returns the last session before a date; nil before the calendar begins.
    package func session(before date: CalendarDate) -> TradingSession? {
        date.adding(days: -1).flatMap(session(onOrBefore:))
    }

    /// Returns the first session after a date; nil at the end of the calendar.
    package func session(after date: CalendarDate) -> TradingSession? {
        var day = date.adding(days: 1)
        while let current = day {
            if let session = session(on: current) { return session }
            day = current.adding(days: 1)
        }
        return nil
    }

    /// Returns every session from `first` to `last`, both included.
    package func sessions(from first: CalendarDate, through last: CalendarDate) -> [TradingSession] {
        guard first <= last else { return [] }
        return (first.daysSince1970...last.daysSince1970).compactMap { day in
            CalendarDate(daysSince1970: day).flatMap(session(on:))
        }
    }

    /// Returns the last session whose extended hours had begun; nil only before the range of
    /// ``Market/clamped(_:)``.
    package func session(begunBy second: Int) -> TradingSession? {
        last(by: second) { $0.preMarketOpen }
    }

    /// Returns the last session whose market hours had begun.
    package func session(openedBy second: Int) -> TradingSession? {
        last(by: second) { $0.open }
    }

    /// Returns the phase at a moment; nil while the market is closed.
    package func phase(at second: Int) -> TradingSession.Phase? {
        session(begunBy: second)?.phase(at: second)
    }

    private func last(by second: Int, _ start: (TradingSession) -> Int) -> TradingSession? {
        let second = Market.clamped(second)
        guard let moment = Instant(secondsSince1970: Int64(second)),
            let session = session(onOrBefore: date(at: moment))
        else { return nil }
        return start(session) <= second ? session : self.session(before: session.date)
    }

    /// Returns the day that contains a moment, with or without trading.
    package func date(at moment: Instant) -> CalendarDate {
        switch self {
        case .exchanges, .marketHours, .aroundTheClock: moment.inNewYork.date
        case .london: LondonCalendar.date(at: Int(moment.secondsSince1970))
        case .currencies: (moment + .seconds((24 - Self.rollover) * 3600)).inNewYork.date
        case .continuous: moment.dateInUTC
        }
    }

    /// The hour in New York at which a day of the currencies ends.
    private static let rollover = 17
}

extension TradingSession {
    /// Creates a session without extended hours.
    fileprivate init(_ date: CalendarDate, from start: Int, to end: Int) {
        self.init(date: date, preMarketOpen: start, open: start, close: end, postMarketClose: end)
    }
}
