import ServiceLifecycle
import Upstream

/// The connections to providers, as long as the house stands.
struct TransportService: Service {
    let transport: HTTPClient

    func run() async throws {
        try await gracefulShutdown()
        await transport.shutDown()
    }
}

// Logs name the service.
extension TransportService: CustomStringConvertible {
    var description: String { "Transport" }
}
