import Foundation

/// The result of one run of `wrk` with one thread.
struct WrkRun {
    let perSecond: Double
    let p99: Duration

    /// Posts one body repeatedly.
    ///
    /// - Throws: If wrk is missing or a request fails.
    init(port: Int, body: String, token: String, connections: Int, seconds: Int) throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "portico-\(UUID().uuidString).json")
        try body.write(to: file, atomically: true, encoding: .utf8)
        defer { try? FileManager.default.removeItem(at: file) }
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = [
            "wrk", "--threads", "1", "--connections", "\(connections)", "--duration", "\(seconds)s",
            "--latency",
            "--script", "Tests/Benchmarks/wrk/post.lua", "http://127.0.0.1:\(port)/graphql",
        ]
        process.environment = ProcessInfo.processInfo.environment.merging([
            "BODY": file.path, "TOKEN": token,
        ]) { $1 }
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let data = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        let text = String(decoding: data, as: UTF8.self)
        guard process.terminationStatus == 0, !text.contains("Non-2xx"), !text.contains("Socket errors"),
            let rate = text.firstMatch(of: /Requests\/sec: *([0-9.]+)/).flatMap({ Double($0.1) }),
            let latency = text.firstMatch(of: /\s99% *([0-9.]+)(us|ms|s)/), let number = Double(latency.1)
        else { throw BenchmarkError("wrk failed: \(text)") }
        perSecond = rate
        p99 =
            switch latency.2 {
            case "us": .microseconds(number)
            case "ms": .milliseconds(number)
            default: .seconds(number)
            }
    }
}
