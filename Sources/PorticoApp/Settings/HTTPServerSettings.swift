import Brokerage
import Contract
import Coordination
import Foundation
import Gateway
import GraphQL
import GraphQLTools
import NIOCore
package import PorticoCore
import Storage
import Upstream
package import Web

/// The configuration of the HTTP server.
package struct HTTPServerSettings {
    package private(set) var server: ServerConfiguration
    /// The admin port; nil if it is off.
    let admin: ServerConfiguration?
    let documents: DocumentPolicy
    /// Nil if there are no tools.
    let tools: ToolSettings?
    /// The specification by which a gateway composes the schema with others; nil if none does.
    let subgraph: Subgraph?
    let explorer: ExplorerSettings
    /// How the engine treats operations.
    let executionOptions: ExecutionOptions
    /// The most calls to providers that one operation may make.
    let callsPerOperation: Int
    /// The most calls to providers that a client without a session, or with a guest session, may cause in a
    /// minute.
    let callsPerClient: Int
    /// The time between SIGTERM and the shutdown.
    let shutdownDelay: Duration

    package init(_ values: SettingValues) throws {
        let isProduction = try values[Settings.server.production]
        var server = ServerConfiguration(limits: try ServerLimits(values))
        server.host = try values[Settings.server.host]
        server.port = try values[Settings.server.port]
        server.tls = try TLSFiles(values)
        server.hosts = try HostPolicy(
            values[Settings.http.hosts] ?? [], named: values.name(of: Settings.http.hosts),
            listeningOn: server.host)
        server.cors.origins = try CORSPolicy.Origins(values)
        server.cors.allowedHeaders = try CORSPolicy.allowedHeaders(values)
        server.trustedProxies = try values[Settings.http.trustedProxies]
        server.metricsAudience = try values[Settings.logs.metrics]
        server.logsResponses = try values[Settings.logs.logResponses]
        admin = try ServerConfiguration(adminOf: server, values)
        if admin != nil { server.metricsAudience = .nobody }
        self.server = isProduction ? server.inProduction : server
        documents = try DocumentPolicy(values)
        tools = try ToolSettings(values)
        subgraph = try values[Settings.http.subgraph]
        // A gateway writes its own documents.
        if subgraph != nil, documents.runsOnlyTrusted {
            throw UsageError(
                """
                \(values.name(of: Settings.http.documentsOnly)) refuses the documents that a gateway writes for \
                \(values.name(of: Settings.http.subgraph)). Set only one of the two.
                """)
        }
        explorer = try ExplorerSettings(values, isProduction: isProduction)
        callsPerOperation = try values[Settings.limits.upstreamCallsPerOperation]
        callsPerClient = try values[Settings.limits.upstreamCallsPerClient]
        shutdownDelay = .seconds(try values[Settings.limits.shutdownDelay])
        executionOptions = HTTPServerSettings.executionOptions(isProduction: isProduction)
    }

    /// Allows the pages of development servers on this machine, for a sandbox that only this machine reaches.
    mutating func allowLocalPages(unlessSetIn values: SettingValues) {
        guard !values.isSet(Settings.http.corsOrigins), Self.isLoopback(host), server.allowsGET else {
            return
        }
        server.cors.origins = .loopback
    }

    static func isLoopback(_ host: String) -> Bool {
        host.lowercased() == "localhost" || IPAddress(host)?.isLoopback == true
    }

    package var host: String { server.host }
    /// 0 for a free one.
    package var port: Int { server.port }

    private static func executionOptions(isProduction: Bool) -> ExecutionOptions {
        var options = ExecutionOptions()
        if isProduction {
            options.validation.suggests = false
            // The limit of directives at one location: a client that sends more learns only that there are
            // too many.
            options.validation.maximumErrors = options.limits.directives
            options.limits.introspectionDepth = 0
        }
        return options
    }
}

/// The settings of the tools of language models.
struct ToolSettings {
    /// The names of the trusted mutations that are tools.
    let mutations: Set<String>
    /// The maximum value of the orders of a session on one day, by currency (ISO 4217).
    let orderLimits: [String: Brokerage.Decimal]

    /// Nil if there are no tools.
    ///
    /// - Throws: `UsageError` for an amount without a currency, and for settings without effect.
    fileprivate init?(_ values: SettingValues) throws {
        let (mutations, limits) = (Settings.http.mcpMutations, Settings.http.mcpOrderLimit)
        guard try values[Settings.http.mcp] else {
            let setting = values.isSet(mutations) ? mutations : limits
            guard !values.isSet(setting) else {
                throw UsageError(
                    "\(values.name(of: setting)) has no effect without \(values.name(of: Settings.http.mcp))=true."
                )
            }
            return nil
        }
        self.mutations = Set(try values[mutations] ?? [])
        var orderLimits: [String: Brokerage.Decimal] = [:]
        for text in try values[limits] ?? [] {
            let parts = text.split(separator: " ", omittingEmptySubsequences: false)
            guard parts.count == 2, let amount = Brokerage.Decimal(parts[0]), amount > .zero,
                parts[1].utf8.count == 3, parts[1].utf8.allSatisfy({ (0x41...0x5A).contains($0) }),
                orderLimits.updateValue(amount, forKey: String(parts[1])) == nil
            else {
                throw UsageError(
                    """
                    \(values.name(of: limits)) has "\(text)". Use an amount above 0 and a currency of ISO 4217, each \
                    currency once, such as `1000 USD, 5000 DKK`.
                    """)
            }
        }
        self.orderLimits = orderLimits
    }
}

extension ServerConfiguration {
    /// The configuration of the admin port; nil if it is off.
    fileprivate init?(adminOf server: ServerConfiguration, _ values: SettingValues) throws {
        guard let port = try values[Settings.server.adminPort] else {
            guard try values[Settings.server.adminHost] == nil else {
                throw UsageError(
                    "\(values.name(of: Settings.server.adminHost)) needs \(values.name(of: Settings.server.adminPort))."
                )
            }
            return nil
        }
        guard port == 0 || port != server.port else {
            throw UsageError(
                "\(values.name(of: Settings.server.adminPort)) is \(port), which is the public port. Choose another port."
            )
        }
        let host = try values[Settings.server.adminHost] ?? server.host
        var limits = ServerLimits()
        limits.connections = 512
        limits.drainTimeout = server.limits.drainTimeout
        self.init(host: host, port: port, limits: limits)
        // Probes name the pod's address, and collectors a name of the cluster.
        hosts = try HostPolicy(
            values[Settings.http.hosts] ?? [], named: values.name(of: Settings.http.hosts), listeningOn: host)
    }
}

extension ServerLimits {
    fileprivate init(_ values: SettingValues) throws {
        self.init()
        let limits = Settings.limits
        batch = try values[limits.batch]
        body = try values[limits.maximumBody]
        connections = try values[limits.maximumConnections]
        // The address of each connection is that of a proxy.
        let isBehindProxy = try values[Settings.http.trustedProxies] > 0
        connectionsPerAddress =
            try values[limits.maximumConnectionsPerAddress]
            ?? (isBehindProxy ? connections : connectionsPerAddress)
        requestsInFlight = try values[limits.maximumRequests]
        streamsPerClient = try values[limits.maximumStreamsPerClient]
        socketsPerClient = try values[limits.maximumSocketsPerClient]
        addressRate = CallRate(perSecond: try values[limits.requestsPerAddress])
        tokenRate = CallRate(perSecond: try values[limits.requestsPerToken])
        drainTimeout = .seconds(Int64(try values[limits.shutdownGracePeriod]))
    }
}

extension CallRate {
    /// A rate per second, with five times as many requests at once after a pause.
    fileprivate init(perSecond rate: Int) {
        self.init(burst: 5 * rate, every: .seconds(1) / max(1, rate))
    }
}

extension TLSFiles {
    /// Nil where neither file is named.
    fileprivate init?(_ values: SettingValues) throws {
        switch (try values[Settings.http.tlsCertificateFile], try values[Settings.http.tlsKeyFile]) {
        case (let chain?, let key?):
            self.init(certificateChain: chain, privateKey: key)
            certificateSetting = values.name(of: Settings.http.tlsCertificateFile)
            keySetting = values.name(of: Settings.http.tlsKeyFile)
        case (nil, nil): return nil
        case (nil, _?), (_?, nil):
            throw UsageError(
                "\(values.name(of: Settings.http.tlsCertificateFile)) and \(values.name(of: Settings.http.tlsKeyFile)) belong together: "
                    + "set both, or neither.")
        }
    }
}

extension HostPolicy {
    /// Parses `*` for any host, or hosts.
    ///
    /// - Parameters:
    ///   - hosts: The items of a setting or a flag.
    ///   - setting: The name of the setting in messages.
    ///   - host: The address that the server listens on.
    /// - Throws: `UsageError` for a text that is the host of no request.
    init(_ hosts: [String], named setting: String, listeningOn host: String) throws {
        let names = try normalizedList(
            hosts, of: setting, HostPolicy.normalized,
            remedy: "write each host in full, like portico.example.com or portico.example.com:8443")
        self = names.map { HostPolicy(listeningOn: host, names: $0) } ?? .any
    }
}

extension CORSPolicy.Origins {
    /// Parses `*` for any site, or sites with commas between them.
    fileprivate init(_ values: SettingValues) throws {
        guard let origins = try values[Settings.http.corsOrigins] else {
            self = .none
            return
        }
        let sites = try normalizedList(
            origins, of: values.name(of: Settings.http.corsOrigins), CORSPolicy.normalized,
            remedy: "write each site in full, as browsers do, like https://app.example.com")
        self = sites.map { .listed(Set($0)) } ?? .any
    }
}

extension CORSPolicy {
    /// Parses `*` for any request header, or names with commas between them; nil for any.
    fileprivate static func allowedHeaders(_ values: SettingValues) throws -> [String]? {
        guard let headers = try values[Settings.http.corsHeaders] else { return CORSPolicy.clientHeaders }
        return try normalizedList(
            headers, of: values.name(of: Settings.http.corsHeaders), CORSPolicy.normalizedHeader,
            remedy: "write names of header fields, like x-client-name")
    }
}

/// Normalizes the items of a list.
///
/// - Parameters:
///   - items: The items.
///   - setting: The name of the setting in messages.
///   - normalized: The normal form of an item; nil for an invalid item.
///   - remedy: The correct form of items.
/// - Returns: The items in their normal form; nil if one of them is `*`, which means all.
/// - Throws: `UsageError` for an invalid item.
private func normalizedList(
    _ items: [String], of setting: String, _ normalized: (String) -> String?, remedy: String
) throws -> [String]? {
    let normal = try items.filter { $0 != "*" }.map { item in
        guard let normal = normalized(item) else {
            throw UsageError("\(setting) has \"\(item)\"; \(remedy), or * for any.")
        }
        return normal
    }
    return items.contains("*") ? nil : normal
}

extension DocumentPolicy {
    /// Trusts the documents of a folder, those of a manifest, or where neither is named the ones that this Portico was
    /// built with.
    init(_ values: SettingValues) throws {
        let documents: [String]
        if let path = try values[Settings.http.documents] {
            do {
                documents = try DocumentPolicy.documents(at: path)
            } catch let error as UsageError {
                throw UsageError("\(values.name(of: Settings.http.documents)): \(error.message)")
            }
        } else {
            documents = try DocumentPolicy.documents(
                ofManifest: Contract.operationsManifest, at: "operations.json")
        }
        self.init(trusting: documents, runsOnlyTrusted: try values[Settings.http.documentsOnly])
    }

    private static func documents(at path: String) throws -> [String] {
        let values = try? URL(filePath: path).resourceValues(forKeys: [.isDirectoryKey])
        guard let isFolder = values?.isDirectory else {
            throw UsageError("\"\(path)\" is neither a directory nor a file.")
        }
        guard isFolder else { return try documents(ofManifest: InputFile(path: path).bytes, at: path) }
        let files = try DocumentFiles([path])
        let set = try DocumentSet(files.documents())
        if let finding = set.findings.first {
            throw UsageError("\(finding.places.first?.description ?? path): \(finding.message)")
        }
        let texts = try files.completeTexts().map { String(decoding: $0.bytes, as: UTF8.self) }
        do throws(GraphQLErrors) {
            return try texts + set.sentDocuments().compactMap(\.printed)
        } catch {
            throw UsageError("\(path): \(error.errors.map(\.message).joined(separator: " "))")
        }
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
    /// The time in which all users together may use up the limit of their attempts to connect once more.
    static let secondsOfConnects = 250

    /// Reads who may sign up, and the cost of password hashes.
    ///
    /// With real providers, sign-up is off unless it is set.
    init(_ values: SettingValues, _ market: ProviderMode) throws {
        self.init()
        switch market {
        case .sandbox: signUp = .open
        case .providers: signUp = .off
        }
        if let policy = try values[Settings.users.signUp] { signUp = policy }
        allowsPasswords = try values[Settings.users.passwords]
        passwordCost = try PasswordCost(values)
        sessions.grace = .seconds(try values[Settings.server.sessionGrace])
        limits.arrivals = CallRate(perHour: try values[Settings.limits.guestsPerAddress])
        // Otherwise a higher limit of one address would have no effect.
        limits.totalArrivals = limits.totalArrivals.union(limits.arrivals)
        limits.exports = CallRate(perHour: try values[Settings.limits.exportsPerUser])
        let connects = try values[Settings.limits.connectsPerUser]
        limits.connects = CallRate(perHour: connects)
        limits.connectsOfAddress = CallRate(perHour: 3 * connects)
        let totalConnects = try values[Settings.limits.connects]
        limits.totalConnects = CallRate(
            burst: totalConnects, every: .seconds(Self.secondsOfConnects) / totalConnects)
    }
}

extension PasswordCost {
    /// The cost of the settings.
    init(_ values: SettingValues) throws {
        self = PasswordCost(log2: try values[Settings.users.passwordCost]) ?? .standard
    }
}
