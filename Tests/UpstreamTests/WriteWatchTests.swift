import Brokerage
import Synchronization
import Testing

@testable import Upstream

@Suite("Who watches a write")
struct WriteWatchTests {
    /// What a watch was told, in order.
    private final class Told: Sendable {
        private let words = Mutex<[String]>([])
        private let isBroken: Bool

        init(isBroken: Bool = false) {
            self.isBroken = isBroken
        }

        struct Broken: Error {}

        var all: [String] { words.withLock(\.self) }

        var context: CallContext {
            CallContext(
                deadline: .now + .seconds(60),
                watch: WriteWatch(
                    willSend: { [self] in
                        words.withLock { $0.append("sending") }
                        if isBroken { throw Broken() }
                    }, wasNotTaken: { [self] in words.withLock { $0.append("not taken") } }))
        }
    }

    @Test(
        "is told before it goes out, and whether the provider turned it away",
        arguments: [
            (200, ["sending"]), (400, ["sending"]), (401, ["sending", "not taken"]),
            (403, ["sending", "not taken"]), (404, ["sending"]), (429, ["sending", "not taken"]),
            (500, ["sending"]), (504, ["sending"]),
        ])
    func statuses(_ status: Int, _ expected: [String]) async throws {
        try await TransportTests.with { _ in
            .status(status, body: Array("ok".utf8))
        } _: { server, transport in
            let told = Told()
            let caller = ProviderCaller(.alpaca, over: transport, retry: ProviderCallerTests.policy())
            let request = try TransportTests.request(server, "/", .post, body: [1])
            _ = try? await caller.call("order", request, in: told.context, read: ProviderCallerTests.text)
            #expect(told.all == expected)
            #expect(server.requests.count == 1)
        }
    }

    @Test("keeps it from going out where it cannot be written down")
    func stops() async throws {
        try await TransportTests.with { _ in
            .status(200)
        } _: { server, transport in
            let told = Told(isBroken: true)
            let caller = ProviderCaller(.alpaca, over: transport, retry: ProviderCallerTests.policy())
            let request = try TransportTests.request(server, "/", .post, body: [1])
            let failure = await ProviderCallerTests.failure {
                try await caller.call("order", request, in: told.context, read: ProviderCallerTests.text)
            }
            #expect(failure == ProviderFailure(.alpaca, .cancelled))
            #expect(server.requests.isEmpty)
        }
    }

    @Test("is told that it never came to a provider that cannot be reached")
    func unreachable() async throws {
        let port = TestServer.deadPort
        let transport = try Transport(userAgent: "portico-test")
        let told = Told()
        let caller = ProviderCaller(.alpaca, over: transport, retry: ProviderCallerTests.policy())
        let request = try TransportTests.request(port: port, "/", .post)
        _ = try? await caller.call("order", request, in: told.context, read: ProviderCallerTests.text)
        #expect(told.all == ["sending", "not taken"])
        await transport.shutDown()
    }

    @Test("is not told of a read")
    func reads() async throws {
        try await TransportTests.with { _ in
            .status(200)
        } _: { server, transport in
            let told = Told()
            let caller = ProviderCaller(.alpaca, over: transport, retry: ProviderCallerTests.policy())
            let request = try TransportTests.request(server)
            _ = try await caller.call("account", request, in: told.context, read: ProviderCallerTests.text)
            #expect(told.all.isEmpty)
        }
    }
}
