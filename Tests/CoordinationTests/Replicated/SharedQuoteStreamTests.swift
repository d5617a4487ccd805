import Brokerage
import Coordination
import EngineTestSupport
import Redis
import TestSupport
import Testing
import Upstream

@Suite("A stream of prices that replicas share")
struct SharedQuoteStreamTests {
    /// Runs a test with two replicas at a server of their own.
    private func withReplicas(
        _ stream: TestStream = TestStream(), _ lease: TestLease = TestLease(), at server: RedisServer? = nil,
        _ keyspace: RedisKeyspace = .ofTest(), _ body: (StreamReplica, StreamReplica) async throws -> Void
    ) async throws {
        let server = try server ?? RedisServer()
        try await RunningClient.with(server.url()) { one in
            try await RunningClient.with(server.url()) { messagesOfOne in
                try await RunningClient.with(server.url()) { other in
                    try await RunningClient.with(server.url()) { messagesOfOther in
                        let replicas = [
                            StreamReplica(1, stream, lease, one, messagesOfOne, keyspace),
                            StreamReplica(2, stream, lease, other, messagesOfOther, keyspace),
                        ]
                        let result: Result<Void, any Error>
                        do {
                            result = .success(try await body(replicas[0], replicas[1]))
                        } catch {
                            result = .failure(error)
                        }
                        for replica in replicas { await replica.stop() }
                        try result.get()
                    }
                }
            }
        }
    }

    private func symbol(_ text: String) throws -> Symbol { try #require(Symbol(text)) }

    /// Sends a price, and waits until replicas have received it.
    private func tell(
        _ price: Decimal, of symbol: Symbol, by stream: TestStream, until replicas: StreamReplica...
    ) async throws {
        stream.tell(symbol, price: price)
        try await waitUntil { replicas.allSatisfy { $0.prices.last == price } }
    }

    @Test("has one connection for the symbols of all replicas, and all receive its prices")
    func shared() async throws {
        let stream = TestStream()
        let (aapl, msft) = (try symbol("AAPL"), try symbol("MSFT"))
        try await withReplicas(stream) { one, other in
            one.want([aapl])
            other.want([msft])
            try await waitUntil { one.carried == [aapl, msft] && other.carried == [aapl, msft] }
            #expect(stream.wanted == [aapl, msft])
            try await tell(5, of: aapl, by: stream, until: one, other)
            try await tell(6, of: msft, by: stream, until: one, other)
            #expect(stream.mostOpen == 1)
            #expect(one.prices == [5, 6])
        }
        #expect(stream.open == 0)
    }

    @Test("reports the symbols above the provider's limit as not carried")
    func limit() async throws {
        let stream = TestStream(symbolLimit: 2)
        try await withReplicas(stream) { one, other in
            one.want([try symbol("C"), try symbol("A")])
            other.want([try symbol("B")])
            let expected: Set<Symbol> = [try symbol("A"), try symbol("B")]
            try await waitUntil { one.carried == expected && other.carried == expected }
        }
    }

    @Test("moves to another replica when its owner stops, after the connection has ended")
    func moves() async throws {
        let (stream, lease) = (TestStream(), TestLease())
        let aapl = try symbol("AAPL")
        try await withReplicas(stream, lease) { one, other in
            one.want([aapl])
            other.want([aapl])
            try await waitUntil { one.carried == [aapl] && other.carried == [aapl] }
            let (owner, heir) = lease.holder == 1 ? (one, other) : (other, one)
            let connections = heir.connections
            #expect(await owner.stop() == .cancelled)
            try await waitUntil { heir.connections > connections && heir.carried == [aapl] }
            try await tell(7, of: aapl, by: stream, until: heir)
            #expect(stream.mostOpen == 1)
            #expect(stream.opened == 2)
        }
    }

    @Test("reconnects after a failure of the provider; meanwhile all symbols are polled")
    func reconnects() async throws {
        let stream = TestStream()
        let aapl = try symbol("AAPL")
        try await withReplicas(stream) { one, other in
            one.want([aapl])
            try await waitUntil { one.carried == [aapl] && other.carried == [aapl] }
            let connections = (one.connections, other.connections)
            stream.fail()
            try await waitUntil { one.connections > connections.0 && other.connections > connections.1 }
            try await tell(8, of: aapl, by: stream, until: one, other)
            #expect(stream.mostOpen == 1)
        }
    }

    /// The replica that gets the lease after its owner has lost it.
    enum NextOwner {
        case same, other
    }

    @Test(
        "continues without the database, and opens another connection only if another replica gets the lease",
        arguments: [[.same, .same], [.other], [.other, .other, .same]] as [[NextOwner]])
    func withoutDatabase(_ nextOwners: [NextOwner]) async throws {
        let (stream, lease) = (TestStream(), TestLease())
        let aapl = try symbol("AAPL")
        try await withReplicas(stream, lease) { one, other in
            one.want([aapl])
            try await waitUntil { one.carried == [aapl] && other.carried == [aapl] }
            var (owner, opened) = (try #require(lease.holder), 1)
            for (round, next) in nextOwners.enumerated() {
                let (before, after) = (Decimal(2 * round), Decimal(2 * round + 1))
                lease.lose()
                try await tell(before, of: aapl, by: stream, until: one, other)
                let connections = (one.connections, other.connections)
                if next == .other { (owner, opened) = (3 - owner, opened + 1) }
                lease.free(for: owner)
                // With each epoch the stream counts as connected anew.
                try await waitUntil { one.connections > connections.0 && other.connections > connections.1 }
                #expect(lease.holder == owner)
                // A price of the moment at which the other replica takes over can be lost; a snapshot follows.
                try await waitUntil {
                    stream.tell(aapl, price: after)
                    return one.prices.last == after && other.prices.last == after
                }
                try await waitUntil { stream.open == 1 }
                #expect(stream.opened == opened)
            }
            // An owner reports more often than it looks for its failure: this takes longer than the time between two looks.
            var wanted: Set<Symbol> = [aapl]
            for text in ["B", "C", "D", "E", "F", "G", "H", "I"] {
                wanted.insert(try symbol(text))
                one.want(wanted)
                try await waitUntil { one.carried == wanted && other.carried == wanted }
            }
            // Neither replica's part has ended before.
            #expect(await one.stop() == .cancelled)
            #expect(await other.stop() == .cancelled)
        }
    }

    /// What Redis has under the name of the key for the epoch, so that no replica can announce its own.
    struct Obstacle: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let command: @Sendable (_ key: String) -> String
        let reply: RESPValue
    }

    private static let obstacles = [
        Obstacle(
            testDescription: "a value of another type", command: { "HSET \($0) a 1" }, reply: .integer(1)),
        // PostgreSQL was restored from a backup that has a lower epoch.
        Obstacle(
            testDescription: "a higher epoch", command: { "SET \($0) 1000" }, reply: .bytes(Array("OK".utf8))),
    ]

    @Test(
        "ends if an owner cannot announce its epoch, so that another replica gets the lease",
        arguments: obstacles)
    func refused(_ obstacle: Obstacle) async throws {
        let (stream, lease, server, keyspace) = (
            TestStream(), TestLease(), try RedisServer(), RedisKeyspace.ofTest()
        )
        let key = keyspace.name("stream/\(ProviderID.alpaca.name.text)/\(Environment.paper.rawValue)/epoch")
        try await RunningClient.with(server.url()) { client in
            let replies = try await client.client.send([RedisCommand(line: obstacle.command(key))])
            #expect(replies == [obstacle.reply])
        }
        try await withReplicas(stream, lease, at: server, keyspace) { one, other in
            #expect(await one.end == .unavailable)
            #expect(await other.end == .unavailable)
            #expect(stream.opened == 0)
            #expect(lease.holder == nil)
        }
    }

    @Test("ends without Redis, with its connection, so that each replica polls")
    func withoutRedis() async throws {
        let stream = TestStream()
        let server = try RedisServer()
        try await withReplicas(stream, at: server) { one, other in
            one.want([try symbol("AAPL")])
            try await waitUntil { stream.open == 1 && other.connections == 1 }
            try server.stop()
            #expect(await one.end == .unavailable)
            #expect(await other.end == .unavailable)
            #expect(stream.open == 0)
        }
    }
}
