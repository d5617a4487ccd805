import Brokerage
import Foundation
import Sandbox
import Upstream

/// The stand-ins for the providers in a process of their own, so that what they cost is not counted.
struct SandboxProcess {
    /// What the process is called with.
    static let argument = "sandbox"
    /// A Friday, 11:00 in New York.
    static let now = Instant("2026-11-20T16:00:00Z") ?? .earliest

    private let process: Process
    private let address: String

    /// Starts it.
    ///
    /// - Parameters:
    ///   - latency: Each of its answers comes so much later.
    ///   - polygon: Those of Polygon's stand-in come so much later instead; nil for no difference.
    /// - Throws: The error of the system if no process starts.
    init(latency: Duration, polygon: Duration? = nil) throws {
        process = Process()
        process.executableURL = URL(filePath: CommandLine.arguments[0])
        let times = [latency, polygon ?? latency].map { String($0 / .milliseconds(1)) }
        process.arguments = [Self.argument] + times
        let output = Pipe()
        process.standardOutput = output
        // The child ends when this end closes, however this process ends.
        process.standardInput = Pipe()
        try process.run()
        let line = output.fileHandleForReading.availableData
        address = String(decoding: line, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
    }

    func stop() {
        process.terminate()
        process.waitUntilExit()
    }

    func url(_ path: String) throws -> HTTPURL {
        guard let url = HTTPURL("http://\(address)/\(path)") else {
            throw BenchmarkError("no sandbox: \(address)")
        }
        return url
    }

    /// The process itself.
    ///
    /// - Parameter milliseconds: The latency of all providers, and that of Polygon.
    /// - Throws: The error of the sandbox if it does not start.
    static func run(latencies milliseconds: [Double]) async throws {
        var configuration = SandboxConfiguration(clock: .fixed(now))
        // What is measured in a moment is more than providers would bear in a minute.
        configuration.alpaca.tradingRequestsPerMinute = 100_000_000
        configuration.alpaca.dataRequestsPerMinute = 100_000_000
        configuration.alphaVantage.requestsPerDay = nil
        configuration.alphaVantage.burstInterval = nil
        configuration.polygon.requestsPerMinute = 100_000_000
        configuration.yahoo.requestsPerMinute = nil
        configuration.saxo.requestsPerMinute = 100_000_000
        let sandbox = try await Sandbox.start(configuration)
        let latency = milliseconds.first ?? 0
        if latency > 0 { _ = sandbox.faults.add(Fault(.latency(.milliseconds(latency)))) }
        // Latencies of one call add up.
        let more = (milliseconds.last ?? 0) - latency
        if more > 0 { _ = sandbox.faults.add(Fault(.latency(.milliseconds(more)), provider: .polygon)) }
        FileHandle.standardOutput.write(Data("\(sandbox.address)\n".utf8))
        await withCheckedContinuation { continuation in
            // A thread of its own, since reading blocks it.
            Thread.detachNewThread {
                while !FileHandle.standardInput.availableData.isEmpty {}
                continuation.resume()
            }
        }
        await sandbox.stop()
    }
}

struct BenchmarkError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}
