import GraphQL
import Synchronization

/// The memory that running streams and socket operations retain: their documents with the plans, and their
/// variables.
///
/// A subscription retains these while it runs, which can be days. The document cache limits only the
/// documents that it stores. A document counts once, for any number of operations that run it.
final class StreamMemory: Sendable {
    private let limit: Int
    // Locked for a look-up, when an operation begins and when it ends.
    private let state = Mutex(State())

    private struct State {
        var bytes = 0
        var documents: [ObjectIdentifier: Use] = [:]
    }

    private struct Use {
        var operations: Int
        let bytes: Int
    }

    /// - Parameter limit: The limit in bytes.
    init(limit: Int) {
        self.limit = limit
    }

    /// The number of bytes that are retained now.
    var bytes: Int { state.withLock { $0.bytes } }

    /// Counts an operation that begins; returns false if there is no room for it.
    ///
    /// If it returns true, `leave` must follow.
    func enter(_ retained: PreparedRequest.Retained) -> Bool {
        state.withLock { state in
            let document = retained.document
            let known = document.flatMap { state.documents[$0.id] }
            let added = retained.variables + (known == nil ? document?.bytes ?? 0 : 0)
            guard added <= limit - state.bytes else { return false }
            state.bytes += added
            if let document {
                state.documents[document.id] = Use(
                    operations: (known?.operations ?? 0) + 1, bytes: known?.bytes ?? document.bytes)
            }
            return true
        }
    }

    func leave(_ retained: PreparedRequest.Retained) {
        state.withLock { state in
            state.bytes -= retained.variables
            guard let id = retained.document?.id, var use = state.documents[id] else { return }
            use.operations -= 1
            if use.operations == 0 { state.bytes -= use.bytes }
            state.documents[id] = use.operations == 0 ? nil : use
        }
    }
}
