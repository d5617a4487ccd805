import Logging
import Synchronization

/// What all connections of a server share.
final class ServerState: Sendable {
    let configuration: ServerConfiguration
    let limits: ServerLimits
    let router: Router
    let load: ServerResources
    let logger: Logger
    let requestIDs = RequestIDGenerator()
    let date = DateHeaderCache()
    let flushRounds: FlushBatchers
    private let hasReportedProxy = Atomic(false)

    init(
        _ configuration: ServerConfiguration, router: Router, load: ServerResources,
        flushRounds: FlushBatchers,
        logger: Logger
    ) {
        self.configuration = configuration
        limits = configuration.limits
        self.router = router
        self.load = load
        self.flushRounds = flushRounds
        self.logger = logger
    }

    /// Reports once that a proxy on this machine forwards requests and is not trusted to name its clients.
    @Sendable
    func reportProxy() {
        guard !hasReportedProxy.exchange(true, ordering: .relaxed) else { return }
        logger.warning(
            """
            A proxy on this machine forwards requests, and is not trusted to name its clients: all of them count as \
            one address. Set trusted-proxies (PORTICO_TRUSTED_PROXIES) to the number of proxies that add to \
            X-Forwarded-For.
            """)
    }
}
