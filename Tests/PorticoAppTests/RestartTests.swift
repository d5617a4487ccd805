import Foundation
import Sandbox
import TestSupport
import Testing

@Suite("A restart")
struct RestartTests {
    private static let questions = [
        """
        { chart(symbol: "AAPL", interval: ONE_DAY, last: 30, provider: "alpha-vantage") {
            source fetchedAt candles { time open high low close volume }
        } }
        """,
        #"{ search(text: "Microsoft", provider: "alpha-vantage") { matchScore instrument { symbol name currency } } }"#,
        #"{ instrument(symbol: "AAPL", provider: "alpha-vantage") { name description } }"#,
    ]

    /// One after the other, as Alpha Vantage takes one call a second.
    private static func answers(_ environment: [String: String]) async throws -> [JSONValue?] {
        try await withServer(environment: environment) { server in
            var answers: [JSONValue?] = []
            for question in questions {
                let answer = try await server.ask(question, token: nil)
                #expect(answer.failures.isEmpty, "\(answer.body)")
                answers.append(answer.json)
            }
            return answers
        }
    }

    @Test("causes no call for stored data of Alpha Vantage: charts, searches, company figures")
    func restarts() async throws {
        try await withSandbox { sandbox in
            try await withFolder { folder in
                let environment = alphaVantage(sandbox, data: folder)
                let before = try await Self.answers(environment)
                let calls = sandbox.calls.total
                #expect(calls >= 3)
                let after = try await Self.answers(environment)
                #expect(after == before)
                #expect(sandbox.calls.total == calls)
            }
        }
    }

    @Test("with a damaged file names it, with a remedy")
    func damaged() async throws {
        try await withSandbox { sandbox in
            try await withFolder { folder in
                let file = folder.appending(path: "portico-cache.db")
                try Data("no database".utf8).write(to: file)
                let run = try await Program.run(
                    ["serve", "--port", "0"], environment: alphaVantage(sandbox, data: folder))
                #expect(run.status == 1)
                #expect(run.errors.contains("\(file.path) is damaged. Delete it:"), "\(run.errors)")
                #expect(run.output.isEmpty)
            }
        }
    }

    @Test("in a directory that cannot be created reports this")
    func folder() async throws {
        let run = try await Program.run(["serve", "--port", "0", "--data", "/proc/portico"])
        #expect(run.status == 1)
        #expect(run.errors.contains("The data directory /proc/portico cannot be used:"), "\(run.errors)")
    }
}
