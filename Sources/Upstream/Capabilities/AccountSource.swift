package import Brokerage

// What providers can do, one small protocol for each capability. A provider conforms to those that it has.
//
// A call carries what it takes from the operation that needs it, ends by that operation's deadline, and says in terms
// of what can be done about it why it failed. Symbols are Portico's own on both sides: each provider translates.

/// Knows a user's accounts with a broker, and what is in them.
package protocol AccountSource: Sendable {
    /// The accounts that the credential opens, the default one first, with their figures now.
    func accounts(in call: CallContext) async throws(ProviderFailure) -> [Account]

    /// Everything that these accounts hold; empty means that they hold nothing.
    func positions(in call: CallContext) async throws(ProviderFailure) -> [Position]

    /// An account's equity over time.
    ///
    /// - Parameters:
    ///   - account: the broker's own id of the account.
    ///   - range: how far back the points go.
    ///   - interval: the distance of two points; nil leaves the choice to the provider.
    ///   - call: how long the operation waits, and who is told of the call.
    /// - Returns: the points that the provider has of the range.
    /// - Throws: `ProviderFailure`, with the cause `unsupported` for an interval that the provider does not have, or where
    ///   it keeps no history.
    func history(
        of account: String, _ range: HistoryRange, interval: Interval?, in call: CallContext
    ) async throws(ProviderFailure) -> EquityHistory
}

/// A source that lists its accounts without their figures, and needs calls of its own for each account.
package protocol AccountDirectory: AccountSource {
    /// The accounts of the credential, the default one first, without their figures.
    func knownAccounts(in call: CallContext) async throws(ProviderFailure) -> [StoredAccount]

    /// One of these accounts with its current figures.
    ///
    /// - Throws: `ProviderFailure`, with the cause `notFound` for an account that the credential cannot
    ///   access.
    func account(_ id: String, in call: CallContext) async throws(ProviderFailure) -> Account

    /// The positions of one of these accounts; empty if the account has none.
    ///
    /// - Throws: `ProviderFailure`, with the cause `notFound` for an account that the credential cannot
    ///   access.
    func positions(of account: String, in call: CallContext) async throws(ProviderFailure) -> [Position]
}

extension AccountDirectory {
    package func accounts(in call: CallContext) async throws(ProviderFailure) -> [Account] {
        try await ofEachAccount(in: call) { id, call throws(ProviderFailure) in
            try await account(id, in: call)
        }
    }

    package func positions(in call: CallContext) async throws(ProviderFailure) -> [Position] {
        try await ofEachAccount(in: call) { id, call throws(ProviderFailure) in
            try await positions(of: id, in: call)
        }.flatMap(\.self)
    }

    /// A value for each account, or the first failure: a part of the accounts must not count as all.
    private func ofEachAccount<Value: Sendable>(
        in call: CallContext,
        _ read:
            @escaping @Sendable (_ id: String, _ call: CallContext) async throws(ProviderFailure) -> Value
    ) async throws(ProviderFailure) -> [Value] {
        let ids = try await knownAccounts(in: call).map(\.id)
        let results = await concurrently(ids, atMost: 4) { id async throws(ProviderFailure) in
            try await read(id, call)
        }
        var values: [Value] = []
        for result in results { values.append(try result.get()) }
        return values
    }
}
