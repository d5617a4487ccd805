import ArgumentParser
import Foundation
import PorticoCore
import Upstream

/// The command `portico health`.
struct HealthCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "health",
        abstract: "Check whether a running server is ready; exit status 0 if it is, 1 if not.",
        discussion: HelpText.paragraphs(
            """
            It requests /health/ready at the admin port if one is set, else at the public port, with TLS if
            PORTICO_TLS_CERTIFICATE_FILE is set. The certificate of a server at a loopback address is not verified,
            because it names the public host.

            Examples:
              portico health
              portico health --port 9000
              portico health --url https://portico.example.com
            """))

    @Option(help: "The server's address. (default: PORTICO_ADMIN_HOST or PORTICO_HOST, else 127.0.0.1)")
    var host: String?

    @Option(help: "The server's port. (default: PORTICO_ADMIN_PORT or PORTICO_PORT, else 8080)")
    var port: String?

    @Option(help: "The server's address with its scheme, in place of the host and the port.")
    var url: String?

    func run() async throws {
        let address =
            if let url { url } else { try await origin() }
        let server = try HTTPURL.read(address, like: "https://portico.example.com")
        guard let request = server.appending(path: "health", "ready") else {
            throw UsageError("\(server) is not the address of a server: it has a query.")
        }
        var limits = HTTPClientLimits()
        limits.verifiesLoopbackCertificates = false
        let response = try await HTTPClient.with(
            limits: limits, userAgent: "portico-health/\(Version.current)"
        ) { client in
            await Result.of { () throws(HTTPClientError) in
                try await client.send(HTTPClientRequest(.get, request, deadline: .now + .seconds(3)))
            }
        }
        switch response {
        case .success(let response) where response.isSuccess:
            try Terminal.write("ready\n")
        case .success(let response):
            throw NotReadyError("\(server) responded with status \(response.status).")
        case .failure(let error):
            throw NotReadyError("\(server) did not respond: \(error).")
        }
    }

    /// The address of the server that the settings describe.
    private func origin() async throws -> String {
        let flags = ["host": host, "port": port].compactMapValues(\.self)
        let values = try SettingsLoader.load(
            flags: flags, environment: ProcessInfo.processInfo.environment)
        let publicHost = try values[Settings.server.host]
        if port == nil, let adminPort = try values[Settings.server.adminPort], adminPort != 0 {
            let adminHost = try values[Settings.server.adminHost] ?? publicHost
            return "http://\(URLAuthority.local(host ?? adminHost, port: adminPort))"
        }
        let scheme = try values[Settings.http.tlsCertificateFile] == nil ? "http" : "https"
        let port = try values.value(of: Settings.server.port, in: 1...65_535)
        return "\(scheme)://\(URLAuthority.local(publicHost, port: port))"
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
