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
    ) async throws(ProviderFailure) -> [Position] {
        try await positions(of: listedAccount(account, in: context), in: context)
    }

    private func listedAccount(
        _ id: String, in context: CallContext
    ) async throws(ProviderFailure) -> SaxoAccount {
        guard let account = try await identity(in: context).accounts.first(where: { $0.key == id }) else {
            throw ProviderFailure(.saxo, .notFound)
        }
        return account
    }

    /// Saxo's OpenAPI, as far as its documents go, has none.
    package func history(
        of account: String, _ range: HistoryRange, interval: Interval?, in context: CallContext
    ) async throws(ProviderFailure) -> EquityHistory {
        throw ProviderFailure(.saxo, .unsupported)
    }
}

extension SaxoClient {
    /// Whose connection this is, and the keys of its accounts, from memory or by two calls.
    func identity(in context: CallContext) async throws(ProviderFailure) -> SaxoIdentity {
        try await identities.identity(in: context) { context async throws(ProviderFailure) in
            let url = try address(.portfolio, ["v1", "clients", "me"])
            let user = try await get("client", .portfolio, url, in: context) { response throws(JSONError) in
                try JSONReader.read(response.body) { reader throws(JSONError) in
                    try SaxoUser(json: &reader)
                }
            }
            return SaxoIdentity(user, accounts: try await fetchAccounts(in: context))
        }
    }

    private func fetchAccounts(in context: CallContext) async throws(ProviderFailure) -> [SaxoAccount] {
        let url = try address(.portfolio, ["v1", "accounts", "me"])
        return try await list("accounts", .portfolio, url, of: SaxoAccount.self, in: context)
    }

    private func balance(
        of account: SaxoAccount, in context: CallContext
    ) async throws(ProviderFailure) -> SaxoBalance {
        let url = try address(
            .portfolio, ["v1", "balances"],
            [("ClientKey", account.clientKey), ("AccountKey", account.key)])
        return try await get("balance", .portfolio, url, in: context) { response throws(JSONError) in
            try JSONReader.read(response.body) { reader throws(JSONError) in try SaxoBalance(json: &reader) }
        }
    }

    private func positions(
        of account: SaxoAccount, in context: CallContext
    ) async throws(ProviderFailure) -> [Position] {
        let url = try address(
            .portfolio, ["v1", "netpositions"],
            [
                ("ClientKey", account.clientKey), ("AccountKey", account.key),
                ("FieldGroups", "NetPositionBase,NetPositionView,DisplayAndFormat"),
                ("$top", Self.pageSize),
            ])
        let sent = try await list("positions", .portfolio, url, of: SaxoNetPosition.self, in: context)
        let held = sent.filter { !$0.isSquare }
        let listings = try await listings(
            of: held.map { ($0.base.key, $0.format) }, in: context)
        let fetchedAt = clock.wallTime()
        var positions: [Position] = []
        for item in held {
            guard let listing = listings[item.base.key],
                let position = item.position(of: account, listing, fetchedAt: fetchedAt)
            else { throw ProviderFailure(.saxo, .invalidResponse(nil)) }
            positions.append(position)
        }
        return positions
    }
}
