import Brokerage
import Coordination
import PorticoCore
package import Storage
import Upstream

/// Connects users with providers, and disconnects them.
package final class ConnectionService: Sendable {
    /// As many connections as a user may have.
    package static let maximumConnections = 20
    let store: ConnectionStore
    private let leases: any Leases
    let registry: ProviderConnectionRegistry
    let connectors: [ProviderID: any ProviderConnector]
    let redirects: RedirectPolicy
    package let pending: PendingAuthorizations
    let clock: TimeSource
    let didChange: @Sendable (ProviderConnection) -> Void
    private let report: @Sendable (StorageError) -> Void
    /// Nil if no calls are counted.
    private let ledger: (any QuotaLimiter)?
    /// Consents that were begun, and credentials that were tried.
    let begins: ConnectAttempts
    let attempts: ConnectAttempts
    /// In which it is written down that a provider refuses a connection's credential, or takes it again.
    let rejectionQueue = KeyedTaskQueue<String>()

    /// - Parameters:
    ///   - store: The store of connections.
    ///   - leases: Exclude two exchanges of one credential.
    ///   - registry: The connections that are in memory.
    ///   - connectors: One for each provider that users can connect with.
    ///   - redirects: The addresses to which browsers may be redirected.
    ///   - clock: The clock of times and pauses.
    ///   - limits: The rates at which credentials may be tried.
    ///   - ledger: The ledger that counts the calls of connections.
    ///   - report: Receives the errors of stored connections that cannot be read.
    ///   - didChange: Called for each connection that was created, got another credential (with the
    ///     connection before the
    ///     change), or was removed, so that values that were read with it are no longer used.
    init(
        store: ConnectionStore, leases: any Leases, registry: ProviderConnectionRegistry,
        connectors: [any ProviderConnector], redirects: RedirectPolicy, clock: TimeSource,
        limits: CallLimits = CallLimits(),
        ledger: (any QuotaLimiter)? = nil, report: @escaping @Sendable (StorageError) -> Void = { _ in },
        didChange: @escaping @Sendable (ProviderConnection) -> Void
    ) {
        self.store = store
        self.leases = leases
        self.registry = registry
        self.connectors = Dictionary(connectors.map { ($0.provider, $0) }, uniquingKeysWith: { $1 })
        self.redirects = redirects
        self.clock = clock
        self.didChange = didChange
        self.ledger = ledger
        self.report = report
        begins = ConnectAttempts(limits)
        attempts = ConnectAttempts(limits)
        pending = PendingAuthorizations(clock: clock, store: store.authorizations)
    }

    // MARK: Consent

    /// Returns the address to which a user is sent for consent.
    ///
    /// - Throws: `FieldError` RATE_LIMITED if the user, the address or all users together have started too
    ///   many authorizations.
    func begin(
        _ provider: ProviderID, in environment: Environment?, redirectURI: String, for owner: OwnerID,
        from address: ClientOrigin
    ) async throws -> AuthorizationStart {
        let connector = try connector(of: provider, argument: "provider")
        let environment = try Self.environment(environment, of: connector, argument: "environment")
        let redirectURI = try redirects.address(redirectURI, argument: "redirectUri")
        let state = RandomID.make(words: 4)
        let page: OAuthConsentURL
        do {
            page = try connector.page(
                for: OAuthConsentRequest(environment: environment, redirectURI: redirectURI, state: state))
        } catch {
            throw FieldError(error, of: provider)
        }
        try begins.consume(owner, from: address, of: "authorizations")
        try await pending.begin(
            PendingAuthorization(
                owner: owner, provider: provider, environment: environment, redirectURI: redirectURI,
                verifier: page.verifier, expiresAt: clock.now() + PendingAuthorizations.lifetime),
            as: state)
        return AuthorizationStart(
            url: page.url.text, state: state, expiresAt: clock.wallTime() + PendingAuthorizations.lifetime)
    }

    // MARK: Learning

    /// Stores the accounts that a broker has listed for a connection, if they differ from those stored: an
    /// account may have been opened or closed.
    ///
    /// For a connection of the settings they are held in memory until the process ends.
    func learn(_ accounts: [StoredAccount], of connection: BrokerConnection) {
        let link = registry.connections(of: connection.owner).first { $0.id == connection.id }
        guard let link, link.knownAccounts != accounts else { return }
        registry.setAccounts(accounts, of: connection.id, of: connection.owner)
        guard link.stored != nil else { return }
        // No caller waits: if it cannot be stored, the next read reports it again.
        Task { [store] in try? await store.setAccounts(accounts, of: connection.id) }
    }

    // MARK: Parting

    /// Disconnects a user from a provider: deletes the credential and all values that were read with it.
    ///
    /// A read in flight is not cancelled.
    ///
    /// - Throws: `FieldError`: NOT_FOUND if the user has no such connection, CONFLICT while orders of it are
    ///   in progress.
    func disconnect(_ globalID: String, of owner: OwnerID) async throws {
        let connection = try connection(globalID, of: owner, with: nil)
        switch try await store.delete(connection.id, of: owner) {
        case .deleted: break
        case .unknown: throw FieldError.noConnection(globalID)
        case .ordersInProgress(let count):
            throw FieldError.ordersInProgress(count, "this connection's", "Disconnect the provider")
        }
        guard let removed = registry.remove(connection.id, of: owner) else { return }
        end(removed)
    }

    /// Ends a connection that is no longer in memory, or that was never there because another has a newer credential.
    func end(_ connection: ProviderConnection, wasUsed: Bool = true) {
        connection.close()
        if wasUsed { didChange(connection) }
        if let quotaAccount = connection.quotaAccount { retire(quotaAccount) }
    }

    /// Removes a quota account from the ledger, unless another connection uses it.
    func retire(_ quotaAccount: QuotaAccount) {
        guard !registry.spends(quotaAccount) else { return }
        ledger?.retire(quotaAccount)
    }

    /// Whether the ledger has room for a credential that is tried.
    func hasCapacity(toTry quotaAccount: QuotaAccount) -> Bool {
        ledger?.hasCapacity(toTry: quotaAccount) ?? true
    }

    /// The users with connections or pending authorizations in memory; a user can occur twice.
    var owners: [OwnerID] { registry.owners + pending.owners }

    /// Removes a user's connections and pending authorizations from memory, after the user and the rows have
    /// been deleted.
    func removeAll(of owner: OwnerID) {
        pending.removeAll(of: owner)
        for connection in registry.removeAll(of: owner) { end(connection) }
    }

    /// Stops background work at the end of the process, and waits for results that must be stored.
    package func close() async {
        let connections = registry.removeAll()
        for connection in connections { connection.close() }
        for connection in connections { await connection.settle() }
    }
}

/// The address to which a user is redirected, and the time until which the authorization is pending.
struct AuthorizationStart: Sendable {
    let url: String
    let state: String
    let expiresAt: Instant
}

extension ConnectionService {
    /// Opens all stored connections, without a call.
    ///
    /// A connection whose credential cannot be opened exists too: its user can renew or remove it.
    package func openAll() async throws(StorageError) {
        for stored in try store.all() { registry.add(try await open(stored, version: nil)) }
    }

    /// Opens a stored connection with its stored credential, without a call.
    ///
    /// - Parameters:
    ///   - stored: The connection.
    ///   - version: The version of the credential that was read with it; nil for that of the credential that is loaded.
    /// - Returns: The connection, without clients if its credential cannot be decrypted.
    /// - Throws: The error of the database.
    private func open(
        _ stored: StoredConnection, version: Int?
    ) async throws(StorageError) -> ProviderConnection {
        let credential: StoredCredential?
        do throws(StorageError) {
            credential = try await store.credentials.load(stored.credential)
        } catch {
            guard case .decryptionFailed = error else { throw error }
            credential = nil
        }
        return open(
            stored, credential?.secret, connectors[stored.provider],
            version: version ?? credential?.version ?? 0)
    }

    /// Applies the changes of users' connections that another process has stored.
    ///
    /// The changes of this process are among them, and have no effect. A connection in memory with a newer credential than the
    /// one that was read remains: this process has stored it in the meantime. A connection whose row is damaged is reported
    /// and no longer used: it has the state of one whose credential cannot be opened, until its row can be read. The others
    /// are not affected. If only the provider's refusal of the credential has changed, the connection takes its state and stays
    /// open.
    ///
    /// - Throws: `StorageError` if they cannot be read; some may have been applied.
    func reload(_ owners: Set<OwnerID>) async throws(StorageError) {
        // Before the read, which does not have connections that this process stores in the meantime.
        let known = owners.flatMap { registry.connections(of: $0) }.filter { $0.stored != nil }
        let changeCounts = known.reduce(into: [:]) { $0[ObjectIdentifier($1.health)] = $1.health.changeCount }
        let found = try await store.all(of: owners)
        for id in found.damaged {
            report(store.damage(of: id))
            guard let old = known.first(where: { $0.id == id }), var stored = old.stored, !stored.isDamaged
            else { continue }
            stored.isDamaged = true
            let closed = open(
                stored, nil, connectors[stored.provider], version: old.credentialVersion)
            if case .replaced(let replaced) = registry.replace(with: closed) { end(replaced) }
        }
        let ids = Set(found.connections.map(\.id) + found.damaged)
        for connection in known where !ids.contains(connection.id) {
            if let removed = registry.remove(connection.id, of: connection.owner) { end(removed) }
        }
        for connection in found.connections {
            let old = registry.connections(of: connection.owner).first { $0.id == connection.id }
            let version = found.credentialVersions[connection.id] ?? 0
            if let old, old.stored?.isUnchanged(in: connection) == true {
                // Two renewals can have the same time. The session of a consent reads each later version by itself.
                guard connection.redirectURI == nil, version > old.credentialVersion else {
                    // The failure of a connection that cannot be opened does not depend on its calls.
                    if old.quotaAccount != nil, let count = changeCounts[ObjectIdentifier(old.health)] {
                        old.health.adopt(rejectedSince: connection.rejectedAt, readAfter: count)
                    }
                    continue
                }
            }
            let new = try await open(connection, version: version)
            switch registry.add(new) {
            case nil: didChange(new)
            case .replaced(let replaced): end(replaced)
            case .outdated: end(new, wasUsed: false)
            }
        }
    }

    func open(
        _ stored: StoredConnection, _ secret: Secret?, _ connector: (any ProviderConnector)?,
        version: Int = 0
    ) -> ProviderConnection {
        let (store, id) = (store, stored.id)
        func health(_ cause: ProviderFailure.Cause?, since: Instant?) -> ConnectionHealth {
            let failure = cause.map {
                ConnectionHealth.Facts.Failure(cause: $0, since: since ?? clock.wallTime())
            }
            return ConnectionHealth(failure: failure, clock: clock) { [rejectionQueue] health in
                // No caller waits: if it cannot be stored, the next call after a restart reports it again.
                // Writes are queued, each with the facts at its time, so that the last one wins.
                _ = rejectionQueue.enqueue(id) {
                    guard let rejection = health.unstoredRejection else { return }
                    defer { health.didStore(rejection) }
                    try await store.setRejected(stored, at: rejection.since)
                }
            }
        }
        guard let connector, !stored.isDamaged else {
            let cause: ProviderFailure.Cause = stored.isDamaged ? .unauthorized : .unsupported
            return ProviderConnection(stored, nil, version: version, health: health(cause, since: nil))
        }
        guard let secret else {
            return ProviderConnection(
                stored, nil, version: version, health: health(.unauthorized, since: nil))
        }
        let credentialStore = ConnectionCredentialStore(
            of: stored.credential, in: store.credentials, under: leases)
        let quotaAccount = store.quotaAccount(of: stored, secret)
        guard
            let opened = connector.open(
                secret, of: stored.reference, spending: quotaAccount, renewedIn: credentialStore)
        else {
            return ProviderConnection(stored, nil, version: version, health: health(.unsupported, since: nil))
        }
        return ProviderConnection(
            stored, opened, version: version,
            health: health(stored.rejectedAt.map { _ in .unauthorized }, since: stored.rejectedAt),
            spending: quotaAccount)
    }
}

extension StoredConnection {
    /// Whether another read of the connection has the same values, compared in whole milliseconds like the database.
    fileprivate func isUnchanged(in other: StoredConnection) -> Bool {
        isDamaged == other.isDamaged && redirectURI == other.redirectURI && label == other.label
            && connectedAt.millisecondsSince1970 == other.connectedAt.millisecondsSince1970
    }
}

extension ConnectionService {
    /// A connection that its user has made.
    func connection(
        _ globalID: String, of owner: OwnerID, with provider: ProviderID?
    ) throws(FieldError) -> ProviderConnection {
        guard let id = ProviderConnection.id(ofGlobal: globalID),
            let connection = registry.connections(of: owner).first(where: { $0.id == id }),
            provider == nil || connection.provider == provider
        else { throw FieldError.noConnection(globalID) }
        guard connection.stored != nil else {
            throw FieldError(
                .forbidden, "This connection is part of the server's settings: it can be changed there only.")
        }
        return connection
    }

    func connector(
        of provider: ProviderID, argument: String
    ) throws(FieldError) -> any ProviderConnector {
        if let connector = connectors[provider] { return connector }
        let names = connectors.keys.map(\.name.text).sorted().joined(separator: ", ")
        throw FieldError(
            .unsupported,
            names.isEmpty
                ? "This server connects users with no provider."
                : "`\(argument)` is \(provider.name.text); users can be connected with \(names).",
            provider: provider)
    }

    static func environment(
        _ environment: Environment?, of connector: any ProviderConnector, argument: String
    ) throws(FieldError) -> Environment {
        let names = connector.environments.map(\.rawValue).joined(separator: ", ")
        guard let environment = environment ?? connector.environments.first,
            connector.environments.contains(environment)
        else {
            throw .argument(
                argument, "It can be \(names) for \(connector.provider.name.text).",
                provider: connector.provider)
        }
        return environment
    }
}
