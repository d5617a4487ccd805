import Foundation

/// `portico serve` on a free port of this machine, for benchmarks and external tests.
package final class PorticoProcess {
    private let process = Process()
    package let port: Int

    package struct Failure: Error, CustomStringConvertible {
        package let description: String
    }

    /// Starts it, with an optional command prefix that pins it to a core, and waits until it listens.
    package init(_ command: [String], _ environment: [String: String]) throws {
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = command + ["serve", "--port", "0", "--log-level", "error"]
        process.environment = ProcessInfo.processInfo.environment
            .filter { !$0.key.hasPrefix("PORTICO_") }.merging(environment) { $1 }
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        var text = ""
        while true {
            let data = output.fileHandleForReading.availableData
            guard !data.isEmpty else { throw Failure(description: "portico has ended: \(text)") }
            text += String(decoding: data, as: UTF8.self)
            guard let match = text.firstMatch(of: /http:\/\/[^\/\s]*:([0-9]+)\/graphql/),
                let port = Int(match.1)
            else { continue }
            self.port = port
            return
        }
    }

    package var isRunning: Bool { process.isRunning }

    package func stop() {
        process.terminate()
        process.waitUntilExit()
    }

    /// Returns its resident memory in bytes.
    package func residentBytes() throws -> Int { try Self.residentBytes(of: processID) }

    package var processID: Int32 { process.processIdentifier }

    /// Returns the resident memory of a process in bytes.
    package static func residentBytes(of processID: Int32) throws -> Int {
        let path = "/proc/\(processID)/statm"
        let fields = try String(contentsOfFile: path, encoding: .utf8).split(separator: " ")
        guard let pages = fields.dropFirst().first.flatMap({ Int($0) }) else {
            throw Failure(description: "\(path) says nothing of the memory: \(fields)")
        }
        return pages * sysconf(Int32(_SC_PAGESIZE))
    }

    /// Starts it, runs a closure, and stops it.
    package static func with<Value>(
        _ command: [String], _ environment: [String: String], _ work: (PorticoProcess) async throws -> Value
    ) async throws -> Value {
        let portico = try PorticoProcess(command, environment)
        defer { portico.stop() }
        return try await work(portico)
    }
}
