package import Brokerage

/// A stored activity, which lists and pages share instead of copying its properties.
package final class StoredActivity: Sendable {
    package let activity: Activity

    package init(_ activity: Activity) {
        self.activity = activity
    }

    /// The place in the list of the account.
    package var position: ActivityPosition { ActivityPosition(activity) }

    /// The least memory of one in bytes: the object and the reference to it.
    static let minimumWeight = MemoryLayout<Activity>.stride + 32

    /// The memory in bytes, with its texts.
    var weight: Int {
        let texts = [
            activity.id, activity.providerKind, activity.symbol?.text, activity.currency,
            activity.accountCurrency, activity.orderID, activity.groupID, activity.about,
            activity.sequence?.text,
        ]
        return texts.reduce(Self.minimumWeight) { weight, text in
            // Swift stores texts up to 15 bytes in place; others have a header of 32 bytes.
            guard let length = text?.utf8.count, length > 15 else { return weight }
            return weight + 32 + length
        }
    }
}

extension [StoredActivity] {
    /// The activities behind a position that match a filter, of all activities of an account, newest first.
    func page(
        _ filter: ActivityFilter, after position: ActivityPosition?, limit: Int
    ) -> [StoredActivity] {
        var start = 0
        if let position {
            var end = count
            while start < end {
                let middle = start + (end - start) / 2
                if self[middle].position < position { end = middle } else { start = middle + 1 }
            }
        }
        let rest = self[start...]
        if filter == ActivityFilter() { return Array(rest.prefix(limit)) }
        return Array(rest.lazy.filter { filter.matches($0.activity) }.prefix(limit))
    }
}
