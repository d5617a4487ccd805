import Brokerage
import Upstream

/// The answer of `GET /port/v1/clients/me`: who the user is to Saxo.
struct SaxoUser: JSONDecodable, Hashable {
    /// What calls about the user's own are asked with.
    var clientKey: String
    var defaultAccountKey: String?

    init(json reader: inout JSONReader) throws(JSONError) {
        var (clientKey, defaultAccountKey) = (String?.none, String?.none)
        try reader.object { key, reader throws(JSONError) in
            switch key {
            case "ClientKey": clientKey = try reader.string()
            case "DefaultAccountKey": defaultAccountKey = try reader.stringOrNil()
            default: try reader.skip()
            }
        }
        self.clientKey = try reader.required(clientKey, "ClientKey")
        self.defaultAccountKey = defaultAccountKey
    }
}

/// An item of `GET /port/v1/accounts/me`.
struct SaxoAccount: JSONDecodable, Hashable {
    /// What calls about the account are asked with, and Portico's id of it.
    var key: String
    /// What people know it by.
    var id: String
    var clientKey: String
    var currency: String
    var displayName: String?
    var isActive: Bool?

    init(json reader: inout JSONReader) throws(JSONError) {
        var (accountKey, id, clientKey) = (String?.none, String?.none, String?.none)
        var (currency, displayName, isActive) = (String?.none, String?.none, Bool?.none)
        try reader.object { key, reader throws(JSONError) in
            switch key {
            case "AccountKey": accountKey = try reader.string()
            case "AccountId": id = try reader.idOrNil()
            case "ClientKey": clientKey = try reader.string()
            case "Currency": currency = try reader.string()
            case "DisplayName": displayName = try reader.stringOrNil()
            case "Active": isActive = try reader.boolOrNil()
            default: try reader.skip()
            }
        }
        self.key = try reader.required(accountKey, "AccountKey")
        self.id = try reader.required(id, "AccountId")
        self.clientKey = try reader.required(clientKey, "ClientKey")
        self.currency = try reader.required(currency, "Currency")
        self.displayName = displayName
        self.isActive = isActive
    }
}

/// Who a connection belongs to, and which accounts it opens.
struct SaxoIdentity: Hashable, Sendable {
    var user: SaxoUser
    /// The default one first.
    var accounts: [SaxoAccount]

    init(_ user: SaxoUser, accounts: [SaxoAccount]) {
        self.user = user
        let isDefault = { (account: SaxoAccount) in account.key == user.defaultAccountKey }
        self.accounts = accounts.filter(isDefault) + accounts.filter { !isDefault($0) }
    }
}

/// The identity behind one connection, kept for a minute: every call about accounts needs their keys.
struct SaxoIdentityCache: Sendable {
    private let reads: ReadCache<SaxoIdentity>
    private let owner: OwnerID?

    /// Each client has its own, so that the key need not tell connections apart; it names its owner all the same.
    init(of holder: QuotaAccount, clock: TimeSource) {
        reads = ReadCache(
            "accounts", bounds: CacheBounds(timeToLive: .seconds(60), entries: 1, bytes: 1 << 20),
            clock: clock
        ) { identity in 512 * (identity.accounts.count + 1) }
        owner = OwnerID("connection \(holder.credential ?? "")")
    }

    func identity(
        in context: CallContext,
        fetch: @escaping @Sendable (CallContext) async throws(ProviderFailure) -> SaxoIdentity
    ) async throws(ProviderFailure) -> SaxoIdentity {
        // There is always one: its text is not empty.
        guard let owner else { return try await fetch(context) }
        return try await reads.value(for: .private(of: owner, .saxo, "identity"), in: context, fetch: fetch)
    }
}
