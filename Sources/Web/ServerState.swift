import Logging

/// What all connections of a server share.
final class ServerState: Sendable {
    let configuration: ServerConfiguration
    let limits: ServerLimits
    let router: Router
    let load: ServerLoad
    let logger: Logger
    let requestIDs = RequestIDs()
    let date = DateStamp()
    let flushRounds: FlushRounds

    init(
        _ configuration: ServerConfiguration, router: Router, load: ServerLoad, flushRounds: FlushRounds,
        logger: Logger
    ) {
        self.configuration = configuration
        limits = configuration.limits
        self.router = router
        self.load = load
        self.flushRounds = flushRounds
        self.logger = logger
    }
}
