import Foundation
import TestSupport

/// The memory of active sessions: opened over HTTP, stored in the database, each used once.
struct SessionLoad {
    private let count: Int

    init(_ sizes: Sizes) {
        count = sizes.sessions
    }

    func run(_ command: [String]) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "portico-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let environment = ["PORTICO_DATA": folder.path, "PORTICO_GUESTS_PER_ADDRESS": "1000000"]
        var tokens: [String] = []
        try await PorticoProcess.with(command, environment) { portico in
            let client = try RawClient(port: portico.port)
            defer { client.close() }
            for _ in 0..<count { tokens.append(try await PorticoProcess.guest(over: client)) }
            try await use(tokens, over: client)
            report(try portico.residentBytes(), "\(count) active sessions")
        }
        try await PorticoProcess.with(command, environment) { portico in
            let client = try RawClient(port: portico.port)
            defer { client.close() }
            try await use(tokens, over: client)
            report(try portico.residentBytes(), "The same after a restart")
        }
    }

    /// Sends one request with each token.
    private func use(_ tokens: [String], over client: RawClient) async throws {
        for token in tokens {
            _ = try await PorticoProcess.query("{ viewer { id } }", token: token, over: client)
        }
    }

    private func report(_ bytes: Int, _ name: String) {
        Report.print("\(name): \(bytes >> 20) MB", target: "under 100 MB", isReached: bytes < 100 << 20)
    }
}
