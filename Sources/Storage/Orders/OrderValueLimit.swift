package import Brokerage

/// A limit of the value of a group of orders in one currency: those of one session on one day.
///
/// The idempotency key of such an order states its group and its value. The journal is therefore the only record of the
/// sum: a restart does not reset it, and all servers of one database read the same sum.
package struct OrderValueLimit: Hashable, Sendable {
    /// The beginning of the keys of the group's orders in this currency.
    private let keyPrefix: String
    package let currency: String
    /// The value of the order.
    package let value: Decimal
    /// The maximum sum of the values of the group's orders.
    package let maximum: Decimal

    /// - Parameters:
    ///   - group: A text of a fixed length; visible ASCII.
    ///   - currency: ISO 4217.
    ///   - value: The value of the order, above zero.
    ///   - maximum: The maximum sum of the values of the group's orders.
    package init(group: String, currency: String, value: Decimal, maximum: Decimal) {
        keyPrefix = "mcp-\(group)-\(currency)-"
        (self.currency, self.value, self.maximum) = (currency, value, maximum)
    }

    /// Returns the idempotency key of the order.
    ///
    /// - Parameter digest: Identifies the order in its group.
    /// - Returns: The key, with the group and the value.
    package func idempotencyKey(_ digest: String) -> String { "\(keyPrefix)\(value)-\(digest)" }

    /// The sum of the values of the group's orders in the journal.
    ///
    /// An order that its broker rejected does not count. A cancelled or expired one does.
    ///
    /// - Throws: `Decimal.Overflow` above the largest number.
    func sum(of owner: OwnerID, _ db: SQLTransaction) throws -> Decimal {
        // The character after "-" ends the range, so that the index of the keys is used.
        let keys: [String] = try db.values(
            """
            SELECT idempotency_key FROM journal_order
            WHERE owner = ? AND idempotency_key >= ? AND idempotency_key < ? AND state <> ?
            """, [owner.text, keyPrefix, keyPrefix.dropLast() + ".", OrderState.rejected.rawValue])
        var sum = Decimal.zero
        for key in keys {
            // Other keys with this beginning were chosen by a client of the schema.
            guard let value = Decimal(key.dropFirst(keyPrefix.count).prefix { $0 != "-" }), value > .zero
            else { continue }
            sum = try sum + value
        }
        return sum
    }
}
