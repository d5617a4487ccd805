import Brokerage

/// How long the bars of an aggregate are: `5/minute`, `1/quarter`.
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

    /// The bars that it is made of, of which a request may take so many.
    var base: BarLength {
        switch timespan {
        case .second, .minute, .hour: .minute
        case .day, .week, .month, .quarter, .year: .day
        }
    }

    /// The second with which the window begins that holds a base bar; nil where the calendar ends.
    ///
    /// Minutes and hours are counted from midnight, several days or weeks from the first day asked for, months
    /// from January of year 0.
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

    /// The day of a day's bar, by its session.
    private func day(of candle: TimedBar, _ listing: FakePolygonListing) -> CalendarDate {
        listing.instrument.schedule.date(at: Instant(secondsSince1970: Int64(candle.start)) ?? .earliest)
    }

    private func grouped(_ date: CalendarDate, from first: CalendarDate, by days: Int) -> CalendarDate {
        let offset = date.daysSince1970 - first.daysSince1970
        let start = offset.flooredQuotientAndRemainder(dividingBy: days).quotient * days
        return first.adding(days: start) ?? date
    }

    private func start(of date: CalendarDate, _ listing: FakePolygonListing, months: Int) -> Int? {
        let month = (date.year * 12 + date.month - 1) / months * months
        return CalendarDate(year: month / 12, month: month % 12 + 1, day: 1).flatMap(listing.midnight)
    }

    /// Polygon's weeks begin on Sunday.
    private static func sunday(of date: CalendarDate) -> CalendarDate {
        // 1970-01-01 was a Thursday.
        let sinceSunday = (date.daysSince1970 + 4).flooredQuotientAndRemainder(dividingBy: 7).remainder
        return date.adding(days: -sinceSunday) ?? date
    }
}
