import ArgumentParser
import Foundation
import Logging
import ServiceLifecycle
import Web

/// The command `portico serve`.
struct ServeCommand<Product: Executable>: AsyncParsableCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "serve",
            abstract: "Answer GraphQL requests until told to stop.",
            discussion: """
                Every flag has an environment variable, PORTICO_ and its name in capitals, and a key of its name in the
                configuration file; a flag counts before a variable, a variable before the file. What a provider needs is
                set by variable or file only, so that no secret shows in a list of processes: PORTICO_ALPACA_BASE_URL,
                PORTICO_ALPACA_DATA_URL, PORTICO_ALPACA_ENVIRONMENT (paper or live), PORTICO_ALPACA_KEY_ID with
                PORTICO_ALPACA_SECRET_KEY or PORTICO_ALPACA_SECRET_KEY_FILE, or PORTICO_ALPACA_TOKEN or
                PORTICO_ALPACA_TOKEN_FILE. Users connect with brokers by consent where PORTICO_REDIRECT_URIS is set and an
                application: PORTICO_ALPACA_CLIENT_ID with PORTICO_ALPACA_CLIENT_SECRET_FILE, PORTICO_SAXO_APP_KEY with
                PORTICO_SAXO_APP_SECRET_FILE.

                SIGTERM and SIGINT stop it: requests in flight have PORTICO_SHUTDOWN_GRACE_PERIOD (30 seconds)
                to finish, new ones are refused with 503, and idle connections are closed at once. A request that takes
                longer gets 503.

                Examples:
                  portico serve
                  portico serve --port 0 --log-level debug
                  portico serve --host 0.0.0.0 --sandbox
                """)
    }

    @Option(help: "The address to listen on. (default: 127.0.0.1)")
    var host: String?

    @Option(help: "The port to listen on; 0 picks a free one and prints it. (default: 8080)")
    var port: String?

    @Option(help: "The folder that holds what is kept.")
    var data: String?

    @Flag(
        inversion: .prefixedNo,
        help:
            "Answer from the embedded stand-in. Implied where no provider is configured and --host is loopback."
    )
    var sandbox: Bool?

    @Option(help: "A configuration file, in JSON.")
    var config: String?

    @Option(help: "trace, debug, info, notice, warning, error or critical. (default: info)")
    var logLevel: String?

    @Option(help: "A file with the token of the one to whom the configured broker keys belong.")
    var ownerTokenFile: String?

    @Option(help: "Who may become a user: open, invitation or off. (default: open on the sandbox, else off)")
    var signUp: String?

    @Flag(
        inversion: .prefixedNo,
        help:
            "Keep to itself what strangers need not see: introspection, suggestions, the schema, the explorer, GET."
    )
    var production: Bool?

    @Option(
        help: """
            The folder of the explorer that stands at /, or off. (default: share/portico/explorer beside the \
            executable's bin)
            """)
    var explorer: String?

    @Option(help: "Where a collector takes spans (OTLP over HTTP, in JSON); no path stands for /v1/traces.")
    var otlp: String?

    func run() async throws {
        AvailableCPUs.limitEventLoops()
        MallocTuning.apply()
        let settings = try ServeSettings(
            await SettingsLoader.load(flags: flags, environment: ProcessInfo.processInfo.environment),
            sandbox: Product.sandbox)
        var logger = Logger(label: "portico", factory: settings.logFormat.handler)
        logger.logLevel = settings.logLevel
        try await Application.build(settings, logger: logger).run()
    }

    private var flags: [String: String] {
        let given = [
            "host": host, "port": port, "data": data, "sandbox": sandbox.map { String($0) }, "config": config,
            "log-level": logLevel, "owner-token-file": ownerTokenFile, "sign-up": signUp,
            "production": production.map { String($0) }, "explorer": explorer, "otlp": otlp,
        ]
        return given.compactMapValues(\.self)
    }
}
