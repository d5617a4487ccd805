import Brokerage
import Storage
import Synchronization
import Upstream

/// A write on its way to a broker: it is marked in the journal before it goes out.
///
/// A lock, because it is told from the task of the call.
final class OutgoingWrite: Sendable {
    private enum Passage {
        case here
        /// The request went out.
        case out
        /// The broker cannot have acted on it.
        case back
        /// It could not be written down that it would go out, so it did not.
        case stopped(StorageError)
    }

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
                do throws(StorageError) {
                    try await journal.note(.sending, of: id)
                    passage.withLock { $0 = .out }
                } catch {
                    passage.withLock { $0 = .stopped(error) }
                    throw error
                }
            },
            wasNotTaken: { [self] in passage.withLock { $0 = .back } })
    }

    /// What a failed call says of the write.
    func outcome(of failure: ProviderFailure) -> (WriteOutcome, FieldError?) {
        passage.withLock { passage in
            switch passage {
            // A plain 404 is an answer too: there was nothing to act on.
            case .out where failure.cause == .notFound: (.notTaken, FieldError(failure))
            case .out: (.answerLost, nil)
            case .here, .back: (.notTaken, FieldError(failure))
            case .stopped(let error): (.notTaken, FieldError(error))
            }
        }
    }
}
