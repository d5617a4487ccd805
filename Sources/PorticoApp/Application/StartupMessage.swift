import Foundation
import ServiceLifecycle

/// The text that `portico serve` prints when it is ready.
struct StartupMessage {
    /// Scheme, address and port of the server.
    let origin: String
    var adminPort: Int?
    /// The address of the embedded sandbox; nil if providers are configured.
    let sandbox: String?
    var hasExplorer = false

    /// The address of the endpoint.
    var url: String { "\(origin)/graphql" }

    private var providerNotice: String {
        guard let sandbox else { return "It uses the configured providers." }
        return """
            It uses the embedded sandbox; the token of its demo user is `sandbox`. To make a provider fail:
              portico sandbox fault status --status 503 --provider alpaca --url \(sandbox)
            """
    }

    private var exploring: String {
        hasExplorer ? "\nExplore it in a browser at \(origin)/" : ""
    }

    private var administration: String {
        adminPort.map { "\nHealth and metrics are on the admin port \($0)." } ?? ""
    }

    var text: String {
        """
        Portico \(Version.current) listens on \(url)
        \(providerNotice)\(exploring)\(administration)

          curl -s \(url) -H 'Content-Type: application/json' \\
            -H "Authorization: Bearer \(sandbox == nil ? "$PORTICO_TOKEN" : "sandbox")" \\
            -d '{"query": "{ account { equity cash currency positions { symbol quantity quote { price currency } } } }"}'

        """
    }
}

/// Prints the startup message.
///
/// It is a service because services start after the signal handlers: a client that reads the message may send SIGTERM
/// at once.
package struct StartupMessageService: Service {
    /// The message; nil if it would not have the format of the log.
    let text: String?
    /// Writes the same to the log.
    let log: @Sendable () -> Void

    package init(text: String?, log: @escaping @Sendable () -> Void = {}) {
        self.text = text
        self.log = log
    }

    package func run() async throws {
        if let text {
            print(text)
            fflush(nil)
        }
        log()
        try await gracefulShutdown()
    }
}

// Logs name the service.
extension StartupMessageService: CustomStringConvertible {
    package var description: String { "StartupMessage" }
}
