package import Brokerage
package import Upstream

extension SaxoClient: AccountSource {
    /// The accounts with their balances: `clients/me`, `accounts/me`, and `balances` of each.
    ///
    /// Balances are asked for by account, as only then they are in the account's currency. Which accounts there are is
    /// kept for a minute.
    package func accounts(in context: CallContext) async throws(ProviderFailure) -> [Account] {
        let identity = try await identity(in: context)
        let results = await concurrently(identity.accounts, atMost: Self.accountsAtOnce) {
            account async throws(ProviderFailure) in
            account.account(try await balance(of: account, in: context), fetchedAt: clock.wallTime())
        }
        return try Self.all(results)
    }

    /// What the accounts hold: `netpositions` of each, page after page.
    ///
    /// They are asked for by account, as only then the answer says whose they are, and converts to the account's currency.
    package func positions(in context: CallContext) async throws(ProviderFailure) -> [Position] {
        let identity = try await identity(in: context)
        let results = await concurrently(identity.accounts, atMost: Self.accountsAtOnce) {
            account async throws(ProviderFailure) in
            try await positions(of: account, in: context)
        }
        return try Self.all(results).flatMap(\.self)
    }

    /// Saxo's OpenAPI, as far as its documents go, has none.
    package func history(
        of account: String, _ range: HistoryRange, interval: Interval?, in context: CallContext
    ) async throws(ProviderFailure) -> EquityHistory {
        throw ProviderFailure(.saxo, .unsupported)
    }

    /// Few have more accounts, and each takes a place of the limit.
    private static var accountsAtOnce: Int { 4 }

    /// All values, or the first failure: some accounts must not pass for all.
    private static func all<Value>(
        _ results: [Result<Value, ProviderFailure>]
    ) throws(ProviderFailure) -> [Value] {
        var values: [Value] = []
        for result in results { values.append(try result.get()) }
        return values
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
            else { throw ProviderFailure(.saxo, .answerInvalid(nil)) }
            positions.append(position)
        }
        return positions
    }
}
