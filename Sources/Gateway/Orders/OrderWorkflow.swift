import Brokerage
import GraphQL
import PorticoCore
package import Storage
import Synchronization
import Upstream

/// The parts of order handling that outlive a request: the journal, the queue of orders with the same key,
/// and the wake signals of reconciliation and of the following of orders.
package struct OrderWorkflow: Sendable {
    package let journal: OrderJournal
    let taskQueue = KeyedTaskQueue<PlacementKey>()
    let wakeSignal = WakeSignal()
    /// The connections whose orders are followed, see ``OrderFollowing``.
    let followedConnections = FollowedConnections()

    /// The key of an order: its user and the idempotency key.
    struct PlacementKey: Hashable, Sendable {
        let owner: OwnerID
        let idempotencyKey: UTF8Key
    }
}

/// A write that is sent to a broker.
///
/// It is marked in the journal before it is sent.
///
/// It has a lock, because the task of the call changes it.
final class OrderWriteAttempt: Sendable {
    private enum SendState {
        /// The request was not sent, and is not marked.
        case notMarked
        /// It is marked, and the request was sent.
        case marked
        /// The broker cannot have acted on it.
        case notProcessed
        /// It could not be marked, so the request was not sent.
        case stopped(StorageError)
        /// The journal has no entry that this process may mark, so the request was not sent: it was deleted, or another
        /// process has taken it over.
        case unrecorded
    }

    /// The error that stops the sending of a request.
    private struct WriteNotRecorded: Error {}

    private let journal: OrderJournal
    private let id: String
    private let state = Mutex(SendState.notMarked)

    init(_ id: String, in journal: OrderJournal) {
        self.id = id
        self.journal = journal
    }

    var observer: WriteObserver {
        WriteObserver(
            willSend: { [self] in
                let isMarked: Bool
                do throws(StorageError) {
                    isMarked = try await journal.markSent(id)
                } catch {
                    state.withLock { $0 = .stopped(error) }
                    throw error
                }
                state.withLock { $0 = isMarked ? .marked : .unrecorded }
                if !isMarked { throw WriteNotRecorded() }
            },
            wasNotProcessed: { [self] in state.withLock { $0 = .notProcessed } })
    }

    /// Returns the outcome of a write whose call failed.
    ///
    /// - Returns: The outcome to record in the journal (nil for none), and the error for the client.
    func outcome(of failure: ProviderFailure) -> (OrderWriteOutcome?, FieldError?) {
        state.withLock { state in
            switch state {
            // A plain 404 is a definite response too: the object of the write does not exist.
            case .marked where failure.cause == .notFound: (.notProcessed, FieldError(failure))
            case .marked: (.responseLost, nil)
            case .notMarked, .notProcessed: (.notProcessed, FieldError(failure))
            case .stopped(let error): (.notProcessed, FieldError(error))
            case .unrecorded: (nil, journal.isShared ? .takenOver : .unrecorded)
            }
        }
    }
}

extension FieldError {
    /// Another process that uses the database has taken the entry over.
    ///
    /// The entry can also have been deleted with its user or connection; then the repeated request reports that.
    fileprivate static var takenOver: FieldError {
        FieldError(
            .storageUnavailable,
            """
            The request was not sent to the broker. The database was not available to this server for so long that another \
            one has removed the entry in the journal. Repeat the request.
            """, retryAt: .now + .seconds(1))
    }

    fileprivate static let unrecorded = FieldError(
        .conflict,
        """
        The request was not sent to the broker, because its entry in the journal has been deleted. Check the \
        orders, then repeat the request.
        """)
}
