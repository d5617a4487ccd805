import Brokerage
import NIOCore
import NIOHTTP1
import Sandbox
import Testing

@Suite("Calls are counted, and the control desk is for this machine")
struct ControlTests {
    @Test("calls are counted by endpoint, whatever became of them")
    func counted() async throws {
        try await withSandbox { fixture in
            _ = try await fixture.trading("/v2/account")
            _ = try await fixture.trading("/v2/account", [:])
            _ = try await fixture.trading("/v2/positions/AAPL")
            _ = try await fixture.trading("/v2/positions/TSLA")
            _ = try await fixture.trading("/v2/nowhere")
            _ = try await fixture.client.post("/alpaca/v2/account", "")
            _ = try await fixture.data("/v2/stocks/snapshots?symbols=AAPL")
            let calls = fixture.sandbox.calls
            #expect(calls[.alpaca, "GET /v2/account"] == 2)
            #expect(calls[.alpaca, "GET /v2/positions/{symbol_or_asset_id}"] == 2)
            #expect(calls[.alpaca, "unknown"] == 2)
            #expect(calls[.alpaca, "GET /v2/stocks/snapshots"] == 1)
            #expect(calls[.alpaca, "GET /v2/stocks/quotes/latest"] == 0)
            #expect(calls.total == 7)
            let received = try await fixture.client.get("/_sandbox/calls")
            #expect(
                received.body.hasPrefix(
                    #"{"calls":{"alpaca":{"GET /v2/account":2,"GET /v2/positions/{symbol_or_asset_id}":2,"#))
            fixture.sandbox.reset()
            #expect(fixture.sandbox.calls.total == 0)
        }
    }

    @Test("a method that nobody offers is refused")
    func methods() async throws {
        try await withSandbox { fixture in
            let account = try await fixture.client.post("/alpaca/v2/account", "")
            let calls = try await fixture.client.post("/_sandbox/calls", "")
            #expect(account.status == 405)
            #expect(calls.status == 405)
        }
    }

    @Test(
        "other paths lead nowhere",
        arguments: ["/", "/v2/account", "/_sandbox", "/_sandbox/nothing", "/alpacas/x"])
    func nowhere(path: String) async throws {
        let reply = try await withSandbox { try await $0.client.get(path) }
        #expect(reply.status == 404)
    }

    @Test(
        "an address is on this machine, or it is not",
        arguments: [
            ("127.0.0.1", true), ("127.8.9.10", true), ("::1", true), ("::ffff:127.0.0.1", true),
            ("10.0.0.1", false), ("192.168.1.127", false), ("128.0.0.1", false), ("::", false),
            ("2001:db8::1", false), ("::ffff:10.127.0.1", false),
        ])
    func loopback(address: String, isLoopback: Bool) throws {
        #expect(try SocketAddress(ipAddress: address, port: 80).isLoopback == isLoopback)
    }

    @Test("the desk is not there for a peer from elsewhere, or of unknown origin")
    func strangers() async throws {
        try await withSandbox { fixture in
            let here = try SocketAddress(ipAddress: "127.0.0.1", port: 5_000)
            let elsewhere = try SocketAddress(ipAddress: "10.1.2.3", port: 5_000)
            for (peer, status) in [(here, 200), (elsewhere, 404), (nil, 404)] {
                let request = try #require(
                    SandboxRequest(method: .GET, target: "/_sandbox/calls", peer: peer))
                let response = await fixture.sandbox.respond(to: request)
                #expect(response.status.code == UInt(status))
            }
        }
    }
}
