import Synchronization
import TestSupport
import Testing

@testable import Gateway

@Suite("What orders need beyond a request")
struct OrderWorkflowTests {
    /// Sleeps until it is cancelled.
    @Sendable private static func forever() async {
        try? await Task.sleep(for: .seconds(3_600))
    }

    @Test("a bell that was rung before is heard by the next who waits, once")
    func before() async {
        let bell = WakeSignal()
        bell.ring()
        bell.ring()
        #expect(await bell.wait(noLongerThan: Self.forever))
        // Nobody rang since: what ends the waiting is the alarm.
        #expect(await !bell.wait {})
    }

    @Test("a bell wakes the one who waits")
    func during() async {
        let bell = WakeSignal()
        async let woken = bell.wait(noLongerThan: Self.forever)
        bell.ring()
        #expect(await woken)
    }

    @Test("what has the same key is done one after the other, what has another is not kept waiting")
    func turns() async throws {
        let turns = KeyedTaskQueue<String>()
        let (gate, words) = (Event<Void>(), Words())
        let first = turns.enqueue("a") {
            await gate.wait()
            words.add("first")
        }
        let second = turns.enqueue("a") { words.add("second") }
        let other = turns.enqueue("b") { words.add("other") }
        try await other.value
        #expect(words.all == ["other"])
        gate.happen(())
        try await second.value
        #expect(words.all == ["other", "first", "second"])
        try await first.value
    }

    @Test("what fails does not keep the next from its turn")
    func failure() async throws {
        let turns = KeyedTaskQueue<String>()
        struct Broken: Error {}
        let first = turns.enqueue("a") { throw Broken() }
        let second = turns.enqueue("a") { 2 }
        #expect(try await second.value == 2)
        await #expect(throws: Broken.self) { try await first.value }
    }

    private final class Words: Sendable {
        private let words = Mutex<[String]>([])

        func add(_ word: String) {
            words.withLock { $0.append(word) }
        }

        var all: [String] { words.withLock(\.self) }
    }
}
