/// A part of a position that a later trade has closed, since the broker's last netting.
package struct ClosedPosition: Hashable, Sendable {
    /// The broker's own id.
    package var id: String
    package var accountID: String
    package var symbol: Symbol
    /// The side of the position that was closed.
    package var side: PositionSide
    /// Zero or more; `side` has the direction.
    package var quantity: Decimal
    package var openPrice: Decimal?
    package var closePrice: Decimal?
    package var openedAt: Instant?
    package var closedAt: Instant?
    /// The instrument's, which may differ from the account's.
    package var currency: String
    /// The profit or loss without ``costs``.
    package var profitLoss: ConvertedAmount?
    /// The costs of opening and closing; above zero.
    package var costs: ConvertedAmount?
    /// Whether the amounts in the currency of the account are final; before, they change with the exchange rate.
    package var isConversionFinal: Bool?
    package var provenance: Provenance

    package init(
        id: String, accountID: String, symbol: Symbol, side: PositionSide, quantity: Decimal,
        currency: String, provenance: Provenance
    ) {
        self.id = id
        self.accountID = accountID
        self.symbol = symbol
        self.side = side
        self.quantity = quantity
        self.currency = currency
        self.provenance = provenance
    }
}
