import ArgumentParser
import Brokerage
import Foundation
import PorticoCore
import Upstream

/// `portico providers verify`.
struct ProvidersVerifyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract:
            "Call every endpoint that Portico reads with your own keys, and report what is unknown or missing.",
        discussion: HelpText.paragraphs(
            """
            The settings are those of `portico serve`: variables, or the file of --config. For a broker, set a key pair
            or an access token (PORTICO_ALPACA_KEY_ID with PORTICO_ALPACA_SECRET_KEY_FILE, PORTICO_SAXO_TOKEN_FILE). A
            provider without a credential is reported as not configured.

            Each response is read as `portico serve` reads it. The report has the members and names that Portico does not
            know, members that are missing, and values of another type, by their paths and without values. The calls
            spend the quotas of the keys, within the limits of the settings; a rate limit that ends within a minute is
            awaited. A running server does not count them.

            With --orders, a practice account (Alpaca paper, Saxo simulation) also gets an order of one unit with two
            exits far from the market, which is listed, replaced and cancelled. A live account is refused.

            Exit status 0: no differences; 1: differences, failed calls, or a step of the order; 2: wrong usage, or no
            provider is configured.

            Examples:
              portico providers verify
              portico providers verify --provider alpaca --symbol MSFT --format json
              portico providers verify --provider saxo --orders
            """))

    enum Format: String, ExpressibleByArgument, CaseIterable {
        case text, json
    }

    @Option(help: "Only this provider, such as alpaca or alpha-vantage; may be given more than once.")
    var provider: [String] = []

    @Option(help: "The symbol to read; may be given more than once. (default: AAPL)")
    var symbol: [String] = []

    @Option(help: "The form of the report: text or json.")
    var format = Format.text

    @Flag(help: "Place, list, replace and cancel an order in practice accounts.")
    var orders = false

    @Flag(help: "Report also the members that Portico knows and does not read.")
    var all = false

    @Option(help: "The configuration file, as of `portico serve`.")
    var config: String?

    @Option(help: "The provider file, as of `portico serve`.")
    var providers: String?

    func run() async throws {
        let flags = ["config": config, "providers": providers].compactMapValues(\.self)
        let values = try SettingsLoader.load(
            flags: flags, environment: ProcessInfo.processInfo.environment)
        let chosen = try chosen(of: ProviderSettings(values).providers)
        let symbols = try symbols()
        guard chosen.contains(where: \.provider.hasAccount) else {
            throw UsageError("No provider is configured. \(ProviderRegistry.example).")
        }
        let report = try await HTTPClient.with(userAgent: "portico/\(Version.current)") {
            try await verify(chosen, symbols, over: $0)
        }
        try Terminal.write(format == .json ? report.json : report.text)
        if !report.isClean { throw ExitCode(1) }
    }

    private typealias Choice = (id: ProviderID, provider: any ConfiguredProvider)

    private func chosen(of known: [Choice]) throws(UsageError) -> [Choice] {
        var chosen: [Choice] = []
        for name in provider {
            guard let choice = known.first(where: { $0.id.name.text == name.settingName }) else {
                throw UsageError(
                    "--provider \(name) is not a provider. The providers are: "
                        + known.map(\.id.name.text).joined(separator: ", ") + ".")
            }
            chosen.append(choice)
        }
        return chosen.isEmpty ? known : chosen
    }

    private func symbols() throws(UsageError) -> [Symbol] {
        var symbols: [Symbol] = []
        for text in symbol.isEmpty ? ["AAPL"] : symbol {
            guard let symbol = Symbol(typed: text) else {
                throw UsageError(
                    "--symbol \(text) is not a symbol. Write it like AAPL, VOD:XLON or EUR/USD.")
            }
            symbols.append(symbol)
        }
        return symbols
    }

    private func verify(
        _ chosen: [Choice], _ symbols: [Symbol], over transport: HTTPClient
    ) async throws(UsageError) -> VerificationReport {
        let log = VerificationLog()
        let clock = TimeSource.system
        let channels = ProviderChannelFactory(
            client: transport, ledger: QuotaLedger(clock: clock),
            monitor: ProviderMonitor(
                clock: clock, observe: { log.add($0) }, inspect: { log.add($2, in: $1, of: $0) }),
            clock: clock, retry: RetryPolicy())
        let opened = chosen.map { ($0.id, $0.provider.clients(over: channels)) }
        if orders, let live = opened.first(where: { $0.1?.orders != nil && $0.1?.environment == .live }) {
            throw UsageError(
                """
                --orders is refused, because the account of \(live.0) is live, where the order would be real. \
                Leave it out, or choose other providers with --provider.
                """)
        }
        var report = VerificationReport()
        for (id, clients) in opened {
            var result = VerificationReport.Provider(id: id)
            if let clients {
                let verification = ProviderVerification(
                    provider: id, clients: clients, symbols: symbols, log: log, clock: clock)
                let accounts = await verification.run()
                if orders, let trading = clients.orders, let account = accounts.first {
                    result.orderSteps = await OrderVerification(
                        verification: verification, trading: trading, account: account, symbol: symbols[0]
                    ).run()
                }
                await clients.settled()
                result.environment = clients.environment
                result.operations = log.operations(of: id).map {
                    VerificationReport.Operation($0, of: id, .recorded, showsKnown: all)
                }
            }
            report.providers.append(result)
        }
        return report
    }
}

extension String {
    /// The name of a provider as settings have it.
    fileprivate var settingName: String { replacing("_", with: "-").lowercased() }
}
