import PorticoCore
import Synchronization
import Upstream

/// The listings of which Yahoo has the latest days only: new ones and warrants (ranaroussi/yfinance#1578, #2235, #2539).
///
/// Their charts are requested by a range that they have, which then needs one call, not two.
final class YahooShortHistories: Sendable {
    private struct Entry {
        let ranges: [String]
        let readAt: ContinuousClock.Instant
    }

    /// The maximum number of entries; when there are more, all are forgotten.
    private static let limit = 200
    /// The time after which a listing may have got longer ranges.
    private static let lifetime = Duration.seconds(3_600)

    // Held for look-ups.
    private let entries = Mutex<[String: Entry]>([:])

    /// Stores the ranges of a listing.
    ///
    /// - Parameters:
    ///   - ranges: The member `validRanges` of its charts.
    ///   - spelling: Its ticker at Yahoo.
    ///   - now: The time of the response.
    func store(_ ranges: [String], of spelling: String, at now: ContinuousClock.Instant) {
        entries.withLock { entries in
            if entries.count >= Self.limit { entries = [:] }
            entries[spelling] = Entry(ranges: ranges, readAt: now)
        }
    }

    /// The ranges of a listing; nil if it is not known to be short.
    func ranges(of spelling: String, at now: ContinuousClock.Instant) -> [String]? {
        entries.withLock { entries in
            entries[spelling].flatMap { now - $0.readAt < Self.lifetime ? $0.ranges : nil }
        }
    }
}
