import ArgumentParser
import Foundation
import PorticoCore
import Upstream

/// The command `portico health`.
struct HealthCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "health",
        abstract: "Check whether a running server is ready; exit status 0 if it is, 1 if not.",
        discussion: """
            Examples:
              portico health
              portico health --port 9000
            """)

    @Option(help: "The server's address. (default: PORTICO_HOST, else 127.0.0.1)")
    var host: String?

    @Option(help: "The server's port. (default: PORTICO_PORT, else 8080)")
    var port: String?

    func run() async throws {
        let flags = ["host": host, "port": port].compactMapValues(\.self)
        let address = try HealthCommand.address(
            await SettingsLoader.load(flags: flags, environment: ProcessInfo.processInfo.environment))
        guard let url = HTTPURL("http://\(address)/health/ready") else {
            throw UsageError("\(address) is not a valid address.")
        }
        let transport = try HTTPClient(userAgent: "portico-health/\(Version.current)")
        let answer: Result<HTTPClientResponse, HTTPClientError>
        do throws(HTTPClientError) {
            answer = .success(
                try await transport.send(HTTPClientRequest(.get, url, deadline: .now + .seconds(3))))
        } catch {
            answer = .failure(error)
        }
        await transport.shutDown()
        switch answer {
        case .success(let response) where response.isSuccess:
            print("ready")
        case .success(let response):
            throw NotReadyError("\(address) responded with status \(response.status).")
        case .failure(let error):
            throw NotReadyError("\(address) did not respond: \(error)")
        }
    }

    /// The address for the request: a loopback address if the server listens on all addresses.
    private static func address(_ values: SettingValues) throws -> String {
        let port = try values.value(of: Settings.server.port, in: 1...65_535)
        switch try values[Settings.server.host] {
        case "0.0.0.0": return "127.0.0.1:\(port)"
        case "::": return "[::1]:\(port)"
        case let host: return host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
        }
    }
}

/// The server is not ready.
private struct NotReadyError: LocalizedError {
    let message: String

    init(_ message: String) {
        self.message = message
    }

    var errorDescription: String? { message }
}
