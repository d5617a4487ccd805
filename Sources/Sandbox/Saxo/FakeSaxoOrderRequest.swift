import Brokerage

/// The body of a request to place, change or check an order, validated without market and account data.
struct FakeSaxoOrderRequest {
    let account: FakeSaxoAccount
    let listing: FakeSaxoInstrument?
    let isBuy: Bool
    let amount: Decimal?
    let type: String?
    let price: Decimal?
    let limitPrice: Decimal?
    let trailingDistance: Decimal?
    let trailingStep: Decimal?
    let duration: FakeSaxoOrder.Lifetime?
    let externalReference: String?
    let orderID: String?
    /// `ExecuteAtTradingSession` is `All`.
    let isForAllSessions: Bool

    enum Purpose: Sendable, Hashable {
        case place
        case change
    }

    static let types: Set<String> = [
        "Market", "Limit", "Stop", "StopIfTraded", "StopLimit", "TrailingStop", "TrailingStopIfTraded",
    ]

    /// Parses the body of a request.
    static func body(_ context: FakeSaxoHost.AuthenticatedRequest) throws(FakeSaxoError) -> JSONDocument {
        guard let body = try? JSONDocument(parsing: context.request.body), body.members != nil else {
            throw .badRequest(code: "InvalidRequest", message: "The request body is no JSON object.")
        }
        return body
    }

    /// Parses an order; throws ``FakeSaxoError`` with all invalid fields.
    ///
    /// An exit of an entry has the account and the instrument of the entry.
    init(
        _ body: JSONDocument, _ context: FakeSaxoHost.AuthenticatedRequest, for purpose: Purpose,
        of entry: FakeSaxoOrderRequest? = nil
    ) throws(FakeSaxoError) {
        var fields = BodyFieldReader(body: body, group: entry == nil ? nil : "Orders")
        let isNew = purpose == .place
        let accountKey = fields.string("AccountKey", isRequired: entry == nil)
        let assetTypeName = fields.string("AssetType", isRequired: entry == nil)
        let uic = fields.integer("Uic", isRequired: isNew && entry == nil)
        let side = fields.string("BuySell", isRequired: isNew, oneOf: ["Buy", "Sell"])
        amount = fields.positive("Amount", isRequired: isNew)
        _ = fields.string("AmountType", oneOf: ["Quantity"])
        type = fields.string("OrderType", isRequired: true, oneOf: Self.types)
        price = fields.positive("OrderPrice", isRequired: isNew && type != nil && type != "Market")
        limitPrice = fields.positive("StopLimitPrice", isRequired: type == "StopLimit" && isNew)
        let isTrailing = type?.hasPrefix("TrailingStop") == true
        trailingDistance = fields.positive("TrailingStopDistanceToMarket", isRequired: isTrailing)
        trailingStep = fields.positive("TrailingStopStep", isRequired: isTrailing)
        externalReference = fields.string("ExternalReference")
        orderID = fields.string("OrderId", isRequired: !isNew)
        if (externalReference?.utf8.count ?? 0) > 50 {
            fields.add("ExternalReference", "The field ExternalReference must have at most 50 characters.")
        }
        if isNew, context.settings.requiresManualOrder, body["ManualOrder"]?.boolean == nil {
            fields.add("ManualOrder", "ManualOrder is required")
        }
        let assetType = assetTypeName.flatMap(FakeSaxoInstrument.AssetType.init(rawValue:))
        if assetTypeName != nil, assetType == nil {
            fields.add("AssetType", "The value '\(assetTypeName ?? "")' is not valid for AssetType.")
        }
        listing =
            entry?.listing
            ?? uic.flatMap { uic in assetType.flatMap { FakeSaxoInstruments.instrument(uic, $0) } }
        isForAllSessions =
            fields.string("ExecuteAtTradingSession", oneOf: ["Regular", "All"]) == "All"
        // A change does not name the instrument.
        if isForAllSessions, type != "Limit" || isNew && !(listing?.hasExtendedHours ?? false) {
            fields.add(
                "ExecuteAtTradingSession",
                "Only limit orders for instruments with extended trading hours are executed in all sessions.")
        }
        duration = fields.duration(isRequired: isNew, listing: listing, at: context.view)
        isBuy = side == "Buy"
        if let entry {
            if entry.isBuy == isBuy {
                fields.add("Orders", "A related order must have the opposite BuySell.")
            }
            if entry.listing?.assetType.isExchangeTraded ?? false, type == "Stop" || type == "TrailingStop" {
                fields.add(
                    "Orders",
                    "A related stop must be StopIfTraded, TrailingStopIfTraded or StopLimit.")
            }
        }
        guard fields.problems.isEmpty else { throw .invalidModel(fields.problems) }
        if let entry {
            account = entry.account
        } else {
            account = try context.account(key: accountKey ?? "")
        }
    }

    /// Returns the kind of an order with its prices; throws ``FakeSaxoOrderError`` for a price that is
    /// invalid for the instrument.
    func kind(for listing: FakeSaxoInstrument, else price: Int?) throws(FakeSaxoError) -> FakeSaxoOrder.Kind {
        func ticks(_ decimal: Decimal) throws(FakeSaxoError) -> Int {
            guard let ticks = listing.instrument.ticks(decimal) else { throw .order(.priceNotInTicks) }
            return ticks
        }
        if type == "Market" { return .market }
        guard let stated = self.price == nil ? price : try ticks(self.price ?? .zero) else {
            throw .invalid("OrderPrice", "OrderPrice is required")
        }
        switch type {
        case "Stop": return .stop(stated)
        case "StopIfTraded": return .stopIfTraded(stated)
        case "StopLimit":
            guard let limitPrice else { throw .invalid("StopLimitPrice", "StopLimitPrice is required") }
            return .stopLimit(stop: stated, limit: try ticks(limitPrice))
        case "TrailingStop", "TrailingStopIfTraded":
            guard let distance = trailingDistance, let step = trailingStep else {
                throw .invalid("TrailingStopStep", "TrailingStopStep is required")
            }
            return .trailingStop(
                FakeSaxoTrailingStop(
                    stop: stated, distance: try ticks(distance), step: try ticks(step),
                    isIfTraded: type == "TrailingStopIfTraded"))
        case .some, nil: return .limit(stated)
        }
    }
}

/// Reads the fields of a body, and collects their errors.
private struct BodyFieldReader {
    let body: JSONDocument
    /// The field under which all errors are reported; nil for the field of each error.
    let group: String?
    private(set) var problems: [String: [String]] = [:]

    init(body: JSONDocument, group: String?) {
        self.body = body
        self.group = group
    }

    mutating func add(_ field: String, _ problem: String) {
        problems[group ?? field, default: []].append(problem)
    }

    private mutating func member(_ name: String, isRequired: Bool) -> JSONDocument? {
        if let member = body[name], member != .null { return member }
        if isRequired { add(name, "\(name) is required") }
        return nil
    }

    mutating func string(_ name: String, isRequired: Bool = false, oneOf values: Set<String>? = nil)
        -> String?
    {
        guard let member = member(name, isRequired: isRequired) else { return nil }
        guard let text = member.string, values?.contains(text) ?? true else {
            add(name, "The value is not valid for \(name).")
            return nil
        }
        return text
    }

    mutating func integer(_ name: String, isRequired: Bool) -> Int? {
        guard let member = member(name, isRequired: isRequired) else { return nil }
        if member.integer == nil { add(name, "The value is not valid for \(name).") }
        return member.integer
    }

    /// Returns a positive number, at most 10^12, so that no product of two overflows.
    mutating func positive(_ name: String, isRequired: Bool) -> Decimal? {
        guard let member = member(name, isRequired: isRequired) else { return nil }
        guard let number = member.decimal, number > .zero, number <= 1_000_000_000_000, number.scale <= 9
        else {
            add(name, "\(name) must be a positive number")
            return nil
        }
        return number
    }

    mutating func duration(
        isRequired: Bool, listing: FakeSaxoInstrument?, at view: MarketView
    ) -> FakeSaxoOrder.Lifetime? {
        guard let member = member("OrderDuration", isRequired: isRequired) else { return nil }
        switch member["DurationType"]?.string {
        case "DayOrder":
            let now = view.now
            let schedule = listing.map { view.market.schedule(of: $0.instrument) } ?? view.market.exchanges
            let running = schedule.session(begunBy: now)
            let next = running.flatMap { now < $0.close ? $0 : schedule.session(after: $0.date) }
            return .day(until: next?.close ?? now)
        case "GoodTillCancel": return .untilCancelled
        case "GoodTillDate":
            return lastDay(member, listing, at: view)
        case "ImmediateOrCancel": return .immediateOrCancel
        case "FillOrKill": return .fillOrKill
        case .some, nil:
            add("OrderDuration.DurationType", "The value is not valid for DurationType.")
            return nil
        }
    }

    /// Reads the end of an order until a date: a date, or with `ExpirationDateContainsTime` a minute by the clock of the
    /// exchange.
    ///
    /// "Time zone indication must never be added", and seconds other than 0 are rejected (Trading, `OrderDuration`).
    private mutating func lastDay(
        _ member: JSONDocument, _ listing: FakeSaxoInstrument?, at view: MarketView
    ) -> FakeSaxoOrder.Lifetime? {
        let field = "OrderDuration.ExpirationDateTime"
        guard let text = member["ExpirationDateTime"]?.string else {
            add(field, "ExpirationDateTime is required")
            return nil
        }
        let hasTime = member["ExpirationDateContainsTime"]?.boolean ?? false
        let parts = text.split(separator: "T", omittingEmptySubsequences: false)
        let time = parts.count == 2 ? String(parts[1]) : nil
        guard let date = CalendarDate(parts.first ?? ""), parts.count <= 2,
            hasTime ? time.map(Self.isMinute) ?? false : ["00:00", "00:00:00"].contains(time ?? "00:00")
        else {
            add(field, "The value '\(text)' is not valid for ExpirationDateTime.")
            return nil
        }
        let hours = listing.map { view.market.schedule(of: $0.instrument) } ?? view.market.exchanges
        let start = hours.start(of: date) ?? date.daysSince1970 * 86_400
        guard hasTime, let time else {
            let end = hours.session(on: date)?.close ?? start + 86_400
            return .untilDate(end, date, minute: nil)
        }
        let (hour, minute) = (Int(time.prefix(2)) ?? 0, Int(time.dropFirst(3).prefix(2)) ?? 0)
        // Without a change of the clocks on the day.
        return .untilDate(start + hour * 3_600 + minute * 60, date, minute: String(time.prefix(5)))
    }

    /// Whether a text is a minute of a day: `14:00` or `14:00:00`.
    private static func isMinute(_ text: String) -> Bool {
        let seconds = text.utf8.count == 5 ? "\(text):00" : text
        return seconds.hasSuffix(":00") && Instant("2000-01-01T\(seconds)Z") != nil
    }
}

/// The orders of a request: one, an entry with its exits, or a pair of which one cancels the other.
struct FakeSaxoOrderGroup {
    /// The entry; of a pair, the first.
    let main: FakeSaxoOrderRequest
    /// The exits of the entry; of a pair, the second.
    let related: [FakeSaxoOrderRequest]
    let isPair: Bool

    init(_ context: FakeSaxoHost.AuthenticatedRequest) throws(FakeSaxoError) {
        let body = try FakeSaxoOrderRequest.body(context)
        let items = body["Orders"]?.elements ?? []
        isPair = !items.isEmpty && body["OrderType"] == nil && body["Uic"] == nil
        if isPair {
            guard items.count == 2 else { throw .invalid("Orders", "A pair has two orders.") }
            main = try FakeSaxoOrderRequest(items[0], context, for: .place)
            related = [try FakeSaxoOrderRequest(items[1], context, for: .place)]
            guard main.listing == related[0].listing, main.account.key == related[0].account.key else {
                throw .invalid("Orders", "Both orders must be for one account and instrument.")
            }
        } else {
            guard items.count <= 2 else {
                throw .invalid("Orders", "An order has two related orders at most.")
            }
            let entry = try FakeSaxoOrderRequest(body, context, for: .place)
            var exits: [FakeSaxoOrderRequest] = []
            for item in items {
                exits.append(try FakeSaxoOrderRequest(item, context, for: .place, of: entry))
            }
            (main, related) = (entry, exits)
        }
    }
}
