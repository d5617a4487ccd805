import Brokerage
import Storage

/// Where a position or an order belongs.
struct AccountReference: Sendable {
    let connection: BrokerConnection
    /// As the broker names the account; nil for the default one of the connection.
    let accountID: String?

    func account(among accounts: [ConnectedAccount]) -> ConnectedAccount? {
        guard let accountID else { return accounts.first }
        return accounts.first { $0.who.id == accountID }
    }
}
