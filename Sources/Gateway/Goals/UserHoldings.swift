import Brokerage
import GraphQL
import Storage

/// The present positions of a user's accounts, by connection.
///
/// A short position is not a holding.
package struct UserHoldings: Sendable {
    let parts: [Part]

    package struct Part: Sendable {
        let connection: BrokerConnection
        /// Positions in any direction, and why others could not be read.
        let positions: BatchResults<ConnectedPosition>
    }

    /// The positions of an allocation; none if nothing is held any more.
    ///
    /// Nil if that is unknown, because no connection could hold them.
    ///
    /// - Throws: The failure of an account that may hold them.
    func positions(of symbol: Symbol, inAccount account: String?) throws -> [ConnectedPosition]? {
        try positionResults(of: symbol, inAccount: account)?.map { try $0.get() }
    }

    /// The same, with one failure behind the others for each connection, and each position of any instrument, that could not
    /// be read.
    func positionResults(of symbol: Symbol, inAccount account: String?) -> BatchResults<ConnectedPosition>? {
        let parts = parts.filter { part in account.map(part.connection.mayHave(account:)) ?? true }
        guard !parts.isEmpty else { return nil }
        let all = parts.flatMap(\.positions)
        let found = all.compactMap { try? $0.get() }.filter { connected in
            connected.position.symbol == symbol && connected.isHeld
                && (account.map(connected.isIn(account:)) ?? true)
        }
        let failures = all.filter { (try? $0.get()) == nil }
        let results: BatchResults<ConnectedPosition> = found.map { .success($0) }
        return results + failures
    }

    /// The quantities of instruments in each account.
    ///
    /// - Parameters:
    ///   - symbols: The instruments.
    ///   - accounts: All accounts of the user.
    /// - Returns: The quantities, by the ids of the accounts in the schema.
    /// - Throws: The failure of an account that may hold one of them and could not be read.
    func quantities(of symbols: Set<Symbol>, in accounts: [ConnectedAccount]) throws -> HeldQuantities {
        var held = HeldQuantities()
        for symbol in symbols {
            for connected in try positions(of: symbol, inAccount: nil) ?? [] {
                // A position without an account id is in the only account of its connection.
                let account =
                    connected.position.accountID.map(connected.connection.globalID(ofAccount:))
                    ?? accounts.first { $0.connection.id == connected.connection.id }?.globalID
                guard let account else { continue }
                try held.add(connected.position.quantity, of: symbol, in: account)
            }
        }
        return held
    }
}

extension ConnectedPosition {
    var isHeld: Bool {
        switch position.side {
        case .long: position.quantity > .zero
        case .short: false
        }
    }

    /// Whether an account, by its id in the schema, holds it.
    func isIn(account: String) -> Bool {
        guard let own = position.accountID else { return connection.mayHave(account: account) }
        return connection.globalID(ofAccount: own) == account
    }
}

extension BrokerConnection {
    /// Whether an id of the schema can be that of an account of this connection.
    func mayHave(account: String) -> Bool {
        account.hasPrefix(globalID(ofAccount: ""))
    }
}

extension GoalService {
    /// The holdings of all accounts; each connection is read once.
    func holdings() throws -> MaybeAsync<UserHoldings> {
        let connections = try ConnectionDirectory(scope).connections(with: nil)
        return MaybeAsync.each(connections) { AccountService(scope).positions(of: $0, symbols: nil) }.map {
            results in
            UserHoldings(
                parts: zip(connections, results).map { connection, result in
                    switch result {
                    case .success(let positions):
                        UserHoldings.Part(connection: connection, positions: positions ?? [])
                    case .failure(let error):
                        UserHoldings.Part(connection: connection, positions: [.failure(error)])
                    }
                })
        }
    }
}
