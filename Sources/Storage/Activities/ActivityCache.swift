import Brokerage
import PorticoCore
import Synchronization

/// All activities of the accounts that were used last, so that they are not read from the database again.
///
/// An entry is used for the coverage with which it was read, in one transaction. Each change of an account's activities
/// changes its coverage, and each request reads the coverage from the database, so that no entry is used after a change
/// by any process.
package final class ActivityCache: Sendable {
    /// The most memory in bytes, of all entries.
    package static let weightLimit = 8 << 20
    /// More activities do not fit in the memory.
    static let maximumActivities = weightLimit / StoredActivity.minimumWeight

    /// A mutex protects the entries, because requests on all threads share them.
    private let entries = Mutex(
        LRUCache<Key, (ActivityCoverage, Entry)>(maximumCount: 1_000, maximumWeight: weightLimit))

    /// An account; its texts are compared by bytes.
    private struct Key: Hashable {
        let owner: OwnerID
        let connection: ExactText
        let account: ExactText

        init(_ account: ActivityAccount) {
            owner = account.owner
            connection = ExactText(account.connection)
            self.account = ExactText(account.account)
        }

        var weight: Int { owner.text.utf8.count + connection.text.utf8.count + account.text.utf8.count + 256 }
    }

    enum Entry: Sendable {
        /// Newest first.
        case all([StoredActivity])
        /// The activities do not fit in the memory.
        case tooMany
    }

    /// The entry of an account; nil if there is none with the coverage.
    func entry(of account: ActivityAccount, _ coverage: ActivityCoverage) -> Entry? {
        guard let (known, entry) = entries.withLock({ $0.value(for: Key(account)) }), known == coverage else {
            return nil
        }
        return entry
    }

    /// Stores the entry of an account, instead of an earlier one.
    func store(_ entry: Entry, of account: ActivityAccount, _ coverage: ActivityCoverage) {
        let key = Key(account)
        var (entry, weight) = (entry, key.weight)
        if case .all(let activities) = entry {
            weight = activities.reduce(weight) { $0 + $1.weight }
            if weight > Self.weightLimit { (entry, weight) = (.tooMany, key.weight) }
        }
        entries.withLock { $0.insert((coverage, entry), for: key, weight: weight) }
    }

    /// Removes the entries of a connection.
    func forget(_ connection: String, of owner: OwnerID) {
        let connection = ExactText(connection)
        entries.withLock { $0.removeAll { key, _ in key.owner == owner && key.connection == connection } }
    }
}
