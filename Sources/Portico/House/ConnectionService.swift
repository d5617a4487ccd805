import Gateway
import ServiceLifecycle

/// The connections that users have made, which are renewed as long as the house stands.
struct ConnectionService: Service {
    let desk: ConnectionDesk

    func run() async throws {
        try await gracefulShutdown()
        desk.close()
    }
}

// Logs name the service.
extension ConnectionService: CustomStringConvertible {
    var description: String { "Connections" }
}
