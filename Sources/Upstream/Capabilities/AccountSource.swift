package import Brokerage

// The capabilities of providers, one small protocol for each. A provider conforms to those that it supports.
//
// A call gets its conditions from its operation, ends at the operation's deadline, and reports the cause of
// a failure by its consequence. Symbols are those of Portico in both directions: each provider maps them.

/// Reads a user's accounts at a broker and their contents.
package protocol AccountSource: Sendable {
    /// The accounts that the credential opens, the default one first, with their figures now.
    func accounts(in call: CallContext) async throws(ProviderFailure) -> [Account]

    /// Everything that these accounts hold; empty, without an unreadable position, means that they hold nothing.
    func positions(in call: CallContext) async throws(ProviderFailure) -> PositionList

    /// Returns an account's equity over time.
    ///
    /// - Parameters:
    ///   - account: The broker's account id.
    ///   - range: The range of the points.
    ///   - interval: The distance between two points; nil for the provider's default.
    ///   - call: The deadline and the recorder of the operation.
    /// - Returns: The points in the range.
    /// - Throws: `ProviderFailure`, with the cause `unsupported` for an interval that the provider does not
    ///   support, or if it has no history.
    func history(
        of account: String, _ range: DateRange, interval: Interval?, in call: CallContext
    ) async throws(ProviderFailure) -> EquityHistory
}

/// A source that lists its accounts without their amounts, and needs separate calls for each account.
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
    func positions(of account: String, in call: CallContext) async throws(ProviderFailure) -> PositionList
}

extension AccountDirectory {
    package func accounts(in call: CallContext) async throws(ProviderFailure) -> [Account] {
        try await ofEachAccount(in: call) { id, call throws(ProviderFailure) in
            try await account(id, in: call)
        }
    }

    package func positions(in call: CallContext) async throws(ProviderFailure) -> PositionList {
        try await ofEachAccount(in: call) { id, call throws(ProviderFailure) in
            try await positions(of: id, in: call)
        }.reduce([], +)
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

/// Reads the positions that were closed lately.
package protocol ClosedPositionSource: Sendable {
    /// The positions of an account that were closed since the broker's last netting, newest first.
    ///
    /// - Throws: `ProviderFailure`, with the cause `notFound` for an account that the credential cannot
    ///   access.
    func closedPositions(
        of account: String, in call: CallContext
    ) async throws(ProviderFailure) -> ReadableList<ClosedPosition>
}
