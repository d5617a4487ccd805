import Brokerage
import GraphQL
import Storage

/// What the accounts of a user hold now, connection by connection.
///
/// What is owed (a short position) is not held: nothing can be saved with it.
package struct UserHoldings: Sendable {
    let parts: [Part]

    package struct Part: Sendable {
        let connection: BrokerConnection
        /// Positions in any direction, or why they could not be read.
        let positions: Result<[ConnectedPosition], any Error>
    }

    /// The positions that count for an allocation, none where it is not held any more.
    ///
    /// Nil where nobody can say: no connection is there that could hold it.
    ///
    /// - Throws: why an account that may hold it could not be read.
    func positions(of symbol: Symbol, inAccount account: String?) throws -> [ConnectedPosition]? {
        try positionResults(of: symbol, inAccount: account)?.map { try $0.get() }
    }

    /// The same, with one failure behind the others for each connection that could not be read.
    func positionResults(of symbol: Symbol, inAccount account: String?) -> BatchResults<ConnectedPosition>? {
        let parts = parts.filter { part in account.map(part.connection.mayHave(account:)) ?? true }
        guard !parts.isEmpty else { return nil }
        return GatewayContext.joined(
            parts.map { part in
                part.positions.map { positions in
                    positions.filter { linked in
                        linked.position.symbol == symbol && linked.isHeld
                            && (account.map(linked.isIn(account:)) ?? true)
                    }
                }
            })
    }

    /// How much of each of some instruments is held in each account.
    ///
    /// - Parameters:
    ///   - symbols: the instruments.
    ///   - accounts: all accounts of the user.
    /// - Returns: the quantities, by the ids of the accounts in the schema.
    /// - Throws: why an account that may hold one could not be read.
    func quantities(of symbols: Set<Symbol>, in accounts: [ConnectedAccount]) throws -> HeldQuantities {
        var held = HeldQuantities()
        for symbol in symbols {
            for linked in try positions(of: symbol, inAccount: nil) ?? [] {
                // Without an id of its own it is in the only account of its connection.
                let account =
                    linked.position.accountID.map(linked.connection.globalID(ofAccount:))
                    ?? accounts.first { $0.connection.id == linked.connection.id }?.globalID
                guard let account else { continue }
                try held.add(linked.position.quantity, of: symbol, in: account)
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
    /// Whether an id in the schema is one of an account behind this connection, if there is such an account.
    func mayHave(account: String) -> Bool {
        account.hasPrefix(globalID(ofAccount: ""))
    }
}

extension GatewayContext {
    /// What all accounts hold now, each connection read once.
    func holdings() throws -> MaybeAsync<UserHoldings> {
        let connections = try connections(with: nil)
        return MaybeAsync.each(connections) { positions(of: $0, symbols: nil) }.map { answers in
            UserHoldings(
                parts: zip(connections, answers).map { connection, answer in
                    UserHoldings.Part(connection: connection, positions: answer.map { $0 ?? [] })
                })
        }
    }
}
