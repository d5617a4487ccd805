import Synchronization
import Testing
import Upstream

@Suite("What waits between a WebSocket and its receiver")
struct WebSocketReceiveQueueTests {
    @Test("with its bound of messages nothing more is read, until half of them are received")
    func bound() async throws {
        let inbox = WebSocketReceiveQueue(capacity: 4)
        let readOn = Journal<Int>()
        for number in 0..<4 {
            #expect(inbox.shouldRead())
            inbox.deliver(.text("\(number)"))
        }
        #expect(!inbox.shouldRead())
        for number in 0..<4 {
            #expect(try await inbox.receive { readOn.note(number) } == .text("\(number)"))
        }
        #expect(readOn.entries == [1])
        #expect(inbox.shouldRead())
    }

    @Test("the first reason of an end stays, and nothing is taken after it")
    func end() async throws {
        let inbox = WebSocketReceiveQueue(capacity: 4)
        inbox.deliver(.text("before"))
        inbox.finish(.silent)
        inbox.finish(.interrupted)
        inbox.deliver(.text("after"))
        #expect(try await inbox.receive {} == .text("before"))
        await #expect(throws: WebSocketError.silent) { try await inbox.receive {} }
        #expect(inbox.end == .silent)
    }
}
