import Gateway
import Logging
import ServiceLifecycle
import Upstream

/// Closes users' connections, which are renewed until then.
///
/// It stops before the HTTP client: a renewal in progress holds the only token with which the next renewal
/// is possible.
struct ProviderConnectionShutdownService: Service {
    let connectionService: ConnectionService

    func run() async throws {
        try await gracefulShutdown()
        await connectionService.close()
    }
}

// Logs name the service.
extension ProviderConnectionShutdownService: CustomStringConvertible {
    var description: String { "Connections" }
}

/// Determines the outcome of orders whose responses were lost, beginning with those of an earlier process.
struct OrderReconciliationService: Service {
    let services: GatewayServices
    let logger: Logger

    func run() async throws {
        let (backends, logger) = (services, logger)
        await cancelWhenGracefulShutdown {
            await OrderReconciliation(backends).run { error in
                logger.error("The outcomes of orders cannot be recorded or read. \(error)")
            }
        }
    }
}

// Logs name the service.
extension OrderReconciliationService: CustomStringConvertible {
    var description: String { "Orders" }
}

/// Stops the HTTP client of provider calls at a graceful shutdown.
struct HTTPClientShutdownService: Service {
    let transport: HTTPClient

    func run() async throws {
        try await gracefulShutdown()
        await transport.shutDown()
    }
}

// Logs name the service.
extension HTTPClientShutdownService: CustomStringConvertible {
    var description: String { "Transport" }
}
