import NIOCore
import Testing

@testable import GraphQL
@testable import Web

@Suite("The memory of running streams")
struct StreamMemoryTests {
    /// An object whose identity stands for a document.
    private final class Document {}

    private func retained(_ document: Document? = nil, bytes: Int = 0, variables: Int = 0)
        -> PreparedRequest.Retained
    {
        PreparedRequest.Retained(
            document: document.map { (ObjectIdentifier($0), bytes) }, variables: variables)
    }

    private func client(_ address: String) throws -> ClientIdentity {
        .address(ClientAddress(try SocketAddress(ipAddress: address, port: 1)))
    }

    @Test("counts a document once, in the total and in each client's share, until its last operation ends")
    func documents() throws {
        let memory = StreamMemory(limit: 800)
        let document = Document()
        let operation = retained(document, bytes: 60, variables: 10)
        let clients = [try client("192.0.2.1"), try client("192.0.2.2")]
        #expect(memory.enter(operation, for: clients[0]) && memory.bytes == 70)
        #expect(memory.enter(operation, for: clients[0]) && memory.bytes == 80)
        #expect(memory.enter(operation, for: clients[1]) && memory.bytes == 90)
        for (client, rest) in [(clients[0], 80), (clients[0], 70), (clients[1], 0)] {
            memory.leave(operation, for: client)
            #expect(memory.bytes == rest)
        }
    }

    @Test("gives each client an eighth, anonymous clients together three quarters, and users the rest")
    func shares() throws {
        let memory = StreamMemory(limit: 800)
        let share = retained(variables: 100)
        for number in 1...6 { #expect(memory.enter(share, for: try client("192.0.2.\(number)"))) }
        #expect(!memory.enter(retained(variables: 1), for: try client("192.0.2.1")))
        #expect(!memory.enter(share, for: try client("192.0.2.7")))
        #expect(memory.enter(share, for: .user("a")))
        #expect(!memory.enter(retained(variables: 1), for: .user("a")))
        #expect(memory.enter(share, for: .user("b")) && memory.bytes == 800)
        #expect(!memory.enter(share, for: .user("c")) && !memory.enter(share, for: nil))
        memory.leave(share, for: try client("192.0.2.1"))
        #expect(memory.enter(share, for: nil) && memory.bytes == 800)
    }
}
