import Brokerage
import Storage
import Synchronization
import Upstream

/// A write on its way to a broker: it is marked in the journal before it is sent.
///
/// A lock, because it is told from the task of the call.
final class OutgoingWrite: Sendable {
    private enum Passage {
        case here
        /// It is marked, and the request was sent.
        case out
        /// The broker cannot have acted on it.
        case back
        /// It could not be marked, so the request was not sent.
        case stopped(StorageError)
        /// The journal has no entry of it that this process may mark, so the request was not sent.
        case unrecorded
    }

    /// Keeps a request from being sent.
    private struct Unrecorded: Error {}

    private let journal: OrderJournal
    private let id: String
    private let passage = Mutex(Passage.here)

    init(_ id: String, in journal: OrderJournal) {
        self.id = id
        self.journal = journal
    }

    var watch: WriteWatch {
        WriteWatch(
            willSend: { [self] in
                let isMarked: Bool
                do throws(StorageError) {
                    isMarked = try await journal.mark(id)
                } catch {
                    passage.withLock { $0 = .stopped(error) }
                    throw error
                }
                passage.withLock { $0 = isMarked ? .out : .unrecorded }
                if !isMarked { throw Unrecorded() }
            },
            wasNotTaken: { [self] in passage.withLock { $0 = .back } })
    }

    /// What a failed call says of the write.
    ///
    /// - Returns: what is to be noted in the journal, nil for nothing, and what the client is told.
    func outcome(of failure: ProviderFailure) -> (WriteOutcome?, FieldError?) {
        passage.withLock { passage in
            switch passage {
            // A plain 404 is an answer too: there was nothing to act on.
            case .out where failure.cause == .notFound: (.notTaken, FieldError(failure))
            case .out: (.answerLost, nil)
            case .here, .back: (.notTaken, FieldError(failure))
            case .stopped(let error): (.notTaken, FieldError(error))
            case .unrecorded: (nil, .unrecorded)
            }
        }
    }
}

extension FieldError {
    fileprivate static let unrecorded = FieldError(
        .conflict,
        """
        The request was not sent to the broker, because the journal has no entry of it any more. Look at the orders, then ask \
        again.
        """)
}
