package import GraphQL
import NIOCore
import Synchronization

/// A total number of bytes for one purpose, over all connections, with a share for each client.
///
/// Without it, only the number of connections limits the memory: each connection can send most of a long body, or leave a
/// long response unread.
package final class MemoryBudget: Sendable {
    private let limit: Int
    private let clientLimit: Int
    private let mutationReserve: Int
    // A lock, because the connections of all event loops share the total. It is taken for long bodies only.
    private let state = Mutex(State())

    private struct State {
        var bytes = 0
        var clients: [ClientAddress: Int] = [:]
    }

    /// - Parameters:
    ///   - limit: Bytes of all clients together.
    ///   - clientLimit: Bytes of one client; twice as many with those of its mutations.
    ///   - mutationReserve: The part of `limit` that only the responses of mutations can use.
    package init(limit: Int, clientLimit: Int, mutationReserve: Int = 0) {
        (self.limit, self.clientLimit) = (limit, clientLimit)
        self.mutationReserve = mutationReserve
    }

    /// The bytes that are reserved now.
    package var bytes: Int { state.withLock { $0.bytes } }

    /// Reserves the current size of a body or message.
    ///
    /// A client without any reservation can exceed its share with one, or it could never receive a longer
    /// response; no reservation exceeds the total.
    ///
    /// - Parameters:
    ///   - bytes: The current size.
    ///   - client: The client whose share it uses; nil for a client without a share of its own.
    ///   - uncounted: The first bytes, which are not counted: short requests and responses pass while long
    ///     ones use up the budget.
    ///   - isMutation: Whether it is for the response of a mutation. A part of the memory is reserved for these, because a
    ///     client that gets an error instead may run the mutation again.
    ///   - reservation: Created when it is first needed; nil while nothing is counted. It ends with its last
    ///     reference.
    /// - Returns: False if the total or the client's share is used up. The reservation is then unchanged.
    package func reserve(
        _ bytes: Int, for client: ClientAddress?, uncounted: Int, isMutation: Bool = false,
        in reservation: inout Reservation?
    ) -> Bool {
        let counted = bytes - uncounted
        guard counted > 0 else {
            reservation = nil
            return true
        }
        let current = reservation ?? Reservation(in: self, for: client)
        guard current.resize(to: counted, isMutation: isMutation) else { return false }
        reservation = current
        return true
    }

    /// Part of the budget, until the last reference to it is released.
    package final class Reservation: Sendable {
        private let budget: MemoryBudget
        private let client: ClientAddress?
        // Atomic because a request crosses threads; only one of them changes it at a time.
        private let counted = Atomic<Int>(0)

        fileprivate init(in budget: MemoryBudget, for client: ClientAddress?) {
            (self.budget, self.client) = (budget, client)
        }

        fileprivate func resize(to bytes: Int, isMutation: Bool) -> Bool {
            let added = bytes - counted.load(ordering: .relaxed)
            guard budget.add(added, for: client, isMutation: isMutation) else { return false }
            counted.store(bytes, ordering: .relaxed)
            return true
        }

        // A release succeeds within any limit.
        deinit { _ = budget.add(-counted.load(ordering: .relaxed), for: client, isMutation: true) }
    }

    private func add(_ bytes: Int, for client: ClientAddress?, isMutation: Bool) -> Bool {
        state.withLock { state in
            let held = client.map { state.clients[$0] ?? 0 } ?? state.bytes
            let isInShare = client == nil || held == 0 || held + bytes <= (isMutation ? 2 : 1) * clientLimit
            let available = isMutation ? limit : limit - mutationReserve
            guard bytes <= 0 || isInShare && state.bytes + bytes <= available else { return false }
            state.bytes += bytes
            if let client { state.clients[client] = held + bytes > 0 ? held + bytes : nil }
            return true
        }
    }
}

extension EventLoop {
    /// A promise that holds a reservation until it is completed; nil if there is no reservation.
    func promise(holding reservation: MemoryBudget.Reservation?) -> EventLoopPromise<Void>? {
        guard let reservation else { return nil }
        let promise = makePromise(of: Void.self)
        promise.futureResult.whenComplete { _ in withExtendedLifetime(reservation) {} }
        return promise
    }
}

/// The memory that running streams and WebSocket operations retain: their documents with the plans, and
/// their variables.
///
/// A subscription retains these as long as it runs, which can be days. The document cache limits only its
/// own entries. A document counts once, however many operations use it. Each client has a share of the
/// total, and a quarter of the total is reserved for users.
package final class StreamMemory: Sendable {
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

    /// The memory of one client's operations.
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
    package init(limit: Int) {
        self.limit = limit
        anonymousLimit = limit / 4 * 3
        clientLimit = limit / 8
    }

    /// The bytes that are retained now.
    package var bytes: Int { state.withLock { $0.total.bytes } }

    /// Counts an operation that starts.
    ///
    /// - Parameters:
    ///   - retained: The memory that the operation retains.
    ///   - client: The client of the operation; nil for a client on this machine that is exempt from shares.
    /// - Returns: False if the limit is reached. Otherwise `release` must follow.
    package func reserve(_ retained: PreparedRequest.Retained, for client: ClientIdentity?) -> Bool {
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

    package func release(_ retained: PreparedRequest.Retained, for client: ClientIdentity?) {
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
