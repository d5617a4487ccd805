import Foundation
import TestSupport

/// The memory of active sessions: opened over HTTP, stored in the database, each used once.
struct SessionLoad {
    private let count: Int

    /// A server accepts 50 guests at once from one address.
    private static let guestsOfAddress = 50

    init(_ sizes: Sizes) {
        count = sizes.sessions
    }

    func run(_ command: [String]) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "portico-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let environment = ["PORTICO_DATA": folder.path, "PORTICO_TRUSTED_PROXIES": "1"]
        var tokens: [String] = []
        try await PorticoProcess.with(command, environment) { portico in
            let client = try RawClient(port: portico.port)
            defer { client.close() }
            for number in 0..<count {
                tokens.append(
                    try await PorticoProcess.guest(over: client, fields: [address(number)]))
            }
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

    private func address(_ number: Int) -> String {
        let address = number / Self.guestsOfAddress
        return "X-Forwarded-For: 10.0.\(address / 250).\(address % 250 + 1)"
    }

    /// Sends one request with each token.
    private func use(_ tokens: [String], over client: RawClient) async throws {
        for (number, token) in tokens.enumerated() {
            _ = try await PorticoProcess.query(
                "{ viewer { id } }", token: token, fields: [address(number)], over: client)
        }
    }

    private func report(_ bytes: Int, _ name: String) {
        Report.print("\(name): \(bytes >> 20) MB", target: "under 100 MB", isReached: bytes < 100 << 20)
    }
}
