import Brokerage

/// A row of the table of activities.
enum ActivityRow {
    static func save(
        _ activity: Activity, of account: ActivityAccount, read: Int, _ db: SQLTransaction
    ) throws {
        let position = ActivityPosition(activity)
        var columns = SQLColumns()
        columns.add("owner", account.owner.text)
        columns.add("connection", account.connection)
        columns.add("account", account.account)
        columns.add("id", activity.id)
        columns.add("kind", activity.kind.rawValue)
        columns.add("provider_kind", activity.providerKind)
        columns.add("day", position.day.description)
        columns.add("moment", position.moment)
        columns.add("moment_nanos", position.nanoseconds)
        columns.add("sequence", position.sequence)
        columns.add("executed_at", activity.time?.description)
        columns.add("settles_on", activity.settlementDate?.description)
        columns.add("recorded_at", activity.recordedAt)
        columns.add("symbol", activity.symbol?.text)
        columns.add("side", activity.side?.rawValue)
        columns.add("quantity", activity.quantity)
        columns.add("price", activity.price)
        columns.add("amount", activity.amount)
        columns.add("currency", activity.currency)
        columns.add("account_amount", activity.accountAmount)
        columns.add("account_currency", activity.accountCurrency)
        columns.add("conversion_rate", activity.conversionRate)
        columns.add("order_id", activity.orderID)
        columns.add("group_id", activity.groupID)
        columns.add("about", activity.about)
        columns.add("last_read", read)
        let changes = columns.names.dropFirst(4).map { "\($0) = excluded.\($0)" }.joined(separator: ", ")
        try db.execute(
            columns.insertion(into: "activity")
                + " ON CONFLICT (owner, connection, account, id) DO UPDATE SET \(changes)",
            columns.arguments)
    }

    /// Selects the columns that ``activity(_:)`` reads, in its order.
    static let select = """
        SELECT id, kind, provider_kind, day, executed_at, sequence, settles_on, recorded_at, symbol, side, quantity, price, amount,
            currency, account_amount, account_currency, conversion_rate, order_id, group_id, about
        FROM activity
        """

    static func activity(_ values: inout SQLRowReader) throws -> StoredActivity {
        let id: String = try values.next()
        guard let kind = try values.next({ ActivityKind(rawValue: $0) }) else { throw CorruptedRow() }
        let providerKind: String = try values.next()
        guard let date = try values.next({ CalendarDate($0) }) else { throw CorruptedRow() }
        var activity = Activity(id: id, kind: kind, providerKind: providerKind, date: date)
        activity.time = try values.next { Instant($0) }
        activity.sequence = BrokerSequence(stored: try values.next())
        activity.settlementDate = try values.next { CalendarDate($0) }
        if let milliseconds: Int64 = try values.next() {
            guard let time = Instant(millisecondsSince1970: milliseconds) else { throw CorruptedRow() }
            activity.recordedAt = time
        }
        activity.symbol = try values.next { Symbol($0) }
        activity.side = (try values.next() as String?).flatMap(OrderSide.init(rawValue:))
        activity.quantity = try values.next { Decimal($0) }
        activity.price = try values.next { Decimal($0) }
        activity.amount = try values.next { Decimal($0) }
        activity.currency = try values.next()
        activity.accountAmount = try values.next { Decimal($0) }
        activity.accountCurrency = try values.next()
        activity.conversionRate = try values.next { Decimal($0) }
        activity.orderID = try values.next()
        activity.groupID = try values.next()
        activity.about = try values.next()
        return StoredActivity(activity)
    }
}
