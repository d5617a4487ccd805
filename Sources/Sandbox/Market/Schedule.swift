package import Brokerage

/// When an instrument is traded, session by session.
package enum Schedule: Sendable, Hashable, CaseIterable {
    /// The US stock exchanges: ``TradingCalendar``.
    case exchanges
    /// Currencies: from Sunday 17:00 to Friday 17:00 in New York without a pause; a new day begins at every
    /// 17:00 and bears the date of its end. It keeps no holidays.
    case currencies
    /// Crypto: always; a new day begins at midnight UTC.
    case continuous

    /// The session of a day; nil where there is none.
    package func session(on date: CalendarDate) -> TradingSession? {
        switch self {
        case .exchanges: return TradingCalendar.session(on: date)
        case .currencies:
            guard !date.weekday.isWeekend, let eve = date.adding(days: -1),
                let start = LocalTime(date: eve, hour: Self.rollover),
                let end = LocalTime(date: date, hour: Self.rollover)
            else { return nil }
            return TradingSession(
                date, from: Int(Instant(newYork: start).secondsSince1970),
                to: Int(Instant(newYork: end).secondsSince1970))
        case .continuous:
            let start = date.daysSince1970 * 86_400
            return TradingSession(date, from: start, to: start + 86_400)
        }
    }

    /// The last session on or before a date; nil before the calendar begins.
    package func session(onOrBefore date: CalendarDate) -> TradingSession? {
        var day: CalendarDate? = date
        while let current = day {
            if let session = session(on: current) { return session }
            day = current.adding(days: -1)
        }
        return nil
    }

    /// The last session before a date; nil before the calendar begins.
    package func session(before date: CalendarDate) -> TradingSession? {
        date.adding(days: -1).flatMap(session(onOrBefore:))
    }

    /// The first session after a date; nil at the end of the calendar.
    package func session(after date: CalendarDate) -> TradingSession? {
        var day = date.adding(days: 1)
        while let current = day {
            if let session = session(on: current) { return session }
            day = current.adding(days: 1)
        }
        return nil
    }

    /// Every session from `first` to `last`, both included.
    package func sessions(from first: CalendarDate, through last: CalendarDate) -> [TradingSession] {
        guard first <= last else { return [] }
        return (first.daysSince1970...last.daysSince1970).compactMap { day in
            CalendarDate(daysSince1970: day).flatMap(session(on:))
        }
    }

    /// The last session whose trading, before the market's opening, had begun; nil only before the range of
    /// ``Market/clamped(_:)``.
    package func session(begunBy second: Int) -> TradingSession? {
        last(by: second) { $0.preMarketOpen }
    }

    /// The last session whose market hours had begun.
    package func session(openedBy second: Int) -> TradingSession? {
        last(by: second) { $0.open }
    }

    /// What is traded at a moment; nil while nothing is.
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

    /// The date of the latest session that may have begun at a moment.
    private func date(at moment: Instant) -> CalendarDate {
        switch self {
        case .exchanges: moment.inNewYork.date
        case .currencies: (moment + .seconds((24 - Self.rollover) * 3600)).inNewYork.date
        case .continuous: moment.dateInUTC
        }
    }

    /// The hour in New York at which the day of the currencies ends.
    private static let rollover = 17
}

extension TradingSession {
    /// A session without trading before and after its market hours.
    fileprivate init(_ date: CalendarDate, from start: Int, to end: Int) {
        self.init(date: date, preMarketOpen: start, open: start, close: end, postMarketClose: end)
    }
}
