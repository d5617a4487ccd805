import Brokerage
import Sandbox
import TestSupport
import Testing

/// Every effect at every provider, scripted over HTTP as a demonstration does.
@Suite("Every fault at every provider")
struct FaultMatrixTests {
    /// Two endpoints of a provider, and their responses to faults.
    struct Probe: Sendable, CustomTestStringConvertible {
        let provider: ProviderID
        let endpoint: String
        let path: String
        let unaffected: String
        var headers: [String: String] = [:]
        /// The schema's definition of the error body; nil if it is not JSON.
        var tooManyShape: String?
        var tooManyStatus = 429
        /// The response to an expired credential.
        var expired: (status: Int, shape: String?) = (401, nil)
        var testDescription: String { "\(provider.name.text) \(endpoint)" }
        /// The provider's name in control documents.
        var name: String { provider.name.text.lowercased() }

        static let all: [Probe] = [
            Probe(
                provider: .alpaca, endpoint: "GET /v2/account", path: "/alpaca/v2/account",
                unaffected: "/alpaca/v2/positions", headers: RunningSandbox.demo, tooManyShape: "Error",
                expired: (401, "Error")),
            Probe(
                provider: .saxo, endpoint: "GET /port/v1/clients/me", path: "/saxo/port/v1/clients/me",
                unaffected: "/saxo/port/v1/accounts/me", headers: RunningSandbox.saxoDemo,
                tooManyShape: "Error"),
            Probe(
                provider: .alphaVantage, endpoint: "GET /query GLOBAL_QUOTE",
                path: "/alpha-vantage/query?function=GLOBAL_QUOTE&symbol=IBM&apikey="
                    + FakeAlphaVantageSettings.premiumKey,
                unaffected: "/alpha-vantage/query?function=SYMBOL_SEARCH&keywords=ibm&apikey="
                    + FakeAlphaVantageSettings.premiumKey,
                tooManyShape: "Notice", tooManyStatus: 200, expired: (200, "Notice")),
            Probe(
                provider: .yahoo, endpoint: "GET /v8/finance/chart/{symbol}",
                path: "/yahoo/v8/finance/chart/AAPL", unaffected: "/yahoo/v1/finance/search?q=apple",
                expired: (401, "FinanceError")),
            Probe(
                provider: .polygon, endpoint: "GET /v2/reference/news", path: "/polygon/v2/reference/news",
                unaffected: "/polygon/v3/reference/tickers/AAPL",
                headers: ["Authorization": "Bearer \(FakePolygonSettings.realtimeKey)"],
                tooManyShape: "Error",
                expired: (401, "Error")),
        ]

        func send(_ fixture: RunningSandbox, _ path: String? = nil) async throws -> Client.Reply {
            try await fixture.client.get(path ?? self.path, headers)
        }

        func isValid(_ body: String, as shape: String?) throws -> Bool {
            guard let shape else { return (try? JSONValue(parsing: body)) == nil }
            return try Golden.schema(of: name.replacing("-", with: "")).definition(shape)
                .violations(in: JSONValue(parsing: body)).isEmpty
        }
    }

    /// A scripted effect, and the client's observation of it.
    struct Effect: Sendable, CustomTestStringConvertible {
        let json: String
        let isSeen: @Sendable (Probe, Client.Reply) throws -> Bool
        var testDescription: String { json }

        static let all: [Effect] = [
            Effect(json: #""effect":"status","status":429,"retry_after":7"#) { probe, reply in
                try reply.status == probe.tooManyStatus && reply.headers["retry-after"] == "7"
                    && probe.isValid(reply.body, as: probe.tooManyShape)
            },
            Effect(json: #""effect":"status","status":503"#) { _, reply in
                reply.status == 503 && reply.headers["content-type"] == "text/html"
                    && reply.headers["retry-after"] == nil
            },
            Effect(json: #""effect":"status","status":500"#) { _, reply in reply.status == 500 },
            Effect(json: #""effect":"malformed_body""#) { probe, reply in
                try reply.status == 200 && reply.isWhole && probe.isValid(reply.body, as: nil)
            },
            Effect(json: #""effect":"duplicate_key""#) { _, reply in
                reply.status == 200 && reply.isWhole && reply.body.contains(/("[^"]+"):null,\1\s*:/)
            },
            Effect(json: #""effect":"truncated_body""#) { _, reply in
                reply.status == 200 && !reply.isWhole && !reply.body.isEmpty
            },
            Effect(json: #""effect":"closed_connection""#) { _, reply in reply.status == nil },
            Effect(json: #""effect":"disconnect""#) { _, reply in reply.status == nil },
            Effect(json: #""effect":"expired_token""#) { probe, reply in
                try reply.status == probe.expired.status
                    && probe.isValid(reply.body, as: probe.expired.shape)
            },
            Effect(json: #""effect":"latency","milliseconds":1"#) { _, reply in
                reply.status == 200 && reply.isWhole
            },
        ]
    }

    @Test(
        "strikes its endpoint once, spares all else, and every call is counted", arguments: Probe.all,
        Effect.all)
    func strikes(_ probe: Probe, _ effect: Effect) async throws {
        try await withSandbox { fixture in
            let script =
                #"{\#(effect.json),"provider":"\#(probe.name)","endpoint":"\#(probe.endpoint)","remaining":1}"#
            let added = try await fixture.client.post("/_sandbox/faults", script)
            #expect(added.status == 201)
            #expect(try await probe.send(fixture, probe.unaffected).status == 200)
            for other in Probe.all where other.provider != probe.provider {
                #expect(try await other.send(fixture).status == 200, "\(other.name)")
            }
            let affected = try await probe.send(fixture)
            #expect(try effect.isSeen(probe, affected), "\(affected)")
            let after = try await probe.send(fixture)
            #expect(after.status == 200 && after.isWhole)
            let count = try await fixture.client.get(
                "/_sandbox/calls?provider=\(probe.name)&endpoint="
                    + probe.endpoint.replacing(" ", with: "+"))
            #expect(count.body == #"{"calls":{"\#(probe.name)":{"\#(probe.endpoint)":2}}}"#)
        }
    }

    @Test("hangs until the client goes, or the sandbox stops", arguments: Probe.all)
    func hangs(_ probe: Probe) async throws {
        let received = try await withSandbox { fixture -> Task<Client.Reply, any Error> in
            let script = #"{"effect":"hang","provider":"\#(probe.name)","endpoint":"\#(probe.endpoint)"}"#
            let added = try await fixture.client.post("/_sandbox/faults", script)
            #expect(added.status == 201)
            let hanging = Task { try await probe.send(fixture) }
            try await waitUntil { fixture.sandbox.calls[probe.provider, probe.endpoint] > 0 }
            #expect(try await probe.send(fixture, probe.unaffected).status == 200)
            return hanging
        }
        #expect(try await received.value.status == nil)
    }

    @Test("what is scripted for a provider strikes all its endpoints", arguments: Probe.all)
    func wholeProvider(_ probe: Probe) async throws {
        try await withSandbox { fixture in
            let script = #"{"effect":"closed_connection","provider":"\#(probe.name)"}"#
            let added = try await fixture.client.post("/_sandbox/faults", script)
            #expect(added.status == 201)
            for path in [probe.path, probe.unaffected] {
                #expect(try await probe.send(fixture, path).status == nil)
            }
            for other in Probe.all where other.provider != probe.provider {
                let reply = try await other.send(fixture)
                #expect(reply.status == 200)
            }
            #expect(try await fixture.client.send("DELETE", "/_sandbox/faults").status == 204)
            #expect(try await probe.send(fixture).status == 200)
        }
    }

    @Test("an error rate strikes so many of a hundred calls, the same ones for the same seed")
    func rate() async throws {
        func affected(seed: UInt64) async throws -> [Bool] {
            try await withSandbox({
                $0.seed = seed
                $0.alpaca.tradingRequestsPerMinute = 1_000
            }) { fixture in
                let script = #"{"effect":"status","status":500,"percent":30}"#
                #expect(try await fixture.client.post("/_sandbox/faults", script).body == script)
                var affected: [Bool] = []
                for _ in 0..<200 { affected.append(try await fixture.trading("/v2/clock").status == 500) }
                return affected
            }
        }
        let first = try await affected(seed: 7)
        #expect((40...80).contains(first.count { $0 }))
        #expect(try await affected(seed: 7) == first)
        #expect(try await affected(seed: 8) != first)
    }
}
