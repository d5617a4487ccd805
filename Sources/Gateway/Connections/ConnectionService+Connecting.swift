import Brokerage
import Coordination
import PorticoCore
import Storage
import Synchronization
import Upstream

extension ConnectionService {
    /// Connects a user to a provider, or replaces the credential of an existing connection.
    ///
    /// Whether the user may have another connection is checked first; then the credential is tried by one
    /// call, before anything is stored. Calls count for the credential, whether the attempt succeeds or not.
    ///
    /// - Throws: `FieldError` RATE_LIMITED if the user, the address or all users together have made too many
    ///   attempts; PROVIDER_UNAVAILABLE if the calls of too many credentials without a
    ///   connection still count.
    func connect(
        _ input: ConnectProviderInput, for owner: OwnerID, from address: ClientOrigin, in call: CallContext
    ) async throws -> ProviderConnection {
        let connector = try connector(of: input.provider, argument: "input.provider")
        let old = try input.renew.map { try connection($0, of: owner, with: input.provider) }
        if old == nil,
            registry.connections(of: owner).count(where: { $0.stored != nil }) >= Self.maximumConnections
        {
            throw FieldError.tooManyConnections
        }
        guard input.realTimePrices != true || connector.offersRealTimePrices else {
            throw FieldError.argument(
                "input.realTimePrices", code: .unsupported,
                "\(input.provider.name.text) has no such choice: leave it out.", provider: input.provider)
        }
        try attempts.consume(owner, from: address, of: "attempts to connect with a provider")
        let (proof, environment): (SubmittedCredential, Environment)
        do {
            (proof, environment) = try await self.proof(
                input.credential, environment: input.environment ?? old?.environment, for: owner, connector)
            if let old, old.environment != environment {
                throw FieldError.argument(
                    "input.renew",
                    "It is a connection to \(old.environment.rawValue), not to \(environment.rawValue).")
            }
        } catch {
            // No credential was tried.
            attempts.refund(owner, from: address)
            throw error
        }
        var secret: Secret
        do {
            secret = try await connector.credential(for: proof, in: environment, by: call)
        } catch {
            throw FieldError(error, of: input.provider)
        }
        if input.realTimePrices ?? old?.takesRealTimePrices ?? false {
            secret = connector.takingRealTimePrices(secret)
        }
        let link = StoredConnection(
            id: old?.id ?? RandomID.make(), owner: owner, provider: input.provider, environment: environment,
            redirectURI: proof.redirectURI?.text, label: input.label ?? old?.label,
            connectedAt: clock.wallTime())
        let quotaAccount = store.quotaAccount(of: link, secret)
        guard hasCapacity(toTry: quotaAccount) else {
            throw FieldError(ProviderFailure(input.provider, .overloaded))
        }
        do {
            let (checked, best) = try await check(
                secret, of: link, spending: quotaAccount, connector, in: call)
            return old == nil
                ? try await add(checked, best, connector) : try await renew(checked, best, connector)
        } catch {
            retire(quotaAccount)
            throw error
        }
    }

    /// The submitted credential, and its environment.
    private func proof(
        _ credential: CredentialInput, environment: Environment?, for owner: OwnerID,
        _ connector: any ProviderConnector
    ) async throws -> (SubmittedCredential, Environment) {
        switch credential {
        case .apiKey(let key, let secret):
            return (
                .apiKey(key, secret: secret),
                try Self.environment(environment, of: connector, argument: "input.environment")
            )
        case .accessToken(let token):
            return (
                .accessToken(token),
                try Self.environment(environment, of: connector, argument: "input.environment")
            )
        case .authorization(let code, let state, let redirectURI):
            guard let pending = try await pending.complete(state, of: owner, at: connector.provider) else {
                throw FieldError.argument(
                    "input.credential.authorization.state",
                    """
                    It is unknown, used already or older than ten minutes: begin anew with `beginConnection`.
                    """)
            }
            guard pending.redirectURI.text == redirectURI else {
                throw FieldError.argument(
                    "input.credential.authorization.redirectUri",
                    "It is not the one that `beginConnection` was called with: begin anew.")
            }
            guard environment == nil || environment == pending.environment else {
                throw FieldError.argument(
                    "input.environment",
                    "It is not the one that `beginConnection` was called with: leave it out.")
            }
            return (
                .authorization(code: code, verifier: pending.verifier, redirectURI: pending.redirectURI),
                pending.environment
            )
        }
    }

    /// Tries a credential out.
    ///
    /// - Returns: the connection with the accounts that were found, and the credential, which may have been renewed.
    private func check(
        _ secret: Secret, of link: StoredConnection, spending quotaAccount: QuotaAccount,
        _ connector: any ProviderConnector, in call: CallContext
    ) async throws -> (StoredConnection, Secret) {
        let draft = UnsavedCredential(secret.bytes)
        guard
            let opened = connector.open(
                secret, of: link.reference, spending: quotaAccount, renewedIn: draft)
        else {
            throw FieldError.argument(
                "input.credential", "\(link.provider.name.text) cannot be connected with this credential.",
                provider: link.provider)
        }
        var link = link
        do throws(ProviderFailure) {
            link.accounts = try await opened.check(call).map(StoredAccount.init)
        } catch {
            throw FieldError(connecting: error)
        }
        return (link, Secret(draft.secret))
    }

    private func add(
        _ stored: StoredConnection, _ secret: Secret, _ connector: any ProviderConnector
    ) async throws -> ProviderConnection {
        switch try await store.add(stored, secret, maximum: Self.maximumConnections) {
        case .added:
            // The first version of a credential is 1.
            var connection = open(stored, secret, connector, version: 1)
            // The change may have been read back before, also with the credential of a renewal at another replica.
            switch registry.add(connection) {
            case nil: break
            case .replaced(let old): old.close()
            case .outdated(let newer):
                end(connection, wasUsed: false)
                connection = newer
            }
            didChange(connection)
            // The user may have been deleted after the connection was stored and before it was registered
            // here.
            guard try await store.contains(stored.id) else {
                removeAll(of: stored.owner)
                throw FieldError.noConnection(ProviderConnection.globalID(stored.id))
            }
            return connection
        case .tooMany:
            throw FieldError.tooManyConnections
        case .opensAlready(let other, let account):
            throw FieldError(
                .conflict,
                """
                Account \(account.number) is connected already, by "\(ProviderConnection.globalID(other))": name it in \
                `input.renew` to give it this credential.
                """, provider: stored.provider)
        }
    }

    private func renew(
        _ stored: StoredConnection, _ secret: Secret, _ connector: any ProviderConnector
    ) async throws -> ProviderConnection {
        let known = registry.connections(of: stored.owner).first { $0.id == stored.id }?.knownAccounts ?? []
        let missing = known.first { account in !stored.accounts.contains { $0.id == account.id } }
        if let missing {
            throw FieldError.argument(
                "input.renew",
                """
                The credential does not open account \(missing.number) of this connection: leave `renew` out to make \
                another connection of it.
                """, provider: stored.provider)
        }
        guard let version = try await store.renew(stored, secret) else {
            throw FieldError.noConnection(stored.id)
        }
        return try didRenew(stored, secret, version: version, connector)
    }

    /// Uses the credential of a renewal that was stored.
    ///
    /// Another replica may have stored a newer one that this process has read already; then that one remains in use.
    ///
    /// - Returns: The connection in memory.
    /// - Throws: NOT_FOUND if the connection was removed meanwhile.
    func didRenew(
        _ stored: StoredConnection, _ secret: Secret, version: Int, _ connector: any ProviderConnector
    ) throws(FieldError) -> ProviderConnection {
        let connection = open(stored, secret, connector, version: version)
        switch registry.replace(with: connection) {
        case nil:
            end(connection, wasUsed: false)
            throw FieldError.noConnection(stored.id)
        case .replaced(let old):
            end(old)
            return connection
        case .outdated(let newer):
            end(connection, wasUsed: false)
            return newer
        }
    }
}

extension StoredConnection {
    /// The part of the connection that a connector needs.
    var reference: ConnectionReference {
        ConnectionReference(environment: environment, redirectURI: redirectURI)
    }
}

extension SubmittedCredential {
    fileprivate var redirectURI: HTTPURL? {
        switch self {
        case .authorization(_, _, let redirectURI): redirectURI
        case .apiKey, .accessToken: nil
        }
    }
}

/// Limits how often credentials are tested: by user, by address, and by all users together.
struct ConnectAttempts: Sendable {
    private let byUser: CallRateLimiter<OwnerID>
    private let byAddress: CallRateLimiter<ClientOrigin>

    init(_ limits: CallLimits) {
        byUser = CallRateLimiter(perClient: limits.connects)
        byAddress = CallRateLimiter(perClient: limits.connectsOfAddress, total: limits.totalConnects)
    }

    /// Counts an attempt.
    ///
    /// `attempts` names the attempts in the message.
    func consume(_ owner: OwnerID, from address: ClientOrigin, of attempts: String) throws(FieldError) {
        do {
            try byUser.consume(owner)
        } catch {
            throw FieldError(error, of: attempts, "by this user")
        }
        do {
            try byAddress.consume(address)
        } catch {
            byUser.refund(owner)
            throw FieldError(error, of: attempts, "from this address")
        }
    }

    /// Removes an attempt from the count if no credential was tested.
    func refund(_ owner: OwnerID, from address: ClientOrigin) {
        byUser.refund(owner)
        byAddress.refund(address)
    }
}

extension FieldError {
    fileprivate static let tooManyConnections = FieldError.argument(
        "input",
        "A user may have \(ConnectionService.maximumConnections) connections. Remove one with `disconnectProvider` first."
    )
}

/// Stores a credential in memory during its test, before there is a connection.
final class UnsavedCredential: RotatingCredentialStore {
    // Replaced by a renewal on any task.
    private let state: Mutex<(secret: [UInt8], version: Int64)>

    init(_ secret: [UInt8]) {
        state = Mutex((secret, 1))
    }

    /// The one to keep.
    var secret: [UInt8] { state.withLock { $0.secret } }

    func load() async -> VersionedCredential? {
        state.withLock { VersionedCredential(secret: $0.secret, version: $0.version) }
    }

    func replace(_ secret: [UInt8], ifVersion version: Int64) async -> Int64? {
        state.withLock { state in
            guard state.version == version else { return nil }
            state = (secret, version + 1)
            return state.version
        }
    }
}
