import Sandbox
import ServiceLifecycle

/// The embedded sandbox, as long as the house stands.
struct SandboxService: Service {
    let sandbox: Sandbox

    func run() async throws {
        try await gracefulShutdown()
        await sandbox.stop()
    }
}

// Logs name the service, and would show all that it holds otherwise.
extension SandboxService: CustomStringConvertible {
    var description: String { "Sandbox on \(sandbox.address)" }
}
