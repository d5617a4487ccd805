import Gateway
import Logging
import ServiceLifecycle

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
