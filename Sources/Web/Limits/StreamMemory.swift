import GraphQL
import Synchronization

/// The memory that running streams and WebSocket operations retain: their documents with the plans, and their variables.
///
/// A subscription retains these for as long as it runs, which can be days. The document cache limits only what it stores
/// itself. A document counts once, however many operations run it. Each client has a share of the total, and a quarter of
/// the total is reserved for users.
final class StreamMemory: Sendable {
    private let limit: Int
    private let anonymousLimit: Int
    private let clientLimit: Int
    // A lock for a look-up, when an operation begins and when it ends.
    private let state = Mutex(State())

    private struct State {
        var total = Usage()
        var anonymous = Usage()
        var clients: [ClientIdentity: Usage] = [:]
    }

    /// What some operations retain together.
    private struct Usage {
        private(set) var bytes = 0
        private var documents: [ObjectIdentifier: Use] = [:]

        private struct Use {
            var operations: Int
            let bytes: Int
        }

        var isEmpty: Bool { bytes == 0 && documents.isEmpty }

        /// The bytes that an operation adds: those of its document only if no other operation runs it.
        func added(by retained: PreparedRequest.Retained) -> Int {
            let document = retained.document.flatMap { documents[$0.id] == nil ? $0.bytes : 0 }
            return retained.variables + (document ?? 0)
        }

        mutating func add(_ retained: PreparedRequest.Retained) {
            bytes += added(by: retained)
            guard let document = retained.document else { return }
            documents[document.id, default: Use(operations: 0, bytes: document.bytes)].operations += 1
        }

        mutating func remove(_ retained: PreparedRequest.Retained) {
            bytes -= retained.variables
            guard let id = retained.document?.id, var use = documents[id] else { return }
            use.operations -= 1
            if use.operations == 0 { bytes -= use.bytes }
            documents[id] = use.operations == 0 ? nil : use
        }
    }

    /// - Parameter limit: In bytes.
    init(limit: Int) {
        self.limit = limit
        anonymousLimit = limit / 4 * 3
        clientLimit = limit / 8
    }

    /// The bytes that are retained now.
    var bytes: Int { state.withLock { $0.total.bytes } }

    /// Counts an operation that begins.
    ///
    /// - Parameters:
    ///   - retained: What the operation retains.
    ///   - client: Whose operation it is; nil for a client on this machine that is exempt from shares.
    /// - Returns: false if the limit is reached. Otherwise `leave` must follow.
    func enter(_ retained: PreparedRequest.Retained, for client: ClientIdentity?) -> Bool {
        state.withLock { state in
            guard state.total.bytes + state.total.added(by: retained) <= limit else { return false }
            if let client {
                let usage = state.clients[client] ?? Usage()
                guard usage.bytes + usage.added(by: retained) <= clientLimit else { return false }
                guard
                    client.isUser
                        || state.anonymous.bytes + state.anonymous.added(by: retained) <= anonymousLimit
                else { return false }
                state.clients[client, default: Usage()].add(retained)
                if !client.isUser { state.anonymous.add(retained) }
            }
            state.total.add(retained)
            return true
        }
    }

    func leave(_ retained: PreparedRequest.Retained, for client: ClientIdentity?) {
        state.withLock { state in
            state.total.remove(retained)
            guard let client else { return }
            if !client.isUser { state.anonymous.remove(retained) }
            state.clients[client]?.remove(retained)
            if state.clients[client]?.isEmpty == true { state.clients[client] = nil }
        }
    }
}

extension ClientIdentity {
    fileprivate var isUser: Bool {
        switch self {
        case .user: true
        case .address: false
        }
    }
}
