import Foundation
import TestSupport
import Testing

@Suite("Waiting for a condition")
struct WaitUntilTests {
    @Test("ends when the condition holds")
    func holds() async throws {
        var evaluations = 0
        try await waitUntil {
            evaluations += 1
            return evaluations == 3
        }
        #expect(evaluations == 3)
    }

    @Test("fails if the condition never holds, and names the place of the call")
    func neverHolds() async throws {
        let error = await #expect(throws: ConditionTimeout.self) {
            try await waitUntil(timeout: .milliseconds(10), fileID: "A/B.swift", line: 7) { false }
        }
        #expect(error?.description == "The condition at A/B.swift:7 did not hold within 0.01 seconds.")
    }

    @Test("has a limit everywhere: no test polls in a loop of its own without a limit")
    func everywhere() throws {
        let tests = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        let files = try FileManager.default.subpathsOfDirectory(atPath: tests.path)
            // Without checkouts of packages, and without this file, which has such loops in a text.
            .filter { $0.hasSuffix(".swift") && !$0.contains("/.build/") }
            .filter { !$0.hasSuffix("/WaitUntilTests.swift") }
        try #require(files.count > 100)
        let unbounded = try files.sorted().flatMap { file in
            let text = try String(contentsOf: tests.appending(path: file), encoding: .utf8)
            return Self.unboundedLoops(in: text).map { "\(file):\($0)" }
        }
        #expect(unbounded == [])
    }

    @Test("a loop that only yields or sleeps is found, a loop with a count or a deadline is not")
    func found() {
        let text = """
            while a { await Task.yield() }
            while !b,
                c {
                try await Task.sleep(for: d)
            }
            while !Task.isCancelled { await Task.yield() }
            while e {
                tries += 1
                await Task.yield()
            }
            """
        #expect(Self.unboundedLoops(in: text) == [1, 2])
    }

    /// The lines, from 1, at which loops begin that yield or sleep and have neither a count nor a deadline.
    private static func unboundedLoops(in text: String) -> [Int] {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        return lines.indices.filter { start in
            guard lines[start].drop(while: { $0 == " " }).hasPrefix("while ") else { return false }
            let indent = lines[start].prefix { $0 == " " }
            let rest = lines[start...]
            let end = lines[start].hasSuffix("}") ? start : rest.firstIndex { $0 == indent + "}" } ?? start
            let loop = lines[start...end].joined(separator: "\n")
            // The last two are those of the soak tests, which run for a given time.
            let bounds = ["isCancelled", "deadline", "tries", "goesOn()", "shouldContinue()"]
            return loop.contains(/Task\.(yield|sleep)/) && !bounds.contains { loop.contains($0) }
        }.map { $0 + 1 }
    }
}
