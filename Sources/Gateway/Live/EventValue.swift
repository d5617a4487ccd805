import Brokerage

/// An event of a subscription: what it tells, and the values that are the same everywhere in its message.
struct LiveEvent<Value: Sendable>: Sendable {
    let value: LiveValue<Value>
    /// Nil where nothing else in the message could show the value.
    var carried: EventValue?
}

/// A value that an event of a subscription carries: resolvers of the event's message use it instead of reading it again,
/// so that one message never shows two states of the same thing.
///
/// It is in the context of this one message, of the session that receives the event: no cache has it, and no other
/// message, session or user sees it. Private values are used for the owner and the connection that they were read for
/// only.
indirect enum EventValue: Sendable {
    case quote(Quote)
    /// All accounts behind a connection, with their figures, as the reading that the event came from has them.
    case accounts([LinkedAccount], behind: BrokerConnection)
    /// All positions behind a connection, as the reading that the event came from has them.
    case positions([LinkedPosition], behind: BrokerConnection)
    case order(WatchedOrder)

    /// The quote of a symbol, where it is of the provider that is asked for; nil for any.
    func quote(of symbol: Symbol, from provider: Provider?) -> Quote? {
        guard case .quote(let quote) = self, quote.symbol == symbol else { return nil }
        return provider == nil || provider == quote.reading.source ? quote : nil
    }

    func accounts(behind connection: BrokerConnection) -> [ReadAccount]? {
        guard case .accounts(let accounts, let own) = self, own.isSame(as: connection) else { return nil }
        return accounts.compactMap { linked in
            linked.figures.map { ReadAccount(account: $0, connection: linked.connection) }
        }
    }

    func positions(behind connection: BrokerConnection) -> [LinkedPosition]? {
        guard case .positions(let positions, let own) = self, own.isSame(as: connection) else { return nil }
        return positions
    }

    /// The order with the same id, where the event carries it.
    func order(instead other: LinkedOrder) -> WatchedOrder? {
        guard case .order(let order) = self, order.linked.connection.isSame(as: other.connection),
            order.globalID == other.globalID
        else { return nil }
        return order
    }
}

extension BrokerConnection {
    /// Whether it is the same connection of the same user, perhaps opened with another credential.
    fileprivate func isSame(as other: BrokerConnection) -> Bool {
        owner == other.owner && id == other.id
    }
}
