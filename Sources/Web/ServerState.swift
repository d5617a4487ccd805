import Logging

/// What all connections of a server share.
final class ServerState: Sendable {
    let router: Router
    let limits: ServerLimits
    let logger: Logger
    let connections: Connections
    let inFlight: InFlight
    let requestIDs = RequestIDs()
    let date = DateStamp()

    init(router: Router, limits: ServerLimits, logger: Logger) {
        self.router = router
        self.limits = limits
        self.logger = logger
        connections = Connections(limit: limits.connections)
        inFlight = InFlight(limit: limits.requestsInFlight)
    }
}
