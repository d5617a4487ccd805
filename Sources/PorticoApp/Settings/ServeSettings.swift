package import Brokerage
import Foundation
import Gateway
import Logging
import PorticoCore
import Storage
import Upstream
import Web

/// What `portico serve` was told.
package struct ServeSettings {
    package let httpServer: HTTPServerSettings
    /// The folder that holds what is kept; nil to keep it in memory only.
    package let data: String?
    let logLevel: Logger.Level
    let logFormat: LogFormat
    /// Where a collector takes spans; nil where none does.
    let collector: HTTPURL?
    package let market: ProviderMode
    /// The token of the one who owns a server's broker keys; nil where nobody does.
    let ownerToken: OwnerToken?
    /// Where the key is that seals secrets; nil for the data folder's own.
    let masterKey: MasterKeySource?
    let userPolicy: UserPolicy
    /// How many symbols of one provider's price feed one client follows at once.
    let symbolsPerClient: Int

    /// - Parameters:
    ///   - settings: The given settings.
    ///   - sandbox: The sandbox that the executable contains; nil for none.
    /// - Throws: `UsageError` for an invalid setting, or for settings that exclude each other.
    package init(_ settings: SettingsLoader, sandbox: (any EmbeddedSandbox.Type)?) throws {
        httpServer = try HTTPServerSettings(settings)
        data = try settings.text(.data)
        logLevel = try ServeSettings.logLevel(settings)
        logFormat = try LogFormat(settings)
        collector = try settings.collector()
        market = try ProviderMode(settings, host: httpServer.host, sandbox: sandbox)
        ownerToken = try settings.contentOfFile(.ownerTokenFile).map { try OwnerToken($0) }
        masterKey = try MasterKeySource(settings)
        userPolicy = try UserPolicy(settings, market)
        symbolsPerClient =
            try settings.number(.maximumSymbolsPerClient) ?? QuoteFeedPolicy().symbolsPerClient
    }

    private static func logLevel(_ settings: SettingsLoader) throws -> Logger.Level {
        guard let text = try settings.text(.logLevel) else { return .info }
        guard let level = Logger.Level(rawValue: text.lowercased()) else {
            throw UsageError(
                "\(settings.name(of: .logLevel)) is \"\(text)\"; it takes one of "
                    + Logger.Level.allCases.map(\.rawValue).joined(separator: ", ") + ".")
        }
        return level
    }
}

/// The providers of a server.
package enum ProviderMode {
    /// The embedded sandbox, with its well-known token; the time is nil if the market's clock is not stopped.
    case sandbox(any EmbeddedSandbox.Type, at: Instant?)
    case providers(ProviderSettings)

    /// The sandbox is implied only where nobody else can reach it: a mistyped variable must not open a public
    /// server with a known token.
    init(_ settings: SettingsLoader, host: String, sandbox: (any EmbeddedSandbox.Type)?) throws {
        let isAsked = try settings.flag(.sandbox)
        let time = try ProviderMode.time(settings)
        let providers = try ProviderSettings(settings)
        guard let sandbox else {
            self = try .providers(
                ProviderMode.withoutSandbox(settings, providers, isAsked: isAsked, time: time))
            return
        }
        switch (isAsked, providers.isEmpty) {
        case (true, true): self = .sandbox(sandbox, at: time)
        case (nil, true) where Loopback.contains(host): self = .sandbox(sandbox, at: time)
        case (false, false) where time != nil, (nil, false) where time != nil:
            throw UsageError(
                "\(settings.name(of: .sandboxTime)) is for the sandbox, and a provider is configured: "
                    + "leave one of them out.")
        case (false, false), (nil, false): self = .providers(providers)
        case (true, false):
            throw UsageError(
                "\(settings.name(of: .sandbox)) and the settings of a provider exclude each other: "
                    + "leave one of them out.")
        case (false, true):
            throw UsageError("No provider is configured and the sandbox is off. " + ProviderMode.remedy)
        case (nil, true):
            throw UsageError(
                "No provider is configured, and \(host) may be reached by others, so the sandbox with its "
                    + "well-known token is not opened unasked. " + ProviderMode.remedy)
        }
    }

    /// The providers of an executable that contains no sandbox.
    private static func withoutSandbox(
        _ settings: SettingsLoader, _ providers: ProviderSettings, isAsked: Bool?, time: Instant?
    ) throws -> ProviderSettings {
        if isAsked == true || time != nil {
            throw UsageError(
                "\(settings.name(of: isAsked == true ? .sandbox : .sandboxTime)) needs the sandbox, which this "
                    + "executable does not contain. Run the executable portico (the image is built with it by "
                    + "PRODUCT=portico), or configure a provider.")
        }
        if providers.isEmpty {
            throw UsageError("No provider is configured. \(providerRemedy).")
        }
        return providers
    }

    private static func time(_ settings: SettingsLoader) throws -> Instant? {
        guard let text = try settings.text(.sandboxTime) else { return nil }
        guard let time = Instant(text) else {
            throw UsageError(
                "\(settings.name(of: .sandboxTime)) is \"\(text)\"; it takes a time in RFC 3339, like "
                    + "2026-11-20T16:00:00Z.")
        }
        return time
    }

    private static let providerRemedy =
        "Set \(SettingDefinition.alpacaKeyID.variable) and \(SettingDefinition.alpacaSecretKeyFile.variable) (or "
        + "\(SettingDefinition.alpacaTokenFile.variable)) or another provider's"

    private static let remedy =
        "\(providerRemedy), or ask for the sandbox with \(SettingDefinition.sandbox.description)."

    /// Whether the server uses the embedded sandbox.
    var isSandbox: Bool {
        if case .sandbox = self { true } else { false }
    }

    /// The clock of the providers: stopped on a sandbox whose time is set.
    var clock: TimeSource {
        guard case .sandbox(_, let time?) = self else { return .system }
        // Deadlines and pauses use the system's clock, so that they end.
        return TimeSource(now: TimeSource.system.now, wallTime: { time }, sleep: TimeSource.system.sleep)
    }
}

/// The addresses that only this machine can reach.
enum Loopback {
    static func contains(_ host: String) -> Bool {
        host == "localhost" || host == "::1" || isInLoopbackNetwork(host)
    }

    /// Whether it is an address of 127.0.0.0/8.
    private static func isInLoopbackNetwork(_ host: String) -> Bool {
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts.first == "127" && parts.allSatisfy { UInt8($0) != nil }
    }
}

/// Where the pages for people come from: the explorer at `/` and the example.
enum ExplorerSettings: Hashable {
    case off
    /// A folder that has an `index.html`.
    case folder(String)
    /// No folder was named, and none is where an installation has it.
    case missing

    /// The word that switches it off.
    private static let offValue = "off"

    init(_ settings: SettingsLoader, isProduction: Bool) throws {
        let text = try settings.text(.explorer)
        if isProduction || text?.lowercased() == ExplorerSettings.offValue {
            self = .off
        } else if let text {
            guard ExplorerSettings.hasPage(text) else {
                throw UsageError(
                    "\(settings.name(of: .explorer)) is \"\(text)\", which is no folder with an "
                        + "index.html. The folder `Explorer` of Portico's sources is one; "
                        + "\(ExplorerSettings.offValue) does without.")
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

    init(_ settings: SettingsLoader) throws {
        guard let text = try settings.text(.logFormat) else {
            self = .text
            return
        }
        guard let format = LogFormat(rawValue: text.lowercased()) else {
            throw UsageError(
                "\(settings.name(of: .logFormat)) is \"\(text)\"; it takes one of "
                    + LogFormat.allCases.map(\.rawValue).joined(separator: ", ") + ".")
        }
        self = format
    }

    /// Makes what writes the lines of a logger.
    var handler: @Sendable (String) -> any LogHandler {
        switch self {
        case .text: { StreamLogHandler.standardError(label: $0) }
        case .json: { JSONLogHandler(label: $0) }
        }
    }
}

/// Where the key is that seals the secrets of users, other than in the data folder.
struct MasterKeySource {
    private let text: String
    private let origin: String

    /// Nil where the settings name none.
    ///
    /// - Throws: `UsageError` where they name two, or a file that cannot be read.
    init?(_ settings: SettingsLoader) throws {
        guard let text = try settings.secret(.masterKey, orIn: .masterKeyFile) else { return nil }
        self.text = text
        origin = settings.name(of: try settings.text(.masterKey) == nil ? .masterKeyFile : .masterKey)
    }

    /// - Throws: `badMasterKey` for what is no key.
    func key() throws(StorageError) -> MasterKey {
        try MasterKey(base64: text, origin: origin)
    }
}

extension MasterKeySource: CustomStringConvertible {
    var description: String { "MasterKeySource(\(origin))" }
}
