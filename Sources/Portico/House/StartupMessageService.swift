import Foundation
import ServiceLifecycle

/// Prints where the house stands.
///
/// It is a service because services begin when signals are heeded: whoever reads the greeting may at once send
/// SIGTERM, and it must not be too early.
struct StartupMessageService: Service {
    let text: String

    func run() async throws {
        print(text)
        fflush(nil)
        try await gracefulShutdown()
    }
}

// Logs name the service.
extension StartupMessageService: CustomStringConvertible {
    var description: String { "Greeting" }
}
