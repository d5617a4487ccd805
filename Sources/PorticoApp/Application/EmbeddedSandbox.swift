package import ArgumentParser
package import Brokerage
package import Logging
package import ServiceLifecycle

/// What differs between the executables `portico` and `portico-server`.
package protocol Executable: Sendable {
    /// The sandbox that the executable contains; nil for none.
    static var sandbox: (any EmbeddedSandbox.Type)? { get }
    /// Commands in addition to those of every executable.
    static var commands: [any ParsableCommand.Type] { get }
}

/// Simulated providers over one market, in the process of a server.
///
/// Its service ends at a graceful shutdown and stops the simulated providers.
package protocol EmbeddedSandbox: Service {
    /// Starts the simulated providers on a free port of the loopback interface.
    ///
    /// - Parameters:
    ///   - time: The time at which the market's clock is stopped, so that equal requests get equal responses;
    ///     nil for the system's clock.
    ///   - logger: The logger of the simulated providers.
    /// - Returns: The running sandbox.
    /// - Throws: If no port can be opened.
    static func start(at time: Instant?, logger: Logger) async throws -> any EmbeddedSandbox

    /// The environment variables that make a server use these simulated providers as the demo user.
    var environment: [String: String] { get }
}
