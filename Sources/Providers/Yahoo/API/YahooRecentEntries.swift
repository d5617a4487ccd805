import Brokerage
import PorticoCore
import Synchronization
import Upstream

/// The entries of prices that were read a moment ago, which also have the properties of their instruments.
///
/// A list of prices with their instruments then needs one call, not two. Prices are never taken from here.
final class YahooRecentEntries: Sendable {
    private struct Entry {
        let quote: YahooQuote
        let readAt: ContinuousClock.Instant
    }

    /// The maximum number of entries; when there are more, all are forgotten.
    private static let limit = 200
    /// The time in which the fields of one operation are read.
    private static let lifetime = Duration.seconds(30)

    // Held for look-ups.
    private let entries = Mutex<[Symbol: Entry]>([:])

    func store(_ quotes: [Symbol: YahooQuote], at now: ContinuousClock.Instant) {
        entries.withLock { entries in
            if entries.count + quotes.count > Self.limit { entries = [:] }
            for (symbol, quote) in quotes.prefix(Self.limit) {
                entries[symbol] = Entry(quote: quote, readAt: now)
            }
        }
    }

    /// The entries of those symbols that were read a moment ago, and not before the time that the operation demands.
    func entries(
        of symbols: [Symbol], for call: CallContext, at now: ContinuousClock.Instant
    ) -> [Symbol: YahooQuote] {
        let earliest = max(now - Self.lifetime, call.notBefore ?? now - Self.lifetime)
        return entries.withLock { entries in
            var found: [Symbol: YahooQuote] = [:]
            for symbol in symbols {
                guard let entry = entries[symbol], entry.readAt >= earliest else { continue }
                found[symbol] = entry.quote
            }
            return found
        }
    }
}
