import Brokerage
import Foundation
import Gateway
import Logging
package import PorticoCore
import Storage
import Upstream
import Web

/// The settings of `portico serve`.
package struct ServeSettings {
    package let httpServer: HTTPServerSettings
    /// The data directory; nil to store data in memory only, or in ``database``.
    package let data: String?
    /// The PostgreSQL database; nil for none.
    let database: DatabaseSource?
    /// The Redis server that replicas share; nil for none.
    let redis: RedisSource?
    let logLevel: Logger.Level
    let logFormat: LogFormat
    /// The settings that have another value than their default, by name, for the log.
    let changed: [(name: String, value: String)]
    /// The collector of spans; nil for none.
    let collector: HTTPURL?
    package let market: ProviderMode
    /// The token of the owner of the server's broker credentials; nil for none.
    let ownerToken: OwnerToken?
    /// The source of the master key; nil for the file in the data directory.
    let masterKey: MasterKeySource?
    let userPolicy: UserPolicy
    /// The identity provider; nil for none.
    let identityProvider: IdentityProviderSettings?
    /// The address of Portico for its clients; nil for the host of each request.
    let publicURL: HTTPURL?
    /// The maximum of symbols of one provider's price feed for one client.
    let symbolsPerClient: Int
    /// The limits of the client that calls providers.
    let upstreamLimits: HTTPClientLimits
    /// The memory of users' own values, in bytes.
    let cacheMemory: Int
    /// The limits of a user's alerts, and where webhooks may be.
    let alertLimits: AlertStore.Limits
    let webhookPolicy: WebhookPolicy
    /// Whether the uses of the schema by clients are counted.
    let countsSchemaUse: Bool

    /// - Parameters:
    ///   - values: The settings that are set.
    ///   - sandbox: The sandbox that the executable contains; nil for none.
    /// - Throws: `UsageError` for an invalid setting, or for settings that exclude each other.
    package init(_ values: SettingValues, sandbox: (any EmbeddedSandbox.Type)?) throws {
        var httpServer = try HTTPServerSettings(values)
        data = try values[Settings.server.data]
        database = try DatabaseSource(values)
        redis = try RedisSource(values)
        // Checked also without a database and Redis.
        _ = try PostgresLimits(values)
        _ = try values[Settings.server.redisTimeout]
        logLevel = try values[Settings.logs.logLevel]
        logFormat = try values[Settings.logs.logFormat]
        changed = values.changed(among: Settings.all).sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
        collector = try ServeSettings.collector(values)
        market = try ProviderMode(values, host: httpServer.host, sandbox: sandbox)
        if market.isSandbox { httpServer.allowLocalPages(unlessSetIn: values) }
        self.httpServer = httpServer
        ownerToken = try values.content(of: Settings.users.ownerTokenFile).map { try OwnerToken($0) }
        masterKey = try MasterKeySource(values)
        // The directory that would contain the key's file does not exist.
        if let database, masterKey == nil {
            throw UsageError(
                "\(database.origin) needs \(Settings.users.masterKey.file.variable) or \(Settings.users.masterKey.value.variable)."
            )
        }
        userPolicy = try UserPolicy(values, market)
        identityProvider = try IdentityProviderSettings(values)
        publicURL = try values[Settings.http.publicURL]
        guard userPolicy.allowsPasswords || identityProvider != nil else {
            throw UsageError(
                "\(values.name(of: Settings.users.passwords)) is false, so that nobody could sign in. It needs \(values.name(of: Settings.identityProvider.issuer))."
            )
        }
        symbolsPerClient = try values[Settings.limits.maximumSymbolsPerClient]
        upstreamLimits = try HTTPClientLimits(values)
        cacheMemory = try values[Settings.limits.cacheMemory] << 20
        var alertLimits = AlertStore.Limits()
        alertLimits.alerts = try values[Settings.alerts.alertsPerUser]
        self.alertLimits = alertLimits
        webhookPolicy = WebhookPolicy(
            allowsTestReceivers: try values[Settings.alerts.webhookTestReceivers])
        let countsSchemaUse = try values[Settings.logs.schemaUsage]
        // Counts that end with the process would make a used element look unused.
        guard countsSchemaUse != true || data != nil else {
            throw UsageError(
                "\(values.name(of: Settings.logs.schemaUsage)) needs \(values.name(of: Settings.server.data))."
            )
        }
        self.countsSchemaUse = countsSchemaUse ?? (data != nil && !market.isSandbox)
    }

    /// The collector of spans; nil for none.
    ///
    /// A URL without a path gets the path `/v1/traces` (OTLP specification, "OTLP/HTTP Request").
    private static func collector(_ values: SettingValues) throws -> HTTPURL? {
        guard let url = try values[Settings.logs.otlp] else { return nil }
        let hasPath = url.text.split(separator: "/").count > 2
        return hasPath ? url : url.appending(path: "v1", "traces") ?? url
    }
}

/// The providers of a server.
package enum ProviderMode {
    /// The embedded sandbox, with its well-known token.
    case sandbox(any EmbeddedSandbox.Type, SandboxOptions)
    case providers(ProviderSettings)

    /// The sandbox is implied only on a loopback address: a mistyped variable must not start a public server
    /// with a public token.
    init(_ values: SettingValues, host: String, sandbox: (any EmbeddedSandbox.Type)?) throws {
        let isAsked = try values[Settings.server.sandbox]
        let time = try values[Settings.server.sandboxTime]
        var options = SandboxOptions()
        options.time = time
        options.hours = try values[Settings.server.sandboxHours]
        let providers = try ProviderSettings(values)
        guard let sandbox else {
            self = try .providers(
                ProviderMode.withoutSandbox(values, providers, isAsked: isAsked, time: time))
            return
        }
        switch (isAsked, providers.isEmpty) {
        case (true, true): self = .sandbox(sandbox, options)
        case (nil, true) where HTTPServerSettings.isLoopback(host):
            self = .sandbox(sandbox, options)
        case (false, false) where time != nil, (nil, false) where time != nil:
            throw UsageError(
                "\(values.name(of: Settings.server.sandboxTime)) and the settings of a provider exclude each other: "
                    + "leave one of them out.")
        case (false, false), (nil, false): self = .providers(providers)
        case (true, false):
            throw UsageError(
                "\(values.name(of: Settings.server.sandbox)) and the settings of a provider exclude each other: "
                    + "leave one of them out.")
        case (false, true):
            throw UsageError("No provider is configured and the sandbox is off. " + ProviderMode.remedy)
        case (nil, true):
            throw UsageError(
                "No provider is configured, and other machines may reach \(host). The sandbox, whose token is public, "
                    + "is then not enabled by default. " + ProviderMode.remedy)
        }
    }

    /// The providers of an executable that contains no sandbox.
    private static func withoutSandbox(
        _ values: SettingValues, _ providers: ProviderSettings, isAsked: Bool?, time: Instant?
    ) throws -> ProviderSettings {
        if isAsked == true || time != nil {
            throw UsageError(
                "\(isAsked == true ? values.name(of: Settings.server.sandbox) : values.name(of: Settings.server.sandboxTime)) needs the sandbox, which this "
                    + "executable does not contain. Run the executable portico (the image is built with it by "
                    + "PRODUCT=portico), or configure a provider.")
        }
        if providers.isEmpty {
            throw UsageError("No provider is configured. \(ProviderRegistry.example).")
        }
        return providers
    }

    private static let remedy =
        "\(ProviderRegistry.example), or enable the sandbox with \(Settings.server.sandbox)."

    /// Whether the server uses the embedded sandbox.
    var isSandbox: Bool {
        if case .sandbox = self { true } else { false }
    }

    /// The clock of the providers: stopped on a sandbox whose time is set.
    var clock: TimeSource {
        guard case .sandbox(_, let options) = self, let time = options.time else { return .system }
        // Deadlines and pauses use the system's clock, so that they end.
        return TimeSource(now: TimeSource.system.now, wallTime: { time }, sleep: TimeSource.system.sleep)
    }
}

/// The source of the pages at `/` and `/example/`.
enum ExplorerSettings: Hashable {
    case off
    /// A folder that has an `index.html`.
    case folder(String)
    /// No folder was named, and none is where an installation has it.
    case missing

    /// The value that disables the explorer.
    private static let offValue = "off"

    init(_ values: SettingValues, isProduction: Bool) throws {
        let text = try values[Settings.server.explorer]
        if isProduction || text?.lowercased() == ExplorerSettings.offValue {
            self = .off
        } else if let text {
            guard ExplorerSettings.hasPage(text) else {
                throw UsageError(
                    "\(values.name(of: Settings.server.explorer)) is \"\(text)\", which is not a directory with an "
                        + "index.html. Use the directory `Explorer` of Portico's sources, or "
                        + "\(ExplorerSettings.offValue) to disable the explorer.")
            }
            self = .folder(text)
        } else if let folder = ExplorerSettings.installed, ExplorerSettings.hasPage(folder) {
            self = .folder(folder)
        } else {
            self = .missing
        }
    }

    /// The folder of an installation: `share/portico/explorer` beside the `bin` that has the executable.
    private static var installed: String? {
        Bundle.main.executableURL?.resolvingSymlinksInPath().deletingLastPathComponent()
            .appending(path: "../share/portico/explorer").standardizedFileURL.path
    }

    private static func hasPage(_ folder: String) -> Bool {
        FileManager.default.isReadableFile(atPath: folder + "/index.html")
    }
}

/// How log lines are written.
enum LogFormat: String, CaseIterable {
    /// For people, to standard error.
    case text
    /// An object a line, to standard error, for those who collect logs.
    case json

    /// Makes what writes the lines of a logger.
    var handler: @Sendable (String) -> any LogHandler {
        switch self {
        case .text: { StreamLogHandler.standardError(label: $0) }
        case .json: { JSONLogHandler(label: $0) }
        }
    }
}

/// The PostgreSQL database of the settings, whose URL has a password.
struct DatabaseSource {
    private let text: String
    /// The name of the setting.
    let origin: String
    let limits: PostgresLimits

    /// The schema of the sandbox's users, which are never those of providers.
    static let sandboxSchema = "portico_sandbox"

    /// Nil if it is not set.
    ///
    /// - Throws: `UsageError` if a data directory is set, too.
    init?(_ values: SettingValues) throws {
        guard let text = try values[Settings.server.databaseURL] else { return nil }
        origin = values.name(of: Settings.server.databaseURL)
        guard try values[Settings.server.data] == nil else {
            throw UsageError(
                """
                \(origin) and \(values.name(of: Settings.server.data)) exclude each other: leave one of them out. An \
                empty variable counts as left out.
                """)
        }
        self.text = text
        limits = try PostgresLimits(values)
    }

    /// - Throws: `badDatabaseURL` for an invalid URL.
    func url(isSandbox: Bool) throws(StorageError) -> PostgresURL {
        try PostgresURL(text, origin: origin, schema: isSandbox ? Self.sandboxSchema : nil)
    }
}

extension PostgresLimits {
    /// The limits of the settings.
    fileprivate init(_ values: SettingValues) throws(UsageError) {
        self.init()
        connections = try values[Settings.server.databaseConnections]
        lookUp = .milliseconds(try values[Settings.server.databaseLookUpTimeout])
    }
}

extension HTTPClientLimits {
    /// The limits of the settings.
    fileprivate init(_ values: SettingValues) throws(UsageError) {
        self.init()
        connectionsPerHost = try values[Settings.limits.upstreamConnectionsPerHost]
        connections = try values[Settings.limits.upstreamConnections]
    }
}

extension DatabaseSource: CustomStringConvertible, CustomReflectable {
    var description: String { "DatabaseSource(\(origin))" }
    var customMirror: Mirror { Mirror(self, children: ["origin": origin]) }
}

/// The source of the master key, if it is not the file in the data directory.
struct MasterKeySource {
    private let text: String
    private let origin: String

    /// Nil if it is not set.
    ///
    /// - Throws: `UsageError` if it is set twice, or if its file cannot be read.
    init?(_ values: SettingValues) throws {
        guard let text = try values[Settings.users.masterKey] else { return nil }
        self.text = text
        origin = values.name(of: Settings.users.masterKey)
    }

    /// - Throws: `badMasterKey` for an invalid key.
    func key() throws(StorageError) -> MasterKey {
        try MasterKey(base64: text, origin: origin)
    }
}

extension MasterKeySource: CustomStringConvertible {
    var description: String { "MasterKeySource(\(origin))" }
}
