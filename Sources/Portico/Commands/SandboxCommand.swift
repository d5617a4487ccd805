import ArgumentParser
import Foundation
import Logging
import Sandbox
import ServiceLifecycle
import UnixSignals
import Web

/// The command `portico sandbox`.
struct SandboxCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sandbox",
        abstract: "Run the stand-in for the providers alone, until told to stop.",
        discussion: """
            It speaks the providers' own HTTP over one seeded market: the same seed at the same time gives the same
            answers. A Portico elsewhere is pointed at it with the variables that it prints.

            Examples:
              portico sandbox
              portico sandbox --port 9000 --seed 7
            """)

    @Option(help: "The address to listen on.")
    var host = "127.0.0.1"

    @Option(help: "The port to listen on; 0 picks a free one and prints it.")
    var port: UInt16 = 9000

    @Option(help: "Which market is played.")
    var seed: UInt64 = 1

    func run() async throws {
        let logger = Logger(label: "sandbox", factory: { StreamLogHandler.standardError(label: $0) })
        let sandbox: Sandbox
        do {
            sandbox = try await Sandbox.start(
                SandboxConfiguration(host: host, port: Int(port), seed: seed, logger: logger))
        } catch {
            throw ServerStartError(host: host, port: Int(port), error)
        }
        let variables = sandbox.variables.map { "\($0.variable)=\($1) \\\n" }.joined(separator: "    ")
        let greeting = StartupMessageService(
            text: """
                The sandbox answers on http://\(sandbox.address)

                  \(variables)    portico serve

                """)
        let group = ServiceGroup(
            services: [SandboxService(sandbox: sandbox), greeting],
            gracefulShutdownSignals: [.sigterm, .sigint],
            logger: logger)
        try await group.run()
    }
}

extension Sandbox {
    /// What points a server at it.
    fileprivate var variables: [(SettingDefinition, String)] {
        [
            (.alpacaBaseURL, alpaca.tradingURL), (.alpacaDataURL, alpaca.dataURL),
            (.alpacaToken, SandboxUser.demo.alpaca.token),
            (.alpacaClientID, OAuthApplication.sandbox.clientID),
            (.alpacaClientSecret, OAuthApplication.sandbox.clientSecret ?? ""),
            (.alpacaAuthorizeURL, alpaca.authorizeURL), (.alpacaTokenURL, alpaca.tokenURL),
            (.redirectURIs, "http://localhost:3000/connected"),
            (.saxoBaseURL, saxo.gatewayURL),
            (.saxoToken, SandboxUser.demo.saxo?.credentials.accessToken ?? ""),
            (.saxoAppKey, FakeSaxoSettings().nativeApplication.clientID), (.saxoLoginURL, saxo.authURL),
            (.alphaVantageBaseURL, alphaVantage.baseURL),
            (.alphaVantageKey, FakeAlphaVantageSettings.demoKey),
            (.polygonBaseURL, polygon.baseURL), (.polygonKey, FakePolygonSettings.demoKey),
            (.yahoo, "true"), (.yahooBaseURL, yahoo.queryURL), (.yahooCookieURL, yahoo.cookieURL),
        ]
    }
}
