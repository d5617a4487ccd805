package import ArgumentParser
package import Brokerage
package import Logging
package import ServiceLifecycle

/// What differs between the executables `portico` and `portico-server`.
package protocol ExecutableProduct: Sendable {
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
    ///   - options: The clock and the hours of the market.
    ///   - logger: The logger of the simulated providers.
    /// - Returns: The running sandbox.
    /// - Throws: If no port can be opened.
    static func start(_ options: SandboxOptions, logger: Logger) async throws -> any EmbeddedSandbox

    /// The address of its control API, as a URL.
    var address: String { get }

    /// The environment variables that make a server use these simulated providers as the demo user.
    var environment: [String: String] { get }
}

/// The clock and the trading hours of the sandbox's market.
package struct SandboxOptions: Sendable {
    /// The time at which the market's clock is stopped, so that equal requests get equal responses; nil for
    /// the system's clock.
    package var time: Instant?
    package var hours = Hours.always

    /// The trading hours.
    package enum Hours: String, Sendable, CaseIterable {
        /// Every market is open around the clock.
        case always
        /// The hours of the real exchanges.
        case exchange
    }

    package init() {}
}
