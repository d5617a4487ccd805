package import Brokerage

/// An event of a subscription: its own value, and the value that all other fields of its message show.
package struct LiveEvent<Value: Sendable>: Sendable {
    let value: LiveValue<Value>
    /// Nil if no other field of the message could show the value.
    var carried: EventValue?
}

/// A value that an event of a subscription carries.
///
/// Resolvers of the event's message use it instead of reading it again, so that one message never shows two
/// states of the same object.
///
/// It is in the scope of this one message, for the session that receives the event. It is not stored in a
/// cache, and no other message, session or user sees it. A private value is used only for the owner and the
/// connection that it was read for.
package indirect enum EventValue: Sendable {
    case quote(Quote)
    /// All accounts behind a connection, with their figures, from the read that produced the event.
    case accounts([ConnectedAccount], of: BrokerConnection)
    /// All positions behind a connection, from the read that produced the event.
    case positions([ConnectedPosition], of: BrokerConnection)
    case order(SubscribedOrder)

    /// The quote of a symbol, if it comes from the requested provider.
    ///
    /// A nil provider matches every quote.
    func quote(of symbol: Symbol, from provider: ProviderID?) -> Quote? {
        guard case .quote(let quote) = self, quote.symbol == symbol else { return nil }
        return provider == nil || provider == quote.provenance.source ? quote : nil
    }

    func accounts(of connection: BrokerConnection) -> [LoadedAccount]? {
        guard case .accounts(let accounts, let own) = self, own.isSame(as: connection) else { return nil }
        return accounts.compactMap { connected in
            connected.figures.map { LoadedAccount(account: $0, connection: connected.connection) }
        }
    }

    func positions(of connection: BrokerConnection) -> [ConnectedPosition]? {
        guard case .positions(let positions, let own) = self, own.isSame(as: connection) else { return nil }
        return positions
    }

    /// The order with the same id, if the event carries it.
    func order(instead other: ConnectedOrder) -> SubscribedOrder? {
        guard case .order(let order) = self, order.connectedOrder.connection.isSame(as: other.connection),
            order.globalID == other.globalID
        else { return nil }
        return order
    }
}

extension BrokerConnection {
    /// Whether both are the same connection of the same user; the credential may differ.
    fileprivate func isSame(as other: BrokerConnection) -> Bool {
        owner == other.owner && id == other.id
    }
}
