import PorticoCore
import Synchronization
import TestSupport
import Testing

@Suite("Tasks that run one after the other for each key")
struct KeyedTaskQueueTests {
    @Test("tasks of one key run in order, and tasks of another key do not wait for them")
    func order() async throws {
        let queue = KeyedTaskQueue<String>()
        let gate = Event<Void>()
        let finished = Mutex<[String]>([])
        let first = queue.enqueue("a") {
            await gate.wait()
            finished.withLock { $0.append("first") }
        }
        let second = queue.enqueue("a") { finished.withLock { $0.append("second") } }
        let other = queue.enqueue("b") { finished.withLock { $0.append("other") } }
        try await other.value
        #expect(finished.withLock(\.self) == ["other"])
        gate.happen(())
        try await second.value
        #expect(finished.withLock(\.self) == ["other", "first", "second"])
        try await first.value
    }

    @Test("a task that fails does not prevent the next one of its key")
    func failure() async throws {
        let queue = KeyedTaskQueue<String>()
        struct Broken: Error {}
        let first = queue.enqueue("a") { throw Broken() }
        let second = queue.enqueue("a") { 2 }
        #expect(try await second.value == 2)
        await #expect(throws: Broken.self) { try await first.value }
    }

    @Test("a task continues when the task that waits for it is cancelled")
    func cancellation() async throws {
        let queue = KeyedTaskQueue<String>()
        let gate = Event<Void>()
        let write = queue.enqueue("a") {
            await gate.wait()
            return Task.isCancelled
        }
        let client = Task { try await write.value }
        client.cancel()
        gate.happen(())
        #expect(try await write.value == false)
    }
}
