import Foundation
import Sandbox
import TestSupport
import Testing

@Suite("A provider file of a server")
struct ProviderFileTests {
    static let example = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().appending(path: "docs/examples/polygon.yaml")

    /// The settings of the example in front of a sandbox; nil for a server without a key.
    private func environment(
        _ sandbox: Sandbox, key: String? = FakePolygonSettings.realtimeKey, data: URL? = nil
    ) -> [String: String] {
        var environment = [
            "PORTICO_PROVIDERS": Self.example.path,
            "PORTICO_PROVIDER_POLYGON_FILE_BASE_URL": sandbox.polygon.baseURL,
        ]
        environment["PORTICO_PROVIDER_POLYGON_FILE_KEY"] = key
        environment["PORTICO_DATA"] = data?.path
        return environment
    }

    private static let chart = """
        { chart(symbol: "AAPL", interval: ONE_DAY, last: 3, provider: "polygon-file") {
          source currency candles { time close } } }
        """

    @Test("adds a provider with its name, beside the compiled ones")
    func named() async throws {
        try await withSandbox { sandbox in
            try await withServer(environment: environment(sandbox)) { server in
                let answer = try await server.ask(Self.chart, token: nil)
                #expect(answer.failures.isEmpty, "\(answer.body)")
                let chart = answer.json?["data"]?["chart"]
                #expect(chart?["source"] == "polygon-file")
                #expect(chart?["source"] == "polygon-file")
                #expect(chart?["candles"]?.elements?.count == 3)
                let others = try await server.ask(
                    """
                    { search(text: "apple", first: 1, provider: "polygon-file") {
                        instrument { symbol listings { provider key } } }
                      providers { id name configured capabilities { features } } }
                    """, token: nil)
                #expect(others.failures.isEmpty, "\(others.body)")
                let listing = others.json?["data"]?["search"]?[0]?["instrument"]?["listings"]?[0]
                #expect(listing?["provider"] == "polygon-file")
                let status = others.json?["data"]?["providers"]?.elements?.last
                #expect(
                    status?["id"] == "ProviderStatus:polygon-file" && status?["configured"] == .bool(true))
                #expect(
                    status?["capabilities"]?["features"]?.elements?.map(\.string)
                        == ["CHARTS", "EXTENDED_HOURS_CHARTS", "SEARCH", "NEWS"])
            }
        }
    }

    @Test("has its position in the routes, and errors name it")
    func routes() async throws {
        try await withSandbox { sandbox in
            try await withServer(environment: environment(sandbox, key: "bad")) { server in
                let answer = try await server.ask(
                    #"{ chart(symbol: "AAPL", interval: ONE_DAY, last: 3) { source } }"#, token: nil)
                #expect(answer.failures == [FieldFailure("chart", "RECONNECT_REQUIRED", "polygon-file")])
                let error = answer.json?["errors"]?[0]
                #expect(
                    error?["message"] == "polygon-file refused the credential: connect with it again.")
            }
        }
    }

    @Test(
        "is found by its name only, and the error lists the names",
        arguments: [
            (
                #"provider: "No name""#,
                """
                Argument "provider": Expected the name of a provider in small letters, such as "alpaca". \
                `providers { name }` has all names.
                """
            ),
            (
                "provider: ALPACA",
                """
                Argument "provider": Expected the name of a provider in small letters, such as "alpaca". \
                Did you mean "alpaca"? `providers { name }` has all names.
                """
            ),
            (
                #"provider: "nobody""#,
                """
                Argument "provider": There is no provider "nobody". The providers are "alpaca", "saxo", "alpha-vantage", \
                "yahoo", "polygon", "polygon-file".
                """
            ),
            (#"provider: "saxo""#, "saxo is neither configured nor connected."),
        ])
    func arguments(_ arguments: String, _ message: String) async throws {
        try await withSandbox { sandbox in
            try await withServer(environment: environment(sandbox)) { server in
                let answer = try await server.ask(
                    "{ chart(symbol: \"AAPL\", interval: ONE_DAY, last: 3, \(arguments)) { source } }",
                    token: nil)
                #expect(answer.json?["errors"]?[0]?["message"]?.string == message)
            }
        }
    }

    /// The days of a past week: such a chart stays fresh for an hour, and one until now only until its next candle.
    private static let pastChart = """
        { chart(symbol: "AAPL", interval: ONE_DAY, from: "2025-03-03T00:00:00Z", to: "2025-03-08T00:00:00Z",
                provider: "polygon-file") { candles { time } } }
        """

    @Test("has quotas that a restart does not reset, and stored data that it does not read again")
    func restarts() async throws {
        try await withSandbox { sandbox in
            try await withFolder { folder in
                var environment = environment(sandbox, data: folder.appending(path: "data"))
                // The quota of the example is that of a minute, which can pass between the two servers.
                let text = try String(contentsOf: Self.example, encoding: .utf8)
                let changed = text.replacing("calls: 5, seconds: 60 }", with: "calls: 5, seconds: 86400 }")
                try #require(changed != text)
                let file = folder.appending(path: "polygon.yaml")
                try changed.write(to: file, atomically: true, encoding: .utf8)
                environment["PORTICO_PROVIDERS"] = file.path
                try await withServer(environment: environment) { server in
                    let answer = try await server.ask(Self.pastChart, token: nil)
                    #expect(answer.failures.isEmpty, "\(answer.body)")
                    #expect(answer.json?["data"]?["chart"]?["candles"]?.elements?.count == 5)
                }
                let calls = sandbox.calls.total
                #expect(calls == 1)
                try await withServer(environment: environment) { server in
                    let answer = try await server.ask(Self.pastChart, token: nil)
                    #expect(answer.failures.isEmpty, "\(answer.body)")
                    #expect(sandbox.calls.total == calls)
                    let limits = try await server.ask(
                        "{ providers { name rateLimits { name limit remaining } } }", token: nil)
                    let status = limits.json?["data"]?["providers"]?.elements?.last
                    #expect(status?["rateLimits"]?[0]?["limit"]?.digits == "5")
                    #expect(status?["rateLimits"]?[0]?["remaining"]?.digits == "4")
                }
            }
        }
    }

    @Test("may have keys of users only, each with a quota of its own")
    func keysOfUsers() async throws {
        try await withSandbox { sandbox in
            try await withFolder { folder in
                var environment = environment(sandbox, key: nil, data: folder)
                environment["PORTICO_SIGN_UP"] = "open"
                try await withServer(environment: environment) { server in
                    let nobody = try await server.ask(Self.chart, token: nil)
                    #expect(nobody.failures == [FieldFailure("chart", "UNSUPPORTED", "polygon-file")])
                    let user = try await server.ask(
                        #"mutation { signUp(input: { username: "ann", password: "a good long password" }) { token } }"#,
                        token: nil)
                    let token = try #require(
                        user.json?["data"]?["signUp"]?["token"]?.string, "\(user.body)")
                    let connected = try await server.ask(
                        """
                        mutation { connectProvider(input: { provider: "polygon-file"
                          credential: { apiKey: { key: "\(FakePolygonSettings.realtimeKey)" } } }) {
                          connection { provider status } } }
                        """, token: token)
                    #expect(connected.failures.isEmpty, "\(connected.body)")
                    let connection = connected.json?["data"]?["connectProvider"]?["connection"]
                    #expect(connection?["provider"] == "polygon-file")
                    let own = try await server.ask(Self.chart, token: token)
                    #expect(own.failures.isEmpty, "\(own.body)")
                    let others = try await server.ask(Self.chart, token: nil)
                    #expect(others.failures == [FieldFailure("chart", "UNSUPPORTED", "polygon-file")])
                }
            }
        }
    }

    @Test("with errors stops the start, with the place of each")
    func faulty() async throws {
        let run = try await CommandRun.run(
            ["serve", "--port", "0", "--providers", "@p.yaml"], among: ["p.yaml": "version: 2\n"])
        #expect(run.status == 2)
        #expect(
            run.errors.hasPrefix(
                """
                Error: --providers (PORTICO_PROVIDERS) names a provider file with errors:
                p.yaml:1:1: It needs "providers". A provider file of Portico.
                p.yaml:1:10: version: It must be 1. The version of the format.
                """), "\(run.errors)")
    }

    @Test("is checked by portico providers check, with an exit status")
    func check() async throws {
        let good = try await Program.run(["providers", "check", Self.example.path])
        #expect(good.status == 0)
        #expect(good.output == "\(Self.example.path): no errors (polygon-file)\n")
        let bad = try await CommandRun.run(
            ["providers", "check", "@p.yaml"], among: ["p.yaml": "version: 1\nproviders: 5\n"])
        #expect(bad.status == 1)
        #expect(
            bad.errors == "p.yaml:2:12: providers: It is a whole number; it must be a list. The providers.\n")
        let empty = try await CommandRun.run(["providers", "check", "@p.yaml"], among: ["p.yaml": ""])
        #expect(empty.status == 1)
        #expect(
            empty.errors == #"p.yaml:1:1: The file is empty. It needs "version" and "providers".\#n"#)
    }

    @Test("is tested by portico providers test, with an exit status")
    func test() async throws {
        let good = try await Program.run(["providers", "test", Self.example.path])
        #expect(good.status == 0, "\(good.errors)")
        #expect(good.output.hasSuffix("5 of 5 examples passed\n"))
        let text = try String(contentsOf: Self.example, encoding: .utf8)
        let bad = try await CommandRun.run(
            ["providers", "test", "@p.yaml"],
            among: [
                "p.yaml": text,
                "p.examples.yaml": """
                examples:
                  - { provider: polygon-file, call: search, text: a, status: 404, response: "", error: UNAUTHORIZED }
                """,
            ])
        #expect(bad.status == 1)
        #expect(bad.output == "failed: polygon-file search 1\n0 of 1 examples passed\n")
        #expect(bad.errors == "p.examples.yaml:2:88: examples[0].error: The cause is NOT_FOUND.\n")
        let missing = try await CommandRun.run(["providers", "test", "@p.yaml"], among: ["p.yaml": text])
        #expect(missing.status == 2)
        #expect(
            missing.errors
                == "p.examples.yaml:1:1: The file cannot be read. Check the path and the permissions.\n")
    }
}
