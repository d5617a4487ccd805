import ArgumentParser
import Foundation
import Logging
import PorticoApp
import PorticoCore
import Sandbox
import ServiceLifecycle
import UnixSignals
import Web

/// The command `portico sandbox`.
struct SandboxCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sandbox",
        abstract: "Run the sandbox (simulated providers) alone, or control a running one.",
        discussion: HelpText.paragraphs(
            """
            Examples:
              portico sandbox --port 9000
              portico sandbox fault status --status 503 --provider alpaca
              portico sandbox calls
            """),
        subcommands: [SandboxRunCommand.self] + SandboxControl.commands,
        defaultSubcommand: SandboxRunCommand.self)
}

/// The command `portico sandbox run`.
struct SandboxRunCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run",
        abstract: "Run the sandbox alone, until interrupted.",
        discussion: HelpText.paragraphs(
            """
            The sandbox implements the HTTP APIs of the providers over one seeded market: the same seed at the same time
            gives the same responses. The command prints the environment variables with which a server uses it.

            Examples:
              portico sandbox
              portico sandbox --port 9000 --seed 7
            """))

    @Option(help: "The address to listen on.")
    var host = "127.0.0.1"

    @Option(help: "The port to listen on; 0 chooses a free port and prints it.")
    var port: UInt16 = 9000

    @Option(help: "The seed of the market.")
    var seed: UInt64 = 1

    @Option(help: "The trading hours: always (around the clock) or exchange (those of the real exchanges).")
    var hours = SandboxOptions.Hours.always

    func run() async throws {
        let logger = Logger(label: "sandbox", factory: { StreamLogHandler.standardError(label: $0) })
        let sandbox: Sandbox
        do {
            var configuration = SandboxConfiguration(host: host, port: Int(port), seed: seed, logger: logger)
            configuration.hours = MarketHours(hours)
            sandbox = try await Sandbox.start(configuration)
        } catch {
            throw ServerStartError(host: host, port: Int(port), error)
        }
        let service = SandboxService(sandbox)
        let variables = service.variables.map { "\($0.name)=\($0.value) \\\n" }.joined(separator: "    ")
        let message = StartupMessageService(
            text: """
                The sandbox listens on http://\(sandbox.address)

                  \(variables)    portico serve

                """)
        let group = ServiceGroup(
            services: [service, message], gracefulShutdownSignals: [.sigterm, .sigint], logger: logger)
        try await group.run()
    }
}

extension SandboxOptions.Hours: ExpressibleByArgument {}
