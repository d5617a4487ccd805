import Foundation

/// The result of a run of `wrk` with one thread for each server.
struct WrkRun {
    let perSecond: Double
    /// The slowest of the servers.
    let p99: Duration
    /// The number of responses.
    let requests: Int

    /// Posts one body repeatedly to one server.
    ///
    /// - Throws: If wrk is missing or a request fails.
    init(port: Int, body: String, token: String?, connections: Int, seconds: Int) throws {
        try self.init(ports: [port], body: body, token: token, connections: connections, seconds: seconds)
    }

    /// Posts one body repeatedly to several servers at the same time, which share the number of connections.
    ///
    /// - Parameters:
    ///   - ports: The port of each server.
    ///   - cores: The core of each server's clients. Without it, clients run on each core that this process may use.
    ///   - body: The body of each request.
    ///   - token: The session's token; nil for requests without a session.
    ///   - connections: The number of connections to all servers.
    ///   - seconds: The time of the run.
    /// - Throws: If wrk is missing or a request fails.
    init(ports: [Int], cores: [Int]? = nil, body: String, token: String?, connections: Int, seconds: Int)
        throws
    {
        let file = FileManager.default.temporaryDirectory.appending(path: "portico-\(UUID().uuidString).json")
        try body.write(to: file, atomically: true, encoding: .utf8)
        defer { try? FileManager.default.removeItem(at: file) }
        var environment = ProcessInfo.processInfo.environment
        environment["BODY"] = file.path
        environment["TOKEN"] = token
        let runs = try ports.enumerated().map { index, port in
            try Self.start(
                cores.map { ["taskset", "--cpu-list", "\($0[index])"] } ?? [],
                ["--connections", "\(connections / ports.count)", "--duration", "\(seconds)s"], port,
                environment)
        }
        var (perSecond, p99, requests) = (0.0, Duration.zero, 0)
        for (process, output) in runs {
            let text = String(decoding: try output.readToEnd() ?? Data(), as: UTF8.self)
            process.waitUntilExit()
            guard process.terminationStatus == 0, !text.contains("Non-2xx"), !text.contains("Socket errors"),
                let rate = text.firstMatch(of: /Requests\/sec: *([0-9.]+)/).flatMap({ Double($0.1) }),
                let count = text.firstMatch(of: /([0-9]+) requests in/).flatMap({ Int($0.1) }),
                let latency = text.firstMatch(of: /\s99% *([0-9.]+)(us|ms|s)/), let number = Double(latency.1)
            else { throw BenchmarkError("wrk failed: \(text)") }
            perSecond += rate
            requests += count
            let duration: Duration =
                switch latency.2 {
                case "us": .microseconds(number)
                case "ms": .milliseconds(number)
                default: .seconds(number)
                }
            p99 = max(p99, duration)
        }
        (self.perSecond, self.p99, self.requests) = (perSecond, p99, requests)
    }

    private static func start(
        _ prefix: [String], _ options: [String], _ port: Int, _ environment: [String: String]
    ) throws -> (Process, FileHandle) {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments =
            prefix + ["wrk", "--threads", "1", "--latency", "--script", "Tests/Benchmarks/wrk/post.lua"]
            + options
            + ["http://127.0.0.1:\(port)/graphql"]
        process.environment = environment
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        return (process, output.fileHandleForReading)
    }
}
