import Synchronization
import Testing
import Upstream

@Suite("What waits between a WebSocket and its receiver")
struct WebSocketReceiveQueueTests {
    @Test("with its bound of messages nothing more is read, until half of them are received")
    func bound() async throws {
        let queue = WebSocketReceiveQueue(capacity: 4)
        let readOn = Journal<Int>()
        for number in 0..<4 {
            #expect(queue.shouldRead())
            queue.deliver(.text("\(number)"))
        }
        #expect(!queue.shouldRead())
        for number in 0..<4 {
            #expect(try await queue.receive { readOn.note(number) } == .text("\(number)"))
        }
        #expect(readOn.entries == [1])
        #expect(queue.shouldRead())
    }

    @Test("the first reason of an end stays, and nothing is taken after it")
    func end() async throws {
        let queue = WebSocketReceiveQueue(capacity: 4)
        queue.deliver(.text("before"))
        queue.finish(.silent)
        queue.finish(.interrupted)
        queue.deliver(.text("after"))
        #expect(try await queue.receive {} == .text("before"))
        await #expect(throws: WebSocketError.silent) { try await queue.receive {} }
        #expect(queue.end == .silent)
    }
}
