import Contract
import Foundation
import Gateway
import GraphQL
import GraphQLTools
import NIOCore
import PorticoCore
import Storage
package import Web

/// How the front door is set up.
package struct HTTPServerSettings {
    package let server: ServerConfiguration
    let documents: DocumentPolicy
    let explorer: ExplorerSettings
    /// How the engine treats operations.
    let executionOptions: ExecutionOptions
    /// The most calls to providers that one operation may make.
    let callsPerOperation: Int
    /// The most calls to providers that a client without a session, or with a guest session, may cause in a
    /// minute.
    let callsPerClient: Int

    static let standardCallsPerOperation = 50
    static let standardCallsPerClient = 60

    package init(_ settings: SettingsLoader) throws {
        let isProduction = try settings.flag(.production) ?? false
        var server = ServerConfiguration(limits: try ServerLimits(settings))
        server.host = try settings.text(.host) ?? server.host
        server.port = try settings.number(.port) ?? server.port
        server.tls = try TLSFiles(settings)
        server.hosts = try HostPolicy(
            settings.text(.hosts), named: settings.name(of: .hosts), listeningOn: server.host)
        server.cors.origins = try CORSPolicy.Origins(settings)
        server.trustedProxies = try settings.number(.trustedProxies) ?? server.trustedProxies
        server.metricsAudience = try MetricsAudience(settings)
        server.logsResponses = try settings.flag(.logAnswers) ?? false
        self.server = isProduction ? server.inProduction : server
        documents = try DocumentPolicy(settings)
        explorer = try ExplorerSettings(settings, isProduction: isProduction)
        callsPerOperation =
            try settings.number(.upstreamCallsPerOperation) ?? HTTPServerSettings.standardCallsPerOperation
        callsPerClient =
            try settings.number(.upstreamCallsPerClient) ?? HTTPServerSettings.standardCallsPerClient
        executionOptions = HTTPServerSettings.executionOptions(isProduction: isProduction)
    }

    package var host: String { server.host }
    /// 0 for a free one.
    package var port: Int { server.port }

    private static func executionOptions(isProduction: Bool) -> ExecutionOptions {
        var options = ExecutionOptions()
        if isProduction {
            options.validation.suggests = false
            // As many as directives at one place: who sends more wrong ones learns that they are too many.
            options.validation.maximumErrors = options.limits.directives
            options.limits.introspectionDepth = 0
        }
        return options
    }
}

extension ServerLimits {
    fileprivate init(_ settings: SettingsLoader) throws {
        self.init()
        batch = try settings.number(.batch) ?? batch
        body = try settings.number(.maximumBody) ?? body
        connections = try settings.number(.maximumConnections) ?? connections
        connectionsPerAddress =
            try settings.number(.maximumConnectionsPerAddress) ?? connectionsPerAddress
        requestsInFlight = try settings.number(.maximumRequests) ?? requestsInFlight
        streamsPerClient = try settings.number(.maximumStreamsPerClient) ?? streamsPerClient
        socketsPerClient = try settings.number(.maximumSocketsPerClient) ?? socketsPerClient
        addressRate = try settings.rate(.requestsPerAddress) ?? addressRate
        tokenRate = try settings.rate(.requestsPerToken) ?? tokenRate
        drainTimeout = try settings.number(.shutdownGracePeriod).map { .seconds(Int64($0)) } ?? drainTimeout
    }
}

extension SettingsLoader {
    /// So many requests a second, and five times as many at once after a pause.
    fileprivate func rate(_ setting: SettingDefinition) throws -> RateLimit? {
        try number(setting).map { RateLimit(perSecond: $0, burst: 5 * $0) }
    }
}

extension TLSFiles {
    /// Nil where neither file is named.
    fileprivate init?(_ settings: SettingsLoader) throws {
        switch (try settings.text(.tlsCertificateFile), try settings.text(.tlsKeyFile)) {
        case (let chain?, let key?): self.init(certificateChain: chain, privateKey: key)
        case (nil, nil): return nil
        case (nil, _?), (_?, nil):
            throw UsageError(
                "\(settings.name(of: .tlsCertificateFile)) and \(settings.name(of: .tlsKeyFile)) belong together: "
                    + "set both, or neither.")
        }
    }
}

extension HostPolicy {
    /// Parses `*` for any host, or hosts with commas between them.
    ///
    /// - Parameters:
    ///   - text: The value of a setting or a flag; nil if it is not set.
    ///   - setting: The name of the setting in messages.
    ///   - host: The address that the server listens on.
    /// - Throws: `UsageError` for a text that is the host of no request.
    init(_ text: String?, named setting: String, listeningOn host: String) throws {
        let names = try normalizedList(
            text ?? "", of: setting, HostPolicy.normalized,
            remedy: "write each host in full, like portico.example.com or portico.example.com:8443")
        self = names.map { HostPolicy(listeningOn: host, names: $0) } ?? .any
    }
}

extension CORSPolicy.Origins {
    /// Parses `*` for any site, or sites with commas between them.
    fileprivate init(_ settings: SettingsLoader) throws {
        guard let text = try settings.text(.corsOrigins) else {
            self = .none
            return
        }
        let sites = try normalizedList(
            text, of: settings.name(of: .corsOrigins), CORSPolicy.normalized,
            remedy: "write each site in full, as browsers do, like https://app.example.com")
        self = sites.map { .listed(Set($0)) } ?? .any
    }
}

/// Parses a list with commas between its items.
///
/// - Parameters:
///   - text: The list.
///   - setting: The name of the setting in messages.
///   - normalized: The normal form of an item; nil for one that is refused.
///   - remedy: How to write items.
/// - Returns: The items in their normal form; nil if one of them is `*`, which stands for all.
/// - Throws: `UsageError` for an item that is refused.
private func normalizedList(
    _ text: String, of setting: String, _ normalized: (String) -> String?, remedy: String
) throws -> [String]? {
    let items = text.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
    let normal = try items.filter { $0 != "*" }.map { item in
        guard let normal = normalized(item) else {
            throw UsageError("\(setting) has \"\(item)\"; \(remedy), or * for any.")
        }
        return normal
    }
    return items.contains("*") ? nil : normal
}

extension MetricsAudience {
    fileprivate init(_ settings: SettingsLoader) throws {
        switch try settings.text(.metrics)?.lowercased() {
        case nil, "local": self = .thisMachine
        case "on": self = .everyone
        case "off": self = .nobody
        case let text?:
            throw UsageError("\(settings.name(of: .metrics)) is \"\(text)\"; it takes on, off or local.")
        }
    }
}

extension DocumentPolicy {
    /// Trusts the documents of a folder, those of a manifest, or where neither is named the ones that this Portico was
    /// built with.
    init(_ settings: SettingsLoader) throws {
        let documents: [String]
        if let path = try settings.text(.documents) {
            do {
                documents = try DocumentPolicy.documents(at: path)
            } catch let error as UsageError {
                throw UsageError("\(settings.name(of: .documents)): \(error.message)")
            }
        } else {
            documents = try DocumentPolicy.documents(
                ofManifest: Contract.operationsManifest, at: "operations.json")
        }
        self.init(trusting: documents, runsOnlyTrusted: try settings.flag(.documentsOnly) ?? false)
    }

    private static func documents(at path: String) throws -> [String] {
        let values = try? URL(filePath: path).resourceValues(forKeys: [.isDirectoryKey])
        guard let isFolder = values?.isDirectory else {
            throw UsageError("\"\(path)\" is neither a folder nor a file.")
        }
        guard isFolder else { return try documents(ofManifest: InputFile(path: path).bytes, at: path) }
        return try OperationsFolder(path: path).documents.map { String(decoding: $0.bytes, as: UTF8.self) }
    }

    private static func documents(ofManifest json: [UInt8], at path: String) throws -> [String] {
        do throws(OperationManifest.Fault) {
            return try OperationManifest(json: json).operations.map(\.body)
        } catch {
            throw UsageError("\(path) \(error)")
        }
    }
}

extension UserPolicy {
    /// Reads who may become a user, and how dear a password is to guess.
    ///
    /// In front of somebody's own broker keys nobody else is expected: there users come only when asked for.
    init(_ settings: SettingsLoader, _ market: ProviderMode) throws {
        self.init()
        switch market {
        case .sandbox: signUp = .open
        case .providers: signUp = .off
        }
        if let text = try settings.text(.signUp) {
            guard let policy = SignUpPolicy(rawValue: text.lowercased()) else {
                throw UsageError(
                    "\(settings.name(of: .signUp)) is \"\(text)\"; it takes one of "
                        + SignUpPolicy.allCases.map(\.rawValue).joined(separator: ", ") + ".")
            }
            signUp = policy
        }
        passwordCost = try PasswordCost(settings)
        if let guests = try settings.number(.guestsPerAddress) {
            limits.arrivals = CallRate(perHour: guests)
        }
        if let exports = try settings.number(.exportsPerUser) { limits.exports = CallRate(perHour: exports) }
        if let connects = try settings.number(.connectsPerUser) {
            limits.connects = CallRate(perHour: connects)
            limits.connectsOfAddress = CallRate(perHour: 3 * connects)
        }
    }
}

extension PasswordCost {
    /// The cost that the settings name, else the standard one.
    init(_ settings: SettingsLoader) throws {
        let log2 = try settings.number(.passwordCost)
        self = log2.flatMap { PasswordCost(log2: $0) } ?? .standard
    }
}
