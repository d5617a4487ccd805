import Brokerage
import Sandbox
import TestSupport
import Testing

@Suite("The control desk tells what there is")
struct ControlAPITests {
    private func document(_ fixture: RunningSandbox, _ path: String) async throws -> JSONValue {
        let reply = try await fixture.client.get("/_sandbox" + path)
        #expect(reply.status == 200)
        #expect(reply.headers["content-type"] == "application/json; charset=UTF-8")
        return try JSONValue(parsing: reply.body)
    }

    @Test(
        "every endpoint that it lists can be named in a script, and counted", arguments: ProviderID.allCases)
    func endpoints(provider: ProviderID) async throws {
        try await withSandbox({ $0.saxo.servesOldEndpoints = true }) { fixture in
            let name = provider.name.text.lowercased()
            let list = try #require(try await document(fixture, "/endpoints")["endpoints"]?[name]?.elements)
            let endpoints = list.compactMap(\.string)
            #expect(endpoints.count == list.count && endpoints.count > 1 && endpoints.last == "unknown")
            for endpoint in endpoints {
                let script = #"{"effect":"hang","provider":"\#(name)","endpoint":"\#(endpoint)"}"#
                #expect(
                    try await fixture.client.post("/_sandbox/faults", script).body
                        == #"{"effect":"hang","provider":"\#(name)","endpoint":"\#(endpoint)"}"#)
            }
            #expect(fixture.sandbox.faults.faults.compactMap(\.endpoint) == endpoints)
        }
    }

    @Test("calls are told of all, of a provider, of an endpoint, and begin anew")
    func calls() async throws {
        try await withSandbox { fixture in
            _ = try await fixture.trading("/v2/account")
            _ = try await fixture.saxo("/port/v1/clients/me")
            _ = try await fixture.saxo("/port/v1/clients/me")
            let all = try await document(fixture, "/calls")["calls"]
            #expect(all?.members?.count == ProviderID.allCases.count)
            #expect(all?["alpaca"]?["GET /v2/account"] == 1)
            let saxo = try await document(fixture, "/calls?provider=saxo")["calls"]
            #expect(saxo == .object(["saxo": .object(["GET /port/v1/clients/me": 2])]))
            let none = try await document(fixture, "/calls?provider=alpaca&endpoint=GET%20/v2/clock")["calls"]
            #expect(none == .object(["alpaca": .object(["GET /v2/clock": 0])]))
            #expect(fixture.sandbox.faults.add(Fault(.hang, endpoint: "GET /v2/clock")))
            #expect(try await fixture.client.send("DELETE", "/_sandbox/calls").status == 204)
            #expect(fixture.sandbox.calls.total == 0)
            #expect(fixture.sandbox.faults.faults.count == 1)
        }
    }

    @Test("the market is closed at one provider, and open at another; at all of them again without a name")
    func market() async throws {
        try await withSandbox { fixture in
            func isOpen() async throws -> [Bool] {
                let alpaca = try JSONValue(parsing: await fixture.trading("/v2/clock").body)
                let saxo = try await fixture.saxoDocument("/trade/v1/infoprices?Uic=211&AssetType=Stock")
                return [alpaca["is_open"] == .bool(true), saxo["Quote"]?["MarketState"] == "Open"]
            }
            let usual = try await isOpen()
            #expect(usual == [true, true])
            let closed = #"{"hours":"closed","unpriced":[]}"#
            let scripts = [
                (#"{"provider":"saxo","hours":"closed"}"#, [true, false]),
                (#"{"provider":"alpaca","hours":"closed"}"#, [false, false]),
                (#"{"provider":"saxo"}"#, [false, true]),
                (#"{"hours":"closed"}"#, [false, false]),
                ("{}", [true, true]),
            ]
            for (script, expected) in scripts {
                #expect(try await fixture.client.post("/_sandbox/market", script).status == 200)
                #expect(try await isOpen() == expected, "\(script)")
            }
            fixture.sandbox.setScript(MarketScript(hours: .closed), of: .saxo)
            #expect(
                try await fixture.client.get("/_sandbox/market").body
                    == #"{"market":{"hours":"as_scheduled","unpriced":[]},"exceptions":{"saxo":\#(closed)}}"#)
            fixture.sandbox.reset()
            #expect(try await isOpen() == [true, true])
        }
    }

    @Test("open streams and the decision of the moment are told")
    func state() async throws {
        try await withSandbox { fixture in
            @Sendable func open() async throws -> JSONValue? {
                try await document(fixture, "/streams")["streams"]?["alpaca"]?["GET /v2/{feed}"]
            }
            #expect(try await open() == 0)
            try await StreamClient.open("/alpaca-stream/v2/iex", of: fixture.client) { stream in
                _ = try await stream.next()
                let count = try await open()
                #expect(count == 1)
            }
            #expect(try await fixture.client.get("/_sandbox/oauth").body == #"{"decision":"ask"}"#)
            let decision = #"{"decision":"approve","user":"second"}"#
            #expect(try await fixture.client.post("/_sandbox/oauth", decision).body == decision)
            #expect(try await fixture.client.get("/_sandbox/oauth").body == decision)
            let revoked = try await fixture.client.post("/_sandbox/oauth/revoke", #"{"user":"second"}"#)
            #expect(revoked.status == 204)
            let unknown = try await fixture.client.post("/_sandbox/oauth/revoke", #"{"user":"nobody"}"#)
            #expect(unknown.status == 400)
            #expect(unknown.body.contains(#"\"user\" must be one of"#), "\(unknown.body)")
        }
    }
}
