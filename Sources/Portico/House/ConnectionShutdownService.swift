import Gateway
import ServiceLifecycle

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
