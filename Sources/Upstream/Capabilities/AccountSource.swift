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

/// Reads what a broker has booked in a user's accounts.
package protocol ActivitySource: Sendable {
    /// The shortest time between two changes of the broker's reports.
    ///
    /// A complete read contains all activities of the broker for this time.
    var activityReportInterval: Duration { get }

    /// Reads a page of the activities of an account.
    ///
    /// - Parameters:
    ///   - account: The broker's account id.
    ///   - query: The selection, and the page.
    ///   - call: The deadline and the recorder of the operation.
    /// - Returns: The page; the read is complete after the page without a next one.
    /// - Throws: `ProviderFailure`, with the cause `notFound` for an account that the credential cannot access.
    func activities(
        of account: String, _ query: ActivityQuery, in call: CallContext
    ) async throws(ProviderFailure) -> ActivityPage
}

/// Reads a user's watchlists at a broker.
package protocol WatchlistSource: Sendable {
    /// Returns all lists of the user with their items.
    func watchlists(in call: CallContext) async throws(ProviderFailure) -> BrokerWatchlists
}

/// A source whose watchlists can be changed.
///
/// The id of another user's list, and an id that is not in the broker's form, is `notFound`; the latter
/// without a call.
package protocol WatchlistEditing: WatchlistSource {
    /// One of the user's lists, with its entries.
    func watchlist(_ id: String, in call: CallContext) async throws(ProviderFailure) -> BrokerWatchlist

    /// Replaces the list's name and entries, in this order.
    func replaceWatchlist(
        _ id: String, name: String, symbols: [Symbol], in call: CallContext
    ) async throws(ProviderFailure) -> BrokerWatchlist

    func deleteWatchlist(_ id: String, in call: CallContext) async throws(ProviderFailure)
}
