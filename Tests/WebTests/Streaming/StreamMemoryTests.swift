import GraphQL
import NIOCore
import TestSupport
import Testing
import Web

@Suite("The memory of running streams")
struct StreamMemoryTests {
    /// An object whose identity represents a document.
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
        #expect(memory.reserve(operation, for: clients[0]) && memory.bytes == 70)
        #expect(memory.reserve(operation, for: clients[0]) && memory.bytes == 80)
        #expect(memory.reserve(operation, for: clients[1]) && memory.bytes == 90)
        for (client, rest) in [(clients[0], 80), (clients[0], 70), (clients[1], 0)] {
            memory.release(operation, for: client)
            #expect(memory.bytes == rest)
        }
    }

    @Test("gives each client an eighth, anonymous clients together three quarters, and users the rest")
    func shares() throws {
        let memory = StreamMemory(limit: 800)
        let share = retained(variables: 100)
        for number in 1...6 { #expect(memory.reserve(share, for: try client("192.0.2.\(number)"))) }
        #expect(!memory.reserve(retained(variables: 1), for: try client("192.0.2.1")))
        #expect(!memory.reserve(share, for: try client("192.0.2.7")))
        #expect(memory.reserve(share, for: .user("a")))
        #expect(!memory.reserve(retained(variables: 1), for: .user("a")))
        #expect(memory.reserve(share, for: .user("b")) && memory.bytes == 800)
        #expect(!memory.reserve(share, for: .user("c")) && !memory.reserve(share, for: nil))
        memory.release(share, for: try client("192.0.2.1"))
        #expect(memory.reserve(share, for: nil) && memory.bytes == 800)
    }

    /// The value of `portico_http_stream_memory_bytes`.
    private func bytes(_ server: TestServer) async throws -> Int {
        let name = "portico_http_stream_memory_bytes "
        let metrics = try await server.ask(RawRequest.get("/metrics")).body
        let line = metrics.split(separator: "\n").first { $0.hasPrefix(name) }
        return try #require(line.flatMap { Int($0.dropFirst(name.count)) }, "\(metrics)")
    }

    @Test("does not include variables that the operation does not declare", arguments: [true, false])
    func undeclaredVariables(isSocket: Bool) async throws {
        let long = #"{"undeclared":"\#(String(repeating: "x", count: 500_000))"}"#
        try await withServer(LiveService.make()) { server in
            var clients: [RawClient] = []
            var sizes: [Int] = []
            // The first stream counts the document, too.
            for variables in ["{}", "{}", long] {
                let payload =
                    #"{"query":"subscription { endless }","variables":\#(variables),"extensions":\#(variables)}"#
                if isSocket {
                    let socket = try await SocketClient.begin(server)
                    try await socket.say(#"{"id":"a","type":"subscribe","payload":\#(payload)}"#)
                    #expect(try await socket.next().text.contains(#""endless":1"#))
                    clients.append(socket.client)
                } else {
                    let client = try server.client()
                    try await client.send(RawRequest.post(payload, fields: ["Accept: text/event-stream"]))
                    var received = ""
                    while !received.contains(#""endless":1"#) { received += try await client.take(1) }
                    clients.append(client)
                }
                sizes.append(try await bytes(server))
            }
            #expect(sizes[2] - sizes[1] == sizes[1] - sizes[0] && sizes[0] > 0, "\(sizes)")
            for client in clients { client.close() }
        }
    }
}
