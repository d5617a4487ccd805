import Gateway
import Logging
import ServiceLifecycle
import Upstream

/// The connections that users have made, which are renewed as long as the house stands.
///
/// It ends before what carries the calls: a renewal that is under way has the only token that the next one can be made with.
struct ConnectionShutdownService: Service {
    let connectionService: ConnectionService

    func run() async throws {
        try await gracefulShutdown()
        await connectionService.close()
    }
}

// Logs name the service.
extension ConnectionShutdownService: CustomStringConvertible {
    var description: String { "Connections" }
}

/// Asks brokers what became of orders whose answers were lost, those that an earlier process left behind first.
struct OrderReconciliationService: Service {
    let services: GatewayServices
    let logger: Logger

    func run() async throws {
        let (backends, logger) = (services, logger)
        await cancelWhenGracefulShutdown {
            await OrderReconciliation(backends).run { error in
                logger.error("What became of orders cannot be written down or read. \(error)")
            }
        }
    }
}

// Logs name the service.
extension OrderReconciliationService: CustomStringConvertible {
    var description: String { "Orders" }
}

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
