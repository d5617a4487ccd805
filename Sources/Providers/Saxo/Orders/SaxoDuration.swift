package import Brokerage
package import Upstream

/// How long an order stays in force: `Duration` of an open order and of an entry of the log, `OrderDuration` of a request.
package struct SaxoDuration: JSONDecodable, Hashable {
    /// `DurationType`; nil for one that Portico has no name for.
    package var type: String?
    /// The end of an order until a date; nil for another order, and if it cannot be read.
    package var expiration: Expiration?

    /// The end of an order, by the clock of its exchange.
    package enum Expiration: Hashable, Sendable {
        /// The end of trading on a day.
        case day(CalendarDate)
        /// A minute, in the form `2026-12-24T14:00`.
        case minute(String)
    }

    init() {}

    /// Creates the duration of a request.
    init(_ timeInForce: TimeInForce, until date: CalendarDate?) {
        type = timeInForce.saxo
        expiration = timeInForce == .goodTillDate ? date.map { .day($0) } : nil
    }

    package init(json reader: inout JSONReader) throws(JSONError) {
        var (dateTime, date, hasTime) = (String?.none, String?.none, false)
        try reader.object { key, reader throws(JSONError) in
            switch key {
            case "DurationType":
                type = try reader.optional { reader throws(JSONError) in
                    try reader.name(where: { TimeInForce(saxo: $0) != nil })
                }
            case "ExpirationDateTime": dateTime = try reader.stringOrNil()
            // The log of orders has only this one, which open orders have beside the other.
            case "ExpirationDate": date = try reader.stringOrNil()
            case "ExpirationDateContainsTime": hasTime = try reader.boolOrNil() ?? false
            default: try reader.skip()
            }
        }
        guard type == nil || isUntilDate else { return }
        if let dateTime {
            expiration = Expiration(dateTime, hasTime: hasTime)
        } else if let date, !hasTime {
            expiration = Expiration(date, hasTime: false)
        }
    }

    private var isUntilDate: Bool { type == TimeInForce.goodTillDate.saxo }

    /// Whether a request can have this duration.
    var isComplete: Bool { type != nil && (!isUntilDate || expiration != nil) }

    /// When the order expires; nil if it does not, or if its end is a minute.
    ///
    /// For a day, the last second of the day in UTC: the closing time of the exchange is unknown. A minute is in the local
    /// time of the exchange without its zone (Portfolio, `OrderDuration`): as a minute in UTC it would be hours away.
    var expiresAt: Instant? {
        switch expiration {
        case .day(let date): Instant("\(date)T23:59:59Z")
        case .minute, nil: nil
        }
    }

    /// `OrderDuration` of a request.
    ///
    /// A date is without a time, as in Saxo's samples, and a minute without a zone: "Time zone indication must never be
    /// added" (Trading, `OrderDuration`).
    var request: JSONObjectText {
        var text = JSONObjectText()
        text.add("DurationType", type)
        switch expiration {
        case .day(let date):
            text.add("ExpirationDateTime", date.description)
            text.add("ExpirationDateContainsTime", false)
        case .minute(let minute):
            text.add("ExpirationDateTime", "\(minute):00")
            text.add("ExpirationDateContainsTime", true)
        case nil: break
        }
        return text
    }
}

extension SaxoDuration.Expiration {
    /// Reads a date or a minute; nil for another text.
    ///
    /// Saxo accepts no other seconds than 0 (Trading, `OrderDuration`).
    fileprivate init?(_ text: String, hasTime: Bool) {
        guard let date = CalendarDate(text.prefix(10)) else { return nil }
        guard hasTime else {
            self = .day(date)
            return
        }
        let minute = String(text.prefix(16))
        // The zone is only for the check of the form.
        guard minute.utf8.count == 16, Instant("\(minute):00Z") != nil else { return nil }
        self = .minute(minute)
    }
}
