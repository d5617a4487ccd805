import Brokerage
import Gateway
import Testing
import Upstream

/// A cancelled reader leaves while it holds a lock of its task; one who tells it something waits for that lock.
@Suite("A cancelled reader during a notification")
struct LiveEndTests {
    private static let rounds = 3_000

    /// Starts a reader, and cancels it while it is told something.
    private static func end<Element: Sendable>(
        _ stream: AsyncStream<Element>, while tell: @escaping @Sendable () -> Void
    ) async {
        let reader = Task { for await _ in stream {} }
        let teller = Task.detached { for _ in 0..<10 { tell() } }
        await Task.yield()
        reader.cancel()
        await reader.value
        await teller.value
    }

    @Test("does not block those who publish that connections have changed")
    func connections() async throws {
        let changes = ConnectionChangeNotifier()
        let owner = try #require(OwnerID("owner"))
        for _ in 0..<Self.rounds {
            await Self.end(changes.changes(of: owner)) { changes.notify(owner) }
        }
    }

    @Test("does not block those who publish a value")
    func values() async {
        for _ in 0..<Self.rounds {
            let subscription = SharedSubscription<Int> { _, _ in }
            await Self.end(subscription.values()) { subscription.publish(.success(1)) }
        }
    }
}
