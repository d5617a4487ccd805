import Foundation
import Sandbox
import TestSupport
import Testing

@Suite("The quota ledger")
struct LedgerTests {
    @Test("keeps used calls over `kill -9`, and uses no call twice")
    func remembers() async throws {
        try await withSandbox { sandbox in
            try await withFolder { folder in
                let environment = alphaVantage(sandbox, data: folder, perDay: 20)
                try await withCrashingServer(environment: environment) { server in
                    for symbol in ["AAPL", "MSFT"] {
                        let answer = try await server.quotes([symbol])
                        #expect(answer.failures.isEmpty, "\(answer.body)")
                    }
                }
                // A call that came too soon after another one, by the sandbox's clock, is refused, and sent again.
                let spent = sandbox.calls.total
                #expect(spent >= 2)
                try await withCrashingServer(environment: environment) { server in
                    let remaining = try await server.remaining("day")
                    let answer = try await server.quotes(["NVDA"])
                    #expect(remaining == 20 - spent)
                    #expect(answer.failures.isEmpty, "\(answer.body)")
                }
                // On a plan that allows no more than was spent by now, no call goes out.
                let all = sandbox.calls.total
                let smaller = alphaVantage(sandbox, data: folder, perDay: all)
                try await withServer(environment: smaller) { server in
                    let remaining = try await server.remaining("day")
                    let refused = try await server.quotes(["AMZN"])
                    let failure = FieldFailure("quotes.0", "QUOTA_EXHAUSTED", "alpha-vantage")
                    #expect(remaining == 0)
                    #expect(refused.failures == [failure])
                    #expect(refused.json?["errors"]?[0]?["extensions"]?["retryAt"]?.string != nil)
                }
                #expect(sandbox.calls.total == all)
            }
        }
    }

    @Test("counts every call that was sent before a `kill -9` during the calls")
    func midst() async throws {
        let rounds = [["AAPL", "MSFT"], ["NVDA", "AMZN"], ["TSLA", "JPM"], ["KO", "DIS"]]
        try await withSandbox { sandbox in
            try await withFolder { folder in
                let environment = alphaVantage(sandbox, data: folder, perDay: 25)
                for symbols in rounds {
                    let before = sandbox.calls.total
                    try await withCrashingServer(environment: environment) { server in
                        let spent = try await 25 - server.remaining("day")
                        #expect(spent >= before)
                        await withTaskGroup { group in
                            group.addTask { _ = try? await server.quotes(symbols) }
                            // The sandbox counts a call when it comes, and tells nobody.
                            group.addTask {
                                try? await waitUntil { sandbox.calls.total > before }
                            }
                            await group.next()
                            server.program.crash()
                            group.cancelAll()
                        }
                    }
                }
                try await withServer(environment: environment) { server in
                    let spent = try await 25 - server.remaining("day")
                    #expect(sandbox.calls.total >= rounds.count)
                    #expect(spent >= sandbox.calls.total)
                }
            }
        }
    }

    @Test("of a directory that another Portico uses is rejected")
    func shared() async throws {
        try await withSandbox { sandbox in
            try await withFolder { folder in
                let environment = alphaVantage(sandbox, data: folder)
                try await withServer(environment: environment) { server in
                    let second = try await Program.run(["serve", "--port", "0"], environment: environment)
                    #expect(second.status == 1)
                    #expect(second.errors.contains("\(folder.path) is in use by another process."))
                    let answer = try await server.quotes(["AAPL"])
                    #expect(answer.failures.isEmpty, "\(answer.body)")
                }
            }
        }
    }

    @Test("of the embedded sandbox is separate from that of providers")
    func apart() async throws {
        try await withFolder { folder in
            try await withServer(["--data", folder.path]) { server in
                let answer = try await server.ask(
                    #"{ quotes(symbols: ["AAPL"], provider: "alpha-vantage") { price } }"#)
                #expect(answer.failures.isEmpty, "\(answer.body)")
            }
            let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
            #expect(names == ["sandbox"])
            let kept = folder.appending(path: "sandbox/portico-cache.db").path
            #expect(FileManager.default.fileExists(atPath: kept))
        }
    }

    @Test("in memory causes a warning if providers are configured")
    func warned() async throws {
        try await withSandbox { sandbox in
            try await withServer(environment: alphaVantage(sandbox, data: nil)) { server in
                let text = await server.program.errors.first { text in
                    text.contains("--data (PORTICO_DATA)") ? text : nil
                }
                #expect(text?.contains("Counts of calls are stored in memory only") == true)
            }
        }
    }
}

/// Variables that put Alpha Vantage's stand-in behind a server.
func alphaVantage(_ sandbox: Sandbox, data: URL?, perDay: Int? = nil) -> [String: String] {
    let variables: [String: String?] = [
        "PORTICO_ALPHA_VANTAGE_BASE_URL": sandbox.alphaVantage.baseURL,
        "PORTICO_ALPHA_VANTAGE_KEY": FakeAlphaVantageSettings.demoKey, "PORTICO_DATA": data?.path,
        "PORTICO_ALPHA_VANTAGE_PER_DAY": perDay.map(String.init), "PORTICO_ALPHA_VANTAGE_PER_MINUTE": "60",
    ]
    return variables.compactMapValues(\.self)
}

extension RunningServer {
    fileprivate func quotes(_ symbols: [String]) async throws -> RawResponse {
        let list = symbols.map { "\"\($0)\"" }.joined(separator: ", ")
        return try await ask("{ quotes(symbols: [\(list)]) { symbol price } }", token: nil)
    }

    /// How many calls of Alpha Vantage's a window has left.
    func remaining(_ window: String) async throws -> Int {
        let answer = try await ask(
            "{ providers { provider: name rateLimits { name remaining } } }", token: nil)
        let providers = try #require(answer.json?["data"]?["providers"]?.elements)
        let own = try #require(providers.first { $0["provider"] == "alpha-vantage" })
        let limit = own["rateLimits"]?.elements?.first { $0["name"]?.string == window }
        return try #require(limit?["remaining"]?.digits.flatMap { Int($0) })
    }
}
