import Coordination
import Gateway
import Logging
import ServiceLifecycle
import Storage
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

/// Determines the outcome of orders whose responses were lost, beginning with those of an earlier process.
struct OrderReconciliationService: Service {
    let services: GatewayServices
    let logger: Logger

    func run() async throws {
        let (services, logger) = (services, logger)
        await cancelWhenGracefulShutdown {
            await OrderReconciliation(services).run { error in
                logger.error("The outcomes of orders cannot be recorded or read. \(error)")
            }
        }
    }
}

/// Follows the orders of the journal to their end, without a client.
///
/// With PostgreSQL, the one process that holds a lease does so, so that one process follows an account.
///
/// It stops before the connections are closed.
struct OrderFollowingService: Service {
    let services: GatewayServices
    let logger: Logger

    func run() async throws {
        let (services, logger) = (services, logger)
        let work: @Sendable () async -> Void = {
            await OrderFollowing(services).run { error in
                logger.error("Orders cannot be followed, because the journal cannot be read. \(error)")
            }
        }
        await cancelWhenGracefulShutdown {
            await services.leases.hold("orders") { _ in await work() }
        }
    }
}

/// Evaluates the alerts of all users, and delivers messages to their webhooks.
///
/// With PostgreSQL, the one process that holds a lease does so: a message would otherwise be sent by each of them.
///
/// It stops before the connections are closed: an alert on a connection that is missing ends.
struct AlertEvaluationService: Service {
    let services: GatewayServices
    let evaluation: AlertEvaluation
    let logger: Logger

    func run() async throws {
        // Not the client of the providers: no connection is shared with receivers, and no limit.
        let client = try HTTPClient(userAgent: "portico-webhooks/\(Version.current)")
        let deliverer = WebhookDeliverer(services, over: client)
        let (evaluation, logger) = (evaluation, logger)
        let work: @Sendable () async -> Void = {
            async let evaluated: Void = evaluation.run { error in
                logger.error("Alerts cannot be read, or their firings cannot be stored. \(error)")
            }
            await deliverer.run { report in
                switch report {
                case .storage(let error):
                    logger.error(
                        "Messages to webhooks cannot be read, or outcomes cannot be stored. \(error)")
                case .failure(let webhook, let reason):
                    logger.info(
                        "A message could not be delivered to a webhook.",
                        metadata: ["webhook": "\(webhook)", "reason": "\(reason)"])
                }
            }
            await evaluated
        }
        let leases = services.leases
        await cancelWhenGracefulShutdown {
            await leases.hold("alerts") { _ in await work() }
        }
        await client.shutDown()
    }
}

/// Stops the HTTP client of provider calls at a graceful shutdown.
struct HTTPClientShutdownService: Service {
    let transport: HTTPClient

    func run() async throws {
        try await gracefulShutdown()
        await transport.shutDown()
    }
}
