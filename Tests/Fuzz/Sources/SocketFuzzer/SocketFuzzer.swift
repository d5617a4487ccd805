import Foundation
import SocketInputs
import TestSupport

/// Sends generated input to the sockets of a running `portico` until a failure or the last run.
///
/// `SocketFuzzer COMMAND …`, where the command runs `portico`. `FUZZ_RUNS` is the number of inputs,
/// `FUZZ_SEED` the seed of the first batch. A finding names the seed of its batch: with it, and the batch
/// size as runs, the same inputs are sent again.
@main
struct SocketFuzzer {
    /// The number of inputs between two checks of the server.
    private static let batch = 5_000

    static func main() async {
        do {
            try await fuzz()
        } catch {
            FileHandle.standardError.write(Data("\(error)\n".utf8))
            exit(1)
        }
    }

    private static func fuzz() async throws {
        let command = Array(CommandLine.arguments.dropFirst())
        guard !command.isEmpty else { throw Finding("Which portico? SocketFuzzer COMMAND …") }
        let runs = number("FUZZ_RUNS") ?? 1_000_000
        let seed = number("FUZZ_SEED").flatMap { $0 == 0 ? nil : $0 } ?? Int.random(in: 1...1_000_000_000)
        // The default limit is ten thousand connections.
        let environment = [
            "PORTICO_MAXIMUM_CONNECTIONS": "100000", "PORTICO_BATCH": "3", "PORTICO_HOSTS": "a,b,portico",
        ]
        try await PorticoProcess.with(command, environment) { portico in
            try await fuzz(portico, runs: runs, seed: seed)
        }
    }

    private static func number(_ variable: String) -> Int? {
        ProcessInfo.processInfo.environment[variable].flatMap { Int($0) }
    }

    private static func fuzz(_ portico: PorticoProcess, runs: Int, seed: Int) async throws {
        let start = ContinuousClock.now
        let clients = FuzzClients(port: portico.port)
        var memory: [Int] = []
        for first in stride(from: 0, to: runs, by: batch) {
            let batchSeed = seed + first / batch
            do {
                try await clients.send(min(batch, runs - first), seed: UInt64(batchSeed))
                try await probe(portico)
            } catch {
                let fate = portico.isRunning ? "" : " The server has died."
                throw Finding("FUZZ_SEED=\(batchSeed) FUZZ_RUNS=\(batch):\(fate) \(error)")
            }
            memory.append(try portico.residentBytes())
        }
        try await expectIdle(portico)
        let seconds = Int(start.duration(to: .now) / .seconds(1))
        let flat = try flatness(memory)
        print("\(runs) inputs in \(seconds) s, from seed \(seed): no finding; \(flat)")
        try await clients.close()
    }

    /// Checks that the server responds to other clients.
    private static func probe(_ portico: PorticoProcess) async throws {
        let client = try RawClient(port: portico.port, patience: 10)
        defer { client.close() }
        try await client.send(RawRequest.get("/health/live"))
        let response = try await client.response()
        guard response.status == 200 else { throw Finding("The probe was answered with \(response.status).") }
    }

    /// Waits until the server has detected the end of all clients.
    private static func expectIdle(_ portico: PorticoProcess) async throws {
        let client = try RawClient(port: portico.port)
        defer { client.close() }
        for _ in 0..<600 {
            try await client.send(RawRequest.get("/metrics"))
            let lines = try await client.response().body.split(separator: "\n")
            let gauges = [
                "portico_http_connections 1", "portico_http_streams 0", "portico_http_requests_in_flight 0",
            ]
            if gauges.allSatisfy({ gauge in lines.contains { $0 == gauge } }) { return }
            try await Task.sleep(for: .milliseconds(100))
        }
        throw Finding("Connections, streams or requests are left behind: see /metrics.")
    }

    /// Compares the final memory with that after a fifth of the runs, when buffers and caches have reached
    /// their size.
    private static func flatness(_ memory: [Int]) throws -> String {
        guard memory.count >= 20, let last = memory.last else { return "too few runs to speak of memory" }
        let early = memory[memory.count / 5]
        guard last <= early + early / 10 + (8 << 20) else {
            throw Finding(
                "The memory grows: from \(early >> 10) kB after a fifth of the runs to \(last >> 10) kB.")
        }
        return "from \(early >> 20) to \(last >> 20) MB"
    }
}

/// A failure of the server.
struct Finding: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}
