package import Brokerage

/// Which activities.
package struct ActivityFilter: Hashable, Sendable {
    /// Nil for all.
    package var kinds: Set<ActivityKind>?
    package var symbol: Symbol?
    /// The first day.
    package var from: CalendarDate?
    /// The last day.
    package var to: CalendarDate?

    package init(
        kinds: Set<ActivityKind>? = nil, symbol: Symbol? = nil, from: CalendarDate? = nil,
        to: CalendarDate? = nil
    ) {
        self.kinds = kinds
        self.symbol = symbol
        self.from = from
        self.to = to
    }

    func matches(_ activity: Activity) -> Bool {
        if let kinds, !kinds.contains(activity.kind) { return false }
        if let symbol, activity.symbol != symbol { return false }
        if let from, activity.date < from { return false }
        if let to, activity.date > to { return false }
        return true
    }
}

/// The place of an activity in the list of its account: by day, then by time, then by id.
package struct ActivityPosition: Hashable, Sendable {
    package let day: CalendarDate
    /// In milliseconds since 1970; 0 for an activity without a time, which is behind all others of its day.
    package let moment: Int64
    package let id: String

    package init(day: CalendarDate, moment: Int64, id: String) {
        self.day = day
        self.moment = moment
        self.id = id
    }

    package init(_ activity: Activity) {
        self.init(
            day: activity.date, moment: activity.time.map(\.millisecondsSince1970) ?? 0, id: activity.id)
    }
}

extension ActivityPosition: Comparable {
    /// Whether the activity is older.
    package static func < (one: ActivityPosition, other: ActivityPosition) -> Bool {
        if one.day != other.day { return one.day < other.day }
        if one.moment != other.moment { return one.moment < other.moment }
        // As SQLite compares texts.
        return one.id.utf8.lexicographicallyPrecedes(other.id.utf8)
    }
}
