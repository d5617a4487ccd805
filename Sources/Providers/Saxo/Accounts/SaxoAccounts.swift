package import Brokerage
package import Upstream

extension SaxoClient: AccountDirectory {
    /// The accounts: `clients/me` and `accounts/me`, whose responses are stored for a minute.
    package func knownAccounts(in context: CallContext) async throws(ProviderFailure) -> [StoredAccount] {
        try await identity(in: context).accounts.map(\.known)
    }

    /// An account with its balance: `balances`.
    ///
    /// It is requested by account, since only then it is in the account's currency.
    package func account(_ id: String, in context: CallContext) async throws(ProviderFailure) -> Account {
        let account = try await listedAccount(id, in: context)
        return account.account(try await balance(of: account, in: context), fetchedAt: clock.wallTime())
    }

    /// The positions of an account: `netpositions`, page after page.
    ///
    /// They are requested by account, since only then the response names their account and is in the
    /// account's currency.
    package func positions(
        of account: String, in context: CallContext
    ) async throws(ProviderFailure) -> PositionList {
        try await positions(of: listedAccount(account, in: context), in: context)
    }

    func listedAccount(
        _ id: String, in context: CallContext
    ) async throws(ProviderFailure) -> SaxoAccount {
        guard let account = try await identity(in: context).accounts.first(where: { $0.key == id }) else {
            throw ProviderFailure(.saxo, .notFound)
        }
        return account
    }
}

extension SaxoClient {
    /// Whose connection this is, and the keys of its accounts, from memory or by two calls.
    func identity(in context: CallContext) async throws(ProviderFailure) -> SaxoIdentity {
        try await identities.identity(in: context) { context async throws(ProviderFailure) in
            let url = try address(.portfolio, ["v1", "clients", "me"])
            let user = try await get("client", .portfolio, url, in: context) { response throws(JSONError) in
                try SaxoUser(json: response.body)
            }
            var accounts = try await fetchAccounts(in: context)
            for index in accounts.indices where accounts[index].clientKey.isEmpty {
                accounts[index].clientKey = user.clientKey
            }
            return SaxoIdentity(user, accounts: accounts)
        }
    }

    private func fetchAccounts(in context: CallContext) async throws(ProviderFailure) -> [SaxoAccount] {
        let url = try address(.portfolio, ["v1", "accounts", "me"])
        // An account without its key cannot be read at all, and sums without it would be wrong.
        return try await completeList("accounts", .portfolio, url, of: SaxoAccount.self, in: context)
    }

    private func balance(
        of account: SaxoAccount, in context: CallContext
    ) async throws(ProviderFailure) -> SaxoBalance {
        let url = try address(
            .portfolio, ["v1", "balances"],
            [("ClientKey", account.clientKey), ("AccountKey", account.key)])
        return try await get("balance", .portfolio, url, in: context) { response throws(JSONError) in
            try SaxoBalance(json: response.body)
        }
    }

    private func positions(
        of account: SaxoAccount, in context: CallContext
    ) async throws(ProviderFailure) -> PositionList {
        let url = try address(
            .portfolio, ["v1", "netpositions"],
            [
                ("ClientKey", account.clientKey), ("AccountKey", account.key),
                ("FieldGroups", "NetPositionBase,NetPositionView,DisplayAndFormat"),
                ("$top", Self.pageSize),
            ])
        let sent = try await list("positions", .portfolio, url, of: SaxoNetPosition.self, in: context)
        let held = sent.items.filter { !$0.isSquare }
        let listings = try await listings(
            of: held.map { ($0.base.key, $0.format) }, in: context)
        let fetchedAt = clock.wallTime()
        var positions = PositionList([], unreadable: sent.unreadable)
        for item in held {
            if let listing = listings[item.base.key],
                let position = item.position(of: account, listing, fetchedAt: fetchedAt)
            {
                positions.positions.append(position)
            } else {
                positions.unreadable.append("Data.NetPositionBase: no symbol or amount that Portico can have")
            }
        }
        return positions
    }
}

/// The response of `GET /port/v1/balances` for one account, in the account's currency.
package struct SaxoBalance: JSONObjectDecodable, Hashable {
    package var currency: String?
    /// How reliable the figures are that depend on prices.
    var reliability: ValuationReliability?
    package var totalValue: Decimal?
    var cash: Decimal?
    var availableCash: Decimal?
    var blockedCash: Decimal?
    var notBooked: Decimal?
    var marginAvailable: Decimal?
    /// Saxo counts used margin below zero.
    package var marginUsed: Decimal?
    /// In per cent already.
    var marginUtilization: Decimal?

    package static let json = JSONFields(Self()) {
        $0.optional("Currency", \.currency)
        $0.optional("CalculationReliability", \.reliability) { reader throws(JSONError) in
            try reader.name(ValuationReliability.init(saxo:))
        }
        $0.optional("TotalValue", \.totalValue)
        $0.optional("CashBalance", \.cash)
        $0.optional("CashAvailableForTrading", \.availableCash)
        $0.optional("CashBlocked", \.blockedCash)
        $0.optional("TransactionsNotBooked", \.notBooked)
        $0.optional("MarginAvailableForTrading", \.marginAvailable)
        $0.optional("MarginUsedByCurrentPositions", \.marginUsed)
        $0.optional("MarginUtilizationPct", \.marginUtilization)
    }
}

extension SaxoAccount {
    /// The account's stored fields in Portico's terms.
    var known: StoredAccount {
        StoredAccount(id: key, number: id, name: name, currency: currency)
    }

    /// The account's name; nil for an empty one.
    private var name: String? { displayName.flatMap { $0.isEmpty ? nil : $0 } }

    /// The account with its figures in Portico's terms.
    ///
    /// Figures are in the currency of the balance, which is the account's if the balance was requested with
    /// the account's key. Saxo does not return the buying power with margin, as it depends on the instrument,
    /// nor yesterday's value of the account. If Saxo could not value the positions, only the cash has figures.
    func account(_ balance: SaxoBalance, fetchedAt: Instant) -> Account {
        var account = Account(
            id: key, number: id, currency: balance.currency ?? currency,
            provenance: Provenance(source: .saxo, fetchedAt: fetchedAt))
        account.name = name
        // An active account may still be blocked in part.
        account.canTrade = isActive == false ? false : nil
        account.cash = balance.cash
        account.settledCash = balance.cash
        account.unsettledCash = balance.notBooked
        account.blockedCash = balance.blockedCash
        // The others contain the value of positions or their margin.
        guard balance.reliability?.hasFigures ?? true else { return account }
        account.equity = balance.totalValue
        account.availableCash = balance.availableCash
        account.marginAvailable = balance.marginAvailable.map { max($0, .zero) }
        account.marginUsed = balance.marginUsed.flatMap { try? $0.magnitude }
        account.marginUtilization = balance.marginUtilization
        return account
    }
}

/// The response of `GET /port/v1/clients/me`: the user's identity at Saxo.
package struct SaxoUser: JSONObjectDecodable, Hashable {
    /// A parameter of calls about the user's own data.
    package var clientKey = ""
    package var defaultAccountKey: String?

    package static let json = JSONFields(Self()) {
        $0.required("ClientKey", \.clientKey)
        $0.optional("DefaultAccountKey", \.defaultAccountKey)
    }
}

/// An item of `GET /port/v1/accounts/me`.
package struct SaxoAccount: JSONObjectDecodable, Hashable {
    /// A parameter of calls about the account, and Portico's id of it.
    var key = ""
    /// The number of the account that people use.
    package var id = ""
    /// Empty if the response has none that can be read.
    var clientKey = ""
    package var currency = FiatCurrency.none
    var displayName: String?
    var isActive: Bool?

    package static let json = JSONFields(Self()) {
        $0.required("AccountKey", \.key)
        // Members that cannot be read leave the account its others; without a currency no amount is converted.
        $0.optional("AccountId", \.id) { reader throws(JSONError) in
            try reader.readable { reader throws(JSONError) in try reader.idOrNil() } ?? ""
        }
        $0.optional("ClientKey", \.clientKey) { reader throws(JSONError) in
            try JSONReader.readable(&reader) ?? ""
        }
        $0.optional("Currency", \.currency) { reader throws(JSONError) in
            try JSONReader.readable(&reader) ?? FiatCurrency.none
        }
        $0.optional("DisplayName", \.displayName, JSONReader.readable)
        $0.optional("Active", \.isActive, JSONReader.readable)
    }
}

/// The user of a connection, and its accounts.
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

/// The identity of one connection, stored for a minute: every call about accounts needs its keys.
struct SaxoIdentityCache: Sendable {
    private let reads: ReadCache<SingleValueQuery, SaxoIdentity>
    private let scope: CacheScope?

    /// Each client has its own cache, so that the scope need not contain the connection; it contains its owner.
    init(of account: QuotaAccount, clock: TimeSource) {
        reads = ReadCache(
            "accounts", CacheBounds(entries: 1, bytes: 1 << 20), freshness: .fixed(.seconds(60)),
            weight: { identity in 512 * (identity.accounts.count + 1) }, time: clock)
        scope = OwnerID("connection \(account.credential ?? "")").map { .connection("", of: $0, at: .saxo) }
    }

    func identity(
        in context: CallContext,
        fetch: @escaping @Sendable (CallContext) async throws(ProviderFailure) -> SaxoIdentity
    ) async throws(ProviderFailure) -> SaxoIdentity {
        // There is always one: its text is not empty.
        guard let scope else { return try await fetch(context) }
        return try await reads.read(SingleValueQuery(), in: scope, for: context, load: fetch)
    }
}
