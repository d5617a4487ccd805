import Brokerage

// Numbers are texts with all their digits, times milliseconds since 1970; a time that orders rows has its nanoseconds in
// another column.

/// Columns and their values, in the order of a statement.
struct SQLColumns {
    private(set) var names: [String] = []
    private(set) var values: [SQLValue] = []

    mutating func add(_ name: String, _ value: some SQLConvertible) {
        names.append(name)
        values.append(value.sqlValue)
    }

    mutating func add(_ name: String, _ value: Decimal?) { add(name, value?.description) }
    mutating func add(_ name: String, _ value: Instant?) { add(name, value?.millisecondsSince1970) }

    /// Adds a time in two columns, as `SQLRow` reads it.
    mutating func add(_ name: String, _ nanoseconds: String, _ value: Instant?) {
        add(name, value)
        add(nanoseconds, value?.nanosecondsOfMillisecond ?? 0)
    }

    var arguments: SQLArguments { SQLArguments(values) }

    /// `INSERT INTO table (…) VALUES (…)`.
    func insertion(into table: String) -> String {
        let places = Array(repeating: "?", count: names.count).joined(separator: ", ")
        return "INSERT INTO \(table) (\(names.joined(separator: ", "))) VALUES (\(places))"
    }

    /// `a = ?, b = ?`.
    var assignments: String { names.map { "\($0) = ?" }.joined(separator: ", ") }
}

extension SQLColumns {
    /// Adds the columns of the reported order.
    mutating func add(_ order: Order) {
        add("provider_order_id", order.id.isEmpty ? nil : order.id)
        add("replaces", order.replaces)
        add("type", order.type?.rawValue)
        add("time_in_force", order.timeInForce?.rawValue)
        add("extended_hours", order.isExtendedHours)
        add("quantity", order.quantity)
        add("notional", order.notional)
        add("limit_price", order.limitPrice)
        add("stop_price", order.stopPrice)
        add("trail_percent", order.trailPercent)
        add("trail_amount", order.trailAmount)
        add("filled_quantity", order.filledQuantity)
        add("average_fill_price", order.averageFillPrice)
        add("state", order.state.rawValue)
        add("provider_state", order.providerState)
        add("rejection", order.rejection?.reason.rawValue)
        add("rejection_message", order.rejection?.message)
        add("submitted_at", "submitted_nanos", order.submittedAt)
        add("updated_at", "updated_nanos", order.updatedAt)
        add("filled_at", order.filledAt)
        add("canceled_at", order.canceledAt)
        add("expires_at", order.expiresAt)
        add("heard_at", order.provenance.fetchedAt)
    }

    /// Adds the columns of the requested price.
    mutating func add(_ price: OrderPricing?) {
        var (limit, stop) = (Decimal?.none, Decimal?.none)
        var (percent, amount) = (Decimal?.none, Decimal?.none)
        switch price {
        case .market, nil: break
        case .limit(let price): limit = price
        case .stop(let price): stop = price
        case .stopLimit(let stopPrice, let limitPrice): (stop, limit) = (stopPrice, limitPrice)
        case .trailingStop(.percent(let distance)): percent = distance
        case .trailingStop(.amount(let distance)): amount = distance
        }
        add("type", price?.type.rawValue)
        add("limit_price", limit)
        add("stop_price", stop)
        add("trail_percent", percent)
        add("trail_amount", amount)
    }
}

extension OrderPricing {
    /// Reads the requested price; nil if there is none.
    init?(_ row: SQLRow) throws {
        let (limit, stop) = (try row.decimal("limit_price"), try row.decimal("stop_price"))
        switch try row.value("type") as OrderType? {
        case nil: return nil
        case .market: self = .market
        case .limit:
            guard let limit else { return nil }
            self = .limit(limit)
        case .stop:
            guard let stop else { return nil }
            self = .stop(stop)
        case .stopLimit:
            guard let stop, let limit else { return nil }
            self = .stopLimit(stop: stop, limit: limit)
        case .trailingStop:
            if let percent = try row.decimal("trail_percent") {
                self = .trailingStop(.percent(percent))
            } else if let amount = try row.decimal("trail_amount") {
                self = .trailingStop(.amount(amount))
            } else {
                return nil
            }
        }
    }
}
