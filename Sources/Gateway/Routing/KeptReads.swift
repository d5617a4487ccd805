import Brokerage
package import Upstream

/// What was read from providers a moment ago, each kind for as long as its values are good.
package struct KeptReads: Sendable {
    let accounts: Reads<[Account]>
    let positions: Reads<[Position]>
    let histories: Reads<EquityHistory>
    let quotes: Reads<Quote>

    package init(clock: CallClock = .system) {
        accounts = Reads("accounts", bounds: .init(timeToLive: .seconds(2)), clock: clock) { accounts in
            accounts.count * MemoryLayout<Account>.stride
        }
        positions = Reads("positions", bounds: .init(timeToLive: .seconds(2)), clock: clock) { positions in
            positions.count * MemoryLayout<Position>.stride
        }
        histories = Reads("history", bounds: .init(timeToLive: .seconds(30)), clock: clock) { history in
            history.points.count * MemoryLayout<EquityPoint>.stride
        }
        quotes = Reads("quotes", bounds: .init(timeToLive: .seconds(1)), clock: clock)
    }
}
