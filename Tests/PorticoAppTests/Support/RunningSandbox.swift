import TestSupport
import Testing

/// A sandbox that is asked as Alpaca is, and told over HTTP what to do.
struct RunningSandbox {
    let port: Int

    var tradingURL: String { "http://127.0.0.1:\(port)/alpaca" }
    var dataURL: String { "http://127.0.0.1:\(port)/alpaca-data" }

    /// The demo user's.
    static let token = "sandbox-demo-token"

    /// How often each of Alpaca's endpoints was called.
    var calls: [String: Int] {
        get async throws { try await calls(of: "alpaca") }
    }

    /// How often each endpoint of a provider was called.
    func calls(of provider: String) async throws -> [String: Int] {
        let answer = try await send(RawRequest.get("/_sandbox/calls"))
        let counts = try #require(answer.json?["calls"]?[provider]?.members)
        return try counts.mapValues { count in try #require(count.digits.flatMap { Int($0) }) }
    }

    /// Stops the market, so that prices stand still.
    func closeMarket() async throws {
        try #require(await post("market", #"{"hours":"closed"}"#).status == 200)
    }

    /// Opens the market, also outside of its hours.
    func openMarket() async throws {
        try #require(await post("market", #"{"hours":"open"}"#).status == 200)
    }

    /// Saxo requires disclaimers before an order: a JSON list of their kinds.
    func requireDisclaimers(_ kinds: String) async throws {
        try #require(await post("saxo/disclaimers", #"{"required":\#(kinds)}"#).status == 204)
    }

    func add(fault: String) async throws {
        try #require(await post("faults", fault).status == 201)
    }

    /// Removes all faults, and ends the latencies of calls in progress.
    func resetFaults() async throws {
        let response = try await send(RawRequest.get("/_sandbox/faults", method: "DELETE"))
        try #require(response.status == 204)
    }

    func reset() async throws {
        try #require(await post("reset", "{}").status == 204)
    }

    /// What Alpaca itself answers.
    func alpaca(_ path: String) async throws -> JSONValue {
        let answer = try await send(
            RawRequest.get(path, fields: ["Authorization: Bearer \(RunningSandbox.token)"]))
        try #require(answer.status == 200)
        return try #require(answer.json)
    }

    private func post(_ name: String, _ body: String) async throws -> RawResponse {
        try await send(RawRequest.post(body, path: "/_sandbox/\(name)"))
    }

    private func send(_ request: String) async throws -> RawResponse {
        let client = try RawClient(port: port)
        defer { client.close() }
        try await client.send(request)
        return try await client.response()
    }
}

/// Runs `portico sandbox` around a test.
func withSandboxProgram<Value>(_ test: (RunningSandbox) async throws -> Value) async throws -> Value {
    try await withProgram(["sandbox", "--port", "0"]) { _, port in try await test(RunningSandbox(port: port))
    }
}

extension RunningSandbox {
    /// The sandbox that a server has embedded, whose address is in the text with which the server starts.
    init(embeddedIn server: RunningServer) async throws {
        let found = await server.program.output.first { text -> Int? in
            text.firstMatch(of: /--url http:\/\/127\.0\.0\.1:([0-9]+)/).flatMap { Int($0.1) }
        }
        port = try #require(found)
    }
}
