import Brokerage
import Dispatch
import Foundation
import Sandbox
import TestSupport
import Testing

/// The stream of prices of one provider key, whose owner among three replicas is lost again and again.
///
/// The sandbox allows one data stream for a key, as Alpaca does, and records when each is accepted, refused and ended.
/// It runs after most other tests (`Makefile`), because its bounds are promises in seconds.
@Suite("The data stream of a provider's key, at several replicas")
struct StreamFailoverTests {
    /// How the owner of the stream is lost.
    private enum Loss {
        case terminated, killed, paused

        /// The time after which another replica has the stream.
        ///
        /// A paused owner keeps its connection until it continues, so the time begins then.
        var promise: Duration { self == .terminated ? .seconds(3) : .seconds(20) }
    }

    /// Subscribers of a replica get prices that are at most so old while the owner is paused.
    private static let longestDelay = Duration.seconds(13)
    private static let losses: [Loss] = [.terminated, .killed, .terminated, .paused]

    static func subscribe(at server: RunningServer) async throws -> RawClient {
        let query = #"subscription { quotes(symbols: ["AAPL"]) { price asOf } }"#
        return try await server.subscribe(RawRequest.query(query), token: ownerToken)
    }

    /// Waits until the sandbox has accepted a stream after a time; returns when it did.
    private static func acceptance(
        after start: ContinuousClock.Instant, by sandbox: Sandbox
    ) async throws -> ContinuousClock.Instant {
        var time: ContinuousClock.Instant?
        try await waitUntil {
            time = sandbox.alpacaDataStreams.events.first { $0.kind == .accepted && $0.time > start }?.time
            return time != nil
        }
        return try #require(time)
    }

    /// Reads events until one has a trade of a time after the present one.
    static func readNewTrade(_ client: RawClient) async throws {
        let start = Instant.now
        var time: Instant?
        while time.map({ $0 <= start }) ?? true {
            let event = try JSONValue(parsing: await client.event())
            time = event["data"]?["quotes"]?["asOf"]?.string.flatMap { Instant($0) }
        }
    }

    /// Lets the owner be lost, waits until another replica has the stream, and starts the owner again.
    private static func lose(
        _ index: Int, by loss: Loss, in group: ReplicaGroup, _ sandbox: Sandbox, _ client: RawClient
    ) async throws {
        var start = ContinuousClock.now
        func expectStream() async throws {
            let gap = start.duration(to: try await acceptance(after: start, by: sandbox))
            #expect(gap <= loss.promise, "\(loss)")
        }
        switch loss {
        case .terminated: try await group.terminate(index, expectStream)
        case .killed: try await group.kill(index, expectStream)
        case .paused:
            group.pause(index)
            // The others poll prices.
            try await readNewTrade(client)
            #expect(start.duration(to: .now) <= longestDelay)
            // Another replica has the lease, and the provider refuses its connection.
            try await waitUntil {
                sandbox.alpacaDataStreams.events.contains { $0.kind == .rejected && $0.time > start }
            }
            start = .now
            group.resume(index)
            try await expectStream()
            // Until then it still has a subscriber, with which it could be the next owner.
            try await group.terminate(index)
        }
    }

    @Test(
        "is one, which another replica has in the promised time after its owner is lost, and all get its prices"
    )
    func failovers() async throws {
        let (rounds, redis) = (Soak.failovers, try RedisServer())
        try await withSandbox { configuration in
            configuration.hours = .always
            configuration.alpaca.dataRequestsPerMinute = 1_000_000
        } _: { sandbox in
            try await withFolder { folder in
                let settings = Replicas.impatient(try Replicas.environment(sandbox, redis, folder))
                let life = DispatchTimeInterval.seconds(90 + rounds * 40)
                try await ReplicaGroup.run(Array(repeating: settings, count: 3), longestLife: life) { group in
                    // Replicas without subscribers do not need the stream: the owner is known.
                    var client = try await Self.subscribe(at: group.servers[0])
                    defer { client.close() }
                    try await waitUntil { sandbox.streams[.alpaca, ReplicaTests.stream] == 1 }
                    for round in 0..<rounds {
                        let (owner, other) = (round % group.count, (round + 1) % group.count)
                        let next = try await Self.subscribe(at: group.servers[other])
                        for client in [client, next] { try await ReplicaTests.readStreamed(client, sandbox) }
                        let known = sandbox.alpacaDataStreams.events.count
                        let loss = Self.losses[round % Self.losses.count]
                        try await Self.lose(owner, by: loss, in: group, sandbox, next)
                        client.close()
                        client = next
                        let new = sandbox.alpacaDataStreams.events.dropFirst(known).map(\.kind)
                        #expect(new.filter { $0 != .rejected } == [.ended, .accepted], "\(loss): \(new)")
                        #expect(new.count { $0 == .rejected } <= 1, "\(loss): \(new)")
                    }
                    try await ReplicaTests.readStreamed(client, sandbox)
                }
            }
        }
    }
}
