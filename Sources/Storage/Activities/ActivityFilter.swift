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

/// The place of an activity in the list of its account: by day, by time, by the broker's own sequence, and by id.
package struct ActivityPosition: Hashable, Sendable {
    package let day: CalendarDate
    /// In milliseconds since 1970; 0 for an activity without a time, which is behind all others of its day.
    package let moment: Int64
    /// The nanoseconds after `moment`, 0 to 999,999.
    package let nanoseconds: Int64
    /// The text of a ``BrokerSequence``; empty without one.
    package let sequence: String
    package let id: String

    package init(day: CalendarDate, moment: Int64, nanoseconds: Int64 = 0, sequence: String = "", id: String)
    {
        (self.day, self.moment, self.nanoseconds) = (day, moment, nanoseconds)
        (self.sequence, self.id) = (sequence, id)
    }

    package init(_ activity: Activity) {
        self.init(
            day: activity.date, moment: activity.time?.millisecondsSince1970 ?? 0,
            nanoseconds: activity.time?.nanosecondsOfMillisecond ?? 0,
            sequence: activity.sequence?.text ?? "",
            id: activity.id)
    }

    /// The part of the place that activities of several accounts have in common.
    package var time: (CalendarDate, Int64, Int64) { (day, moment, nanoseconds) }
}

extension ActivityPosition: Comparable {
    /// Whether the activity is older.
    package static func < (one: ActivityPosition, other: ActivityPosition) -> Bool {
        if one.time != other.time { return one.time < other.time }
        // As databases compare texts.
        if one.sequence != other.sequence {
            return one.sequence.utf8.lexicographicallyPrecedes(other.sequence.utf8)
        }
        return one.id.utf8.lexicographicallyPrecedes(other.id.utf8)
    }
}
