import Synchronization
import Upstream

/// The streaming contexts of one client.
///
/// The prices and the orders share one context and its WebSocket, which opens with the first of them and closes with
/// the last. A second stream of the same kind gets a context of its own.
final class SaxoStreamPool: Sendable {
    /// What a stream follows.
    enum Kind: Hashable, Sendable {
        case prices
        case orders
    }

    private struct Entry {
        let session: SaxoStreamSession
        let task: Task<Void, Never>
        var users: Set<Kind>
    }

    let history = SaxoOrderEventHistory()
    // Streams begin and end on the tasks of their users; held for a few lines.
    private let entries = Mutex<[Entry]>([])

    /// Runs a stream until the task is cancelled, the stream fails, or its context ends.
    ///
    /// - Parameters:
    ///   - kind: What it follows.
    ///   - client: The client whose token the context has.
    ///   - url: The address of the streaming host.
    ///   - body: Follows what is requested, until it cannot continue.
    /// - Returns: The reason for the end.
    func run(
        _ kind: Kind, of client: SaxoClient, at url: HTTPURL,
        _ body: @escaping @Sendable (SaxoStreamSession) async -> ProviderFailure
    ) async -> ProviderFailure {
        let session = join(kind, client, url)
        let ends = session.ends(of: kind)
        let end = await withTaskGroup(of: ProviderFailure.self) { group in
            group.addTask {
                for await failure in ends { return failure }
                return SaxoStreamSession.cancelled
            }
            group.addTask { await body(session) }
            let end = await group.next() ?? SaxoStreamSession.cancelled
            group.cancelAll()
            return end
        }
        session.unfollow(kind)
        if let task = leave(kind, session) {
            task.cancel()
            await task.value
        }
        return end
    }

    private func join(_ kind: Kind, _ client: SaxoClient, _ url: HTTPURL) -> SaxoStreamSession {
        entries.withLock { entries in
            if let index = entries.firstIndex(where: { !$0.users.contains(kind) }) {
                entries[index].users.insert(kind)
                return entries[index].session
            }
            let session = SaxoStreamSession(of: client, at: url)
            let task = Task {
                let failure = await session.run()
                // From now on, a new stream gets a new context.
                self.entries.withLock { $0.removeAll { $0.session === session } }
                for kind in [Kind.prices, .orders] { session.end(kind, with: failure) }
            }
            entries.append(Entry(session: session, task: task, users: [kind]))
            return session
        }
    }

    /// Returns the task to cancel, if the stream was the last one of its context.
    private func leave(_ kind: Kind, _ session: SaxoStreamSession) -> Task<Void, Never>? {
        entries.withLock { entries in
            guard let index = entries.firstIndex(where: { $0.session === session }) else { return nil }
            entries[index].users.remove(kind)
            return entries[index].users.isEmpty ? entries.remove(at: index).task : nil
        }
    }
}
