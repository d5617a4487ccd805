import Brokerage
import Coordination
import EngineTestSupport
import PorticoCore
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
                        let result = await Result.of { try await body(replicas[0], replicas[1]) }
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

    private func reply(to command: RedisCommand, at server: RedisServer) async throws -> RESPValue {
        var replies: [RESPValue] = []
        try await RunningClient.with(server.url()) { client in
            replies = try await client.client.send([command])
        }
        return try #require(replies.first)
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

    @Test("reports the symbols that the provider refuses as not carried, until the next connection")
    func refused() async throws {
        let stream = TestStream()
        let (aapl, msft) = (try symbol("AAPL"), try symbol("MSFT"))
        try await withReplicas(stream) { one, other in
            one.want([aapl, msft])
            try await waitUntil { one.carried == [aapl, msft] && other.carried == [aapl, msft] }
            stream.accept([aapl])
            try await waitUntil { one.carried == [aapl] && other.carried == [aapl] }
            stream.fail()
            try await waitUntil { one.carried == [aapl, msft] && other.carried == [aapl, msft] }
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
        Obstacle(
            testDescription: "an epoch near the highest number",
            command: { "SET \($0) 9223372036854775800" }, reply: .bytes(Array("OK".utf8))),
    ]

    /// The name of the channel, and the begin of the names of keys.
    private let name = "stream/\(ProviderID.alpaca.name.text)/\(Environment.paper.rawValue)"

    @Test(
        "ends if an owner cannot announce its epoch, so that another replica gets the lease",
        arguments: obstacles)
    func refused(_ obstacle: Obstacle) async throws {
        let (stream, lease, server, keyspace) = (
            TestStream(), TestLease(), try RedisServer(), RedisKeyspace.ofTest()
        )
        let key = keyspace.name(name + "/epoch")
        #expect(try await reply(to: RedisCommand(line: obstacle.command(key)), at: server) == obstacle.reply)
        try await withReplicas(stream, lease, at: server, keyspace) { one, other in
            #expect(await one.end == .unavailable)
            #expect(await other.end == .unavailable)
            #expect(stream.opened == 0)
            #expect(lease.holder == nil)
        }
    }

    @Test("begins with a higher epoch than the one that Redis has")
    func higherEpoch() async throws {
        let (stream, lease, server, keyspace) = (
            TestStream(), TestLease(), try RedisServer(), RedisKeyspace.ofTest()
        )
        let aapl = try symbol("AAPL")
        let reply = try await reply(
            to: RedisCommand(line: "SET \(keyspace.name(name + "/epoch")) 1000"), at: server)
        #expect(reply == .bytes(Array("OK".utf8)))
        try await withReplicas(stream, lease, at: server, keyspace) { one, other in
            one.want([aapl])
            try await waitUntil { one.carried == [aapl] && other.carried == [aapl] }
            try await tell(5, of: aapl, by: stream, until: one, other)
            #expect(lease.epoch == 1_001)
            #expect(stream.opened == 1)
        }
    }

    /// A lease that is taken again after the database was restored from a backup.
    struct Restoration: CustomTestStringConvertible, Sendable {
        let next: NextOwner
        /// Whether Redis still has the last epoch.
        let isEpochKept: Bool
        /// The epoch of the lease in the backup.
        let epoch: Int64

        var testDescription: String {
            "\(next), epoch \(epoch), \(isEpochKept ? "kept" : "expired") in Redis"
        }

        static let all = [NextOwner.same, .other].flatMap { next in
            // With the second one, the next owner gets the epoch of the last one.
            ([60_000, 90_000] as [Int64]).flatMap { epoch in
                [true, false].map { Restoration(next: next, isEpochKept: $0, epoch: epoch) }
            }
        }
    }

    @Test(
        "has a higher epoch than before after the database was restored, and its owner keeps the connection",
        arguments: Restoration.all)
    func restored(_ restoration: Restoration) async throws {
        let (stream, lease, server, keyspace) = (
            TestStream(), TestLease(epoch: 90_000), try RedisServer(), RedisKeyspace.ofTest()
        )
        let aapl = try symbol("AAPL")
        try await withReplicas(stream, lease, at: server, keyspace) { one, other in
            one.want([aapl])
            try await waitUntil { one.carried == [aapl] && other.carried == [aapl] }
            let owner = try #require(lease.holder)
            lease.lose()
            lease.restore(to: restoration.epoch)
            if !restoration.isEpochKept {
                let command = RedisCommand(line: "DEL \(keyspace.name(name + "/epoch"))")
                #expect(try await reply(to: command, at: server) == .integer(1))
            }
            let connections = (one.connections, other.connections)
            let next = restoration.next == .same ? owner : 3 - owner
            lease.free(for: next)
            // With each epoch the stream counts as connected anew.
            try await waitUntil { one.connections > connections.0 && other.connections > connections.1 }
            #expect(lease.holder == next)
            // Only the replica that has announced an epoch can have it again.
            #expect(lease.epoch == (next == owner && restoration.epoch == 90_000 ? 90_001 : 90_002))
            try await waitUntil {
                stream.tell(aapl, price: 5)
                return one.prices.last == 5 && other.prices.last == 5
            }
            try await waitUntil { stream.open == 1 }
            #expect(stream.opened == (restoration.next == .same ? 1 : 2))
            #expect(await one.stop() == .cancelled)
            #expect(await other.stop() == .cancelled)
        }
    }

    @Test("opens another connection with a higher epoch if an owner without the lease has a higher one")
    func earlierOwner() async throws {
        let (stream, lease, server, keyspace) = (
            TestStream(), TestLease(), try RedisServer(), RedisKeyspace.ofTest()
        )
        let aapl = try symbol("AAPL")
        try await withReplicas(stream, lease, at: server, keyspace) { one, other in
            one.want([aapl])
            try await waitUntil { one.carried == [aapl] && other.carried == [aapl] }
            let message = QuoteStreamMessage(
                epoch: 1_000, number: 1, .state(isConnected: true, carried: [aapl]))
            let command = RedisCommand("PUBLISH", Array(keyspace.name(name).utf8), message.persistentBytes)
            #expect(try await reply(to: command, at: server) == .integer(2))
            try await waitUntil { stream.opened == 2 }
            try await waitUntil {
                stream.tell(aapl, price: 5)
                return one.prices.last == 5 && other.prices.last == 5
            }
            #expect(lease.epoch == 1_001)
            #expect(stream.mostOpen == 1)
        }
    }

    @Test(
        "ends with the failure of the provider if it refuses the credential, after one attempt of each replica"
    )
    func unauthorized() async throws {
        let stream = TestStream(refusal: .unauthorized)
        try await withReplicas(stream) { one, other in
            #expect(await one.end == .unauthorized)
            #expect(await other.end == .unauthorized)
            #expect(stream.opened == 2)
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
