import ArgumentParser
import Foundation
import Logging
import PorticoCore
import ServiceLifecycle
import Web

/// The command `portico serve`.
struct ServeCommand<Product: ExecutableProduct>: AsyncParsableCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "serve",
            abstract: "Serve GraphQL requests until interrupted.",
            discussion: HelpText.paragraphs(
                """
                Each flag also has an environment variable, PORTICO_ and its name in capitals with _ for -, and a key
                with its name in the configuration file. A flag takes precedence over a variable, a variable over the
                file. Settings of providers have no flags, because the list of processes would show secrets.

                For the server's own account, set PORTICO_ALPACA_KEY_ID with PORTICO_ALPACA_SECRET_KEY or
                PORTICO_ALPACA_SECRET_KEY_FILE, or set PORTICO_ALPACA_TOKEN or PORTICO_ALPACA_TOKEN_FILE. Optional:
                PORTICO_ALPACA_ENVIRONMENT (paper or live), PORTICO_ALPACA_BASE_URL, PORTICO_ALPACA_DATA_URL.

                For users who connect with brokers through OAuth, set PORTICO_REDIRECT_URIS and an application:
                PORTICO_ALPACA_CLIENT_ID with PORTICO_ALPACA_CLIENT_SECRET_FILE, or PORTICO_SAXO_APP_KEY with
                PORTICO_SAXO_APP_SECRET_FILE.

                SIGTERM and SIGINT stop the server. It refuses new requests with 503, closes idle connections at once,
                and gives requests in flight PORTICO_SHUTDOWN_GRACE_PERIOD (30 seconds) to finish. A request that takes
                longer gets 503. PORTICO_SHUTDOWN_DELAY is a time before that, in which it serves requests while
                its readiness is 503; a second signal ends this time.

                Examples:
                  portico serve
                  portico serve --port 0 --log-level debug
                  portico serve --host 0.0.0.0 --sandbox
                """))
    }

    @Option(help: .setting(Settings.server.host))
    var host: String?

    @Option(help: .setting(Settings.server.port))
    var port: String?

    @Option(help: .setting(Settings.server.data))
    var data: String?

    @Flag(inversion: .prefixedNo, help: .setting(Settings.server.sandbox))
    var sandbox: Bool?

    @Option(help: .setting(Settings.server.providers))
    var providers: String?

    @Option(help: .setting(Settings.server.config))
    var config: String?

    @Option(help: .setting(Settings.logs.logLevel))
    var logLevel: String?

    @Option(help: .setting(Settings.server.adminPort))
    var adminPort: String?

    @Option(help: .setting(Settings.server.adminHost))
    var adminHost: String?

    @Option(help: .setting(Settings.users.ownerTokenFile))
    var ownerTokenFile: String?

    @Option(help: .setting(Settings.users.signUp))
    var signUp: String?

    @Flag(inversion: .prefixedNo, help: .setting(Settings.server.production))
    var production: Bool?

    @Option(help: .setting(Settings.server.explorer))
    var explorer: String?

    @Option(help: .setting(Settings.logs.otlp))
    var otlp: String?

    func run() async throws {
        AvailableCPUs.limitEventLoops()
        let values = try SettingsLoader.load(
            flags: flags, environment: ProcessInfo.processInfo.environment)
        let settings = try ServeSettings(values, sandbox: Product.sandbox)
        var logger = Logger(label: "portico", factory: settings.logFormat.handler)
        logger.logLevel = settings.logLevel
        if !values.ignoredVariables.isEmpty {
            logger.notice(
                """
                Ignored variables that Kubernetes sets for Services: \
                \(values.ignoredVariables.joined(separator: ", ")). Set enableServiceLinks: false to remove them.
                """)
        }
        try await Application.build(settings, logger: logger).run()
    }

    private var flags: [String: String] {
        let given = [
            "host": host, "port": port, "data": data, "sandbox": sandbox.map { String($0) }, "config": config,
            "log-level": logLevel, "owner-token-file": ownerTokenFile, "sign-up": signUp,
            "production": production.map { String($0) }, "explorer": explorer, "otlp": otlp,
            "admin-port": adminPort, "admin-host": adminHost, "providers": providers,
        ]
        return given.compactMapValues(\.self)
    }
}

extension ArgumentHelp {
    /// The help of a setting's flag: the meaning, the keywords and the default, without Markdown.
    fileprivate static func setting<Value>(_ setting: Setting<Value>) -> ArgumentHelp {
        let definition = setting.definition
        var text = definition.help
        if case .keyword(let keywords) = definition.form {
            text += " Values: \(keywords.joined(separator: ", "))."
        }
        switch definition.standard {
        case .value(let value): text += " (default: \(value))"
        case .text(let description): text += " (default: \(description))"
        }
        return ArgumentHelp(stringLiteral: text.filter { $0 != "`" })
    }
}
