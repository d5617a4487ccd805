/// Which activities of an account, and the page of them.
package struct ActivityQuery: Hashable, Sendable {
    /// The day of the last complete read: activities that were recorded earlier are known, except for those of
    /// the days before it that the broker may still change, which the source adds; nil for all.
    package var since: CalendarDate?
    /// The page that the page before named; nil for the first.
    package var page: String?

    package init(since: CalendarDate? = nil, page: String? = nil) {
        self.since = since
        self.page = page
    }
}

/// Some activities of a read.
package struct ActivityPage: Hashable, Sendable {
    package var activities: [Activity]
    /// The error of each row without an id or a date that can be read, with its place in the broker's response and without
    /// a value: it cannot be told from the rows of a later read.
    package var unreadable: [String]
    /// The ids of activities that the broker has cancelled.
    package var canceledIDs: [String]
    /// The next page; nil if the read is complete.
    package var next: String?
    /// The time from which the pages of the read have all activities; nil if it is unknown.
    ///
    /// The broker has deleted those that it recorded at this time or later and that are not in the pages.
    package var isCompleteFrom: Instant?
    /// The first day of which the broker has activities; nil if it has all of the account.
    package var horizon: CalendarDate?

    package init(
        activities: [Activity], unreadable: [String] = [], canceledIDs: [String] = [], next: String? = nil,
        isCompleteFrom: Instant? = nil, horizon: CalendarDate? = nil
    ) {
        self.activities = activities
        self.unreadable = unreadable
        self.canceledIDs = canceledIDs
        self.next = next
        self.isCompleteFrom = isCompleteFrom
        self.horizon = horizon
    }
}
