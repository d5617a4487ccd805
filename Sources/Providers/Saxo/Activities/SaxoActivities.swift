package import Brokerage
package import Upstream

extension SaxoClient: ActivitySource {
    /// Saxo fills its reports once a day, at an hour that it does not name.
    package var activityReportInterval: Duration { .seconds(3_600) }

    /// All activities of an account since a day, from two reports: `cs/v1/reports/bookings`, the cash book, and
    /// `cs/v1/reports/trades`, which has the quantities, prices and orders.
    ///
    /// Both reports are read completely, page after page, because one row of a trade is in each. The currency of transferred
    /// securities is in none of them, and is that of the instrument, as the unit of a price that can be in hundredths is.
    package func activities(
        of account: String, _ query: ActivityQuery, in context: CallContext
    ) async throws(ProviderFailure) -> ActivityPage {
        guard let account = try await identity(in: context).accounts.first(where: { $0.key == account })
        else {
            throw ProviderFailure(.saxo, .notFound)
        }
        let first = query.since.map { $0.adding(days: -Self.rereadDays) ?? .earliest } ?? Self.firstDay
        // A day more: a booking may have the date of Copenhagen while it is the day before in UTC.
        let last = clock.wallTime().dateInUTC.adding(days: 1) ?? .latest
        let bookings = try await report(
            "bookings", of: account, from: first, to: last, SaxoBooking.self, in: context)
        let trades = try await report(
            "trades", of: account, from: first, to: last, SaxoReportedTrade.self, in: context)
        let report = SaxoActivityReport(bookings: bookings.items, trades: trades.items)
        let instruments = try await instruments(report.incomplete, in: context)
        return ActivityPage(
            activities: report.activities(in: configuration.symbolMapping, instruments: instruments),
            unreadable: bookings.unreadable.map { "bookings: \($0)" }
                + trades.unreadable.map { "trades: \($0)" },
            isCompleteFrom: query.since == nil
                ? nil : first.adding(days: 1).flatMap { Instant("\($0)T00:00:00Z") })
    }

    /// Instruments with the units of their prices, as far as Saxo knows them.
    ///
    /// - Throws: A failure that can be temporary: stored activities are not read again for a currency that was missing.
    private func instruments(
        _ keys: Set<SaxoInstrumentKey>, in context: CallContext
    ) async throws(ProviderFailure) -> [SaxoInstrumentKey: SaxoListing] {
        if keys.isEmpty { return [:] }
        let listings = await listings(of: Array(keys), in: context)
        for failure in listings.failures.values {
            switch failure.cause {
            case .notFound, .notEntitled, .unsupported, .invalidResponse: continue
            default: throw failure
            }
        }
        return listings.found
    }

    private func report<Row: JSONDecodable & Sendable>(
        _ name: String, of account: SaxoAccount, from first: CalendarDate, to last: CalendarDate,
        _ type: Row.Type, in context: CallContext
    ) async throws(ProviderFailure) -> SaxoList<Row> {
        let url = try address(
            .clientServices, ["v1", "reports", name, account.clientKey],
            [
                ("FromDate", first.description), ("ToDate", last.description), ("AccountKey", account.key),
                ("$top", Self.pageSize),
            ])
        return try await list(name, .clientServices, url, of: type, in: context)
    }

    /// Days whose rows Saxo may still correct.
    private static var rereadDays: Int { 4 }
    /// Before the first account of Saxo's OpenAPI.
    private static let firstDay = CalendarDate(year: 2000, month: 1, day: 1) ?? .earliest
}

/// The rows of both reports of an account.
package struct SaxoActivityReport {
    package let bookings: [SaxoBooking]
    package let trades: [SaxoReportedTrade]

    package init(bookings: [SaxoBooking], trades: [SaxoReportedTrade]) {
        self.bookings = bookings
        self.trades = trades
    }

    /// The instruments that add to the rows of the reports: the currency to transfers of securities, and the unit to prices
    /// that can be in hundredths of the currency.
    var incomplete: Set<SaxoInstrumentKey> {
        let settlements = settlements.byTrade
        return Set(
            trades.filter { trade in
                guard trade.uic != nil, trade.assetType != nil else { return false }
                guard let currency = settlements[trade.id]?.instrumentCurrency else {
                    return trade.isTransfer
                }
                return trade.price != nil && currency.priceUnit(of: trade.key, nil) == nil
            }.map(\.key))
    }

    /// The bookings that settle trades, by the ids of these, and the other bookings.
    private var settlements: (byTrade: [String: SaxoBooking], others: [SaxoBooking]) {
        let ids = Set(trades.map(\.id))
        var amounts: [String: SaxoBooking] = [:]
        var others: [SaxoBooking] = []
        for booking in bookings {
            // A trade has one; a second one is a correction, which is shown by itself.
            if let trade = booking.settledTradeID, ids.contains(trade), amounts[trade] == nil {
                amounts[trade] = booking
            } else {
                others.append(booking)
            }
        }
        return (amounts, others)
    }

    /// One activity for each trade, with the amount of its booking, and one for each other booking.
    ///
    /// - Parameters:
    ///   - symbolMapping: Portico's symbols.
    ///   - instruments: The instruments of ``incomplete``, as far as they are known.
    /// - Returns: The activities of all rows.
    package func activities(
        in symbolMapping: SaxoSymbols, instruments: [SaxoInstrumentKey: SaxoListing] = [:]
    ) -> [Activity] {
        let (amounts, others) = settlements
        return trades.map {
            $0.activity(settledBy: amounts[$0.id], in: symbolMapping, instrument: instruments[$0.key])
        }
            + others.map { $0.activity(in: symbolMapping) }
    }
}

/// A row of `GET /cs/v1/reports/trades`.
///
/// A member that cannot be read is nil. A row without the id or the date cannot be read, because it could not be matched with
/// the row of a later read.
package struct SaxoReportedTrade: JSONObjectDecodable, Hashable {
    var id = ""
    var orderID: String?
    var key: SaxoInstrumentKey { SaxoInstrumentKey(uic: uic ?? 0, assetType: assetType ?? "") }
    var uic: Int?
    var assetType: String?
    var providerSymbol: String?
    var name: String?
    var date = CalendarDate.earliest
    var valueDate: CalendarDate?
    var time: Instant?
    /// `Bought`, `Sold`, `TransferIn`, `TransferOut`, `Unknown`.
    var event: String?
    var type: String?
    /// Of a corporate action.
    var corporateAction: String?
    /// Below zero for units that leave the account.
    var quantity: Decimal?
    var price: Decimal?

    package static let json = JSONFields(Self()) {
        $0.required("TradeId", \.id) { reader throws(JSONError) in try reader.idOrNil() }
        $0.optional("OrderId", \.orderID) { reader throws(JSONError) in
            try reader.readable { reader throws(JSONError) in try reader.linkOrNil() }
        }
        $0.optional("Uic", \.uic, JSONReader.readable)
        $0.optional("AssetType", \.assetType, JSONReader.readable)
        $0.optional("InstrumentSymbol", \.providerSymbol, JSONReader.readable)
        $0.optional("InstrumentDescription", \.name, JSONReader.readable)
        $0.required("TradeDate", \.date) { reader throws(JSONError) in try reader.reportDateOrNil() }
        $0.optional("ValueDate", \.valueDate) { reader throws(JSONError) in
            try reader.readable { reader throws(JSONError) in try reader.reportDateOrNil() }
        }
        $0.optional("TradeExecutionTime", \.time) { reader throws(JSONError) in
            try reader.readable { reader throws(JSONError) in try reader.timeOrNil() }
        }
        $0.optional("TradeEventType", \.event, JSONReader.readable)
        $0.optional("TradeType", \.type, JSONReader.readable)
        $0.optional("CaEventTypeName", \.corporateAction, JSONReader.readable)
        $0.optional("Amount", \.quantity, JSONReader.readable)
        $0.optional("Price", \.price, JSONReader.readable)
    }

    /// The trade as an `Activity` of Portico.
    ///
    /// - Parameters:
    ///   - booking: The row of the cash book that settles it; the report of trades has no currency of the price. Nil
    ///     for a trade that books no cash, such as a transfer of securities.
    ///   - symbolMapping: Portico's symbols.
    ///   - instrument: The instrument, for the currency of a transfer and the unit of the price; nil if it is unknown.
    /// - Returns: The activity; its amounts are nil without a booking, its price without a unit.
    fileprivate func activity(
        settledBy booking: SaxoBooking?, in symbolMapping: SaxoSymbols, instrument: SaxoListing?
    ) -> Activity {
        let kind = kind
        let term = [event, corporateAction].compactMap(\.self).filter { !$0.isEmpty }
        var activity = Activity(
            id: "trade-\(id)", kind: kind,
            providerKind: term.isEmpty ? "Unknown" : term.joined(separator: "/"),
            date: date)
        activity.time = time
        activity.sequence = BrokerSequence(id: id)
        activity.settlementDate = valueDate
        activity.recordedAt = Instant("\(date)T00:00:00Z")
        activity.symbol = uic == nil ? nil : symbolMapping.symbol(of: key, providerSymbol: providerSymbol)
        activity.quantity = quantity
        activity.side = kind == .trade ? quantity.map { $0.isNegative ? .sell : .buy } : nil
        activity.orderID = orderID
        activity.groupID = id
        activity.about = name
        booking?.addAmounts(to: &activity)
        let currency = booking?.instrumentCurrency ?? (isTransfer ? instrument?.currency : nil)
        activity.currency = activity.currency ?? currency?.code
        if let currency {
            activity.price = currency.priceUnit(of: key, instrument?.priceUnit)?.major(price)
        } else {
            activity.price = price
        }
        return activity
    }

    fileprivate var isTransfer: Bool { kind == .transfer }

    private var kind: ActivityKind {
        if let corporateAction, !corporateAction.isEmpty { return ActivityKind(saxoEvent: corporateAction) }
        switch event {
        case "Bought", "Sold": return .trade
        case "TransferIn", "TransferOut": return .transfer
        default: return .other
        }
    }
}

/// A row of `GET /cs/v1/reports/bookings`, each of which moves cash; see ``SaxoReportedTrade`` for members that cannot be read.
package struct SaxoBooking: JSONObjectDecodable, Hashable {
    var id = ""
    var type = ""
    var date = CalendarDate.earliest
    var valueDate: CalendarDate?
    var amount: Decimal?
    var currency: String?
    var accountAmount: Decimal?
    var accountCurrency: String?
    var conversionRate: Decimal?
    var tradeID: String?
    var corporateActionID: String?
    var corporateAction: String?
    var uic: Int?
    var assetType: String?
    var providerSymbol: String?

    package static let json = JSONFields(Self()) {
        $0.required("BkAmountId", \.id) { reader throws(JSONError) in try reader.idOrNil() }
        $0.optional("BkAmountType", \.type) { reader throws(JSONError) in
            try JSONReader.readable(&reader) ?? ""
        }
        $0.required("Date", \.date) { reader throws(JSONError) in try reader.reportDateOrNil() }
        $0.optional("ValueDate", \.valueDate) { reader throws(JSONError) in
            try reader.readable { reader throws(JSONError) in try reader.reportDateOrNil() }
        }
        $0.optional("Amount", \.amount, JSONReader.readable)
        $0.optional("Currency", \.currency, JSONReader.readable)
        $0.optional("AmountAccountCurrency", \.accountAmount, JSONReader.readable)
        $0.optional("AccountCurrency", \.accountCurrency, JSONReader.readable)
        $0.optional("ConversionRate", \.conversionRate, JSONReader.readable)
        $0.optional("RelatedTradeId", \.tradeID) { reader throws(JSONError) in
            try reader.readable { reader throws(JSONError) in try reader.linkOrNil() }
        }
        $0.optional("CaMasterRecordId", \.corporateActionID) { reader throws(JSONError) in
            try reader.readable { reader throws(JSONError) in try reader.linkOrNil() }
        }
        $0.optional("CaEventName", \.corporateAction, JSONReader.readable)
        $0.optional("Uic", \.uic, JSONReader.readable)
        $0.optional("AssetType", \.assetType, JSONReader.readable)
        $0.optional("InstrumentSymbol", \.providerSymbol, JSONReader.readable)
    }

    /// The trade whose price the row pays; nil for any other row.
    var settledTradeID: String? { Self.settlements.contains(type) ? tradeID : nil }

    private static let settlements: Set = ["Share Amount", "Premium"]

    fileprivate var instrumentCurrency: SaxoCurrency? { currency.map { SaxoCurrency($0) } }

    /// The booking as an `Activity` of Portico.
    func activity(in symbolMapping: SaxoSymbols) -> Activity {
        var activity = Activity(id: "booking-\(id)", kind: kind, providerKind: type, date: date)
        activity.sequence = BrokerSequence(id: id)
        activity.settlementDate = valueDate
        activity.recordedAt = Instant("\(date)T00:00:00Z")
        if let uic, let assetType, assetType != Self.cash {
            activity.symbol = symbolMapping.symbol(
                of: SaxoInstrumentKey(uic: uic, assetType: assetType), providerSymbol: providerSymbol)
        }
        // Deposits have a trade id that is none.
        activity.groupID = type == Self.cashAmount ? nil : corporateActionID ?? tradeID
        activity.about = corporateAction.flatMap { $0.isEmpty ? nil : $0 }
        addAmounts(to: &activity)
        return activity
    }

    fileprivate func addAmounts(to activity: inout Activity) {
        // An amount without a currency is of no use.
        if let currency = instrumentCurrency {
            activity.amount = currency.major(amount)
            activity.currency = currency.code
        }
        if let accountCurrency {
            activity.accountAmount = accountAmount
            activity.accountCurrency = accountCurrency
            activity.conversionRate = conversionRate
        }
    }

    private static let cash = "Cash"
    private static let cashAmount = "Cash Amount"

    /// By the type, which is free text in English, and for cash by the symbol of the movement.
    private var kind: ActivityKind {
        switch type {
        case "Share Amount", "Premium": return .trade
        case "Commission", "Exchange Fee", "Exchange Subscription Fee", "Depository Charges",
            "Corporate Actions - Fee":
            return .fee
        case "Corporate Actions - Cash Dividends": return .dividend
        case "Corporate Actions - Withholding Tax": return .tax
        case "Interest": return .interest
        case Self.cashAmount: return cashKind
        default: return type.hasSuffix(" Tax") ? .tax : .other
        }
    }

    private var cashKind: ActivityKind {
        switch providerSymbol {
        // Without an amount, the direction is unknown.
        case "CASHDEPWI", "CASHOUT":
            (amount ?? accountAmount).map { $0.isNegative ? .withdrawal : .deposit } ?? .transfer
        case "CASHINTR": .transfer
        default: .other
        }
    }
}

extension ActivityKind {
    /// The kind of a corporate action by Saxo's name of it, of which no list is published: a name without one of these
    /// words is `other`.
    fileprivate init(saxoEvent name: String) {
        let name = name.lowercased()
        let words: [(String, ActivityKind)] = [
            ("spin", .spinOff), ("demerger", .spinOff), ("split", .split), ("merger", .merger),
            ("name change", .symbolChange), ("symbol change", .symbolChange),
            ("ticker change", .symbolChange),
        ]
        self = words.first { name.contains($0.0) }?.1 ?? .other
    }
}

extension JSONReader {
    /// Reads a date that may have a time, which is midnight; nil for null.
    mutating func reportDateOrNil() throws(JSONError) -> CalendarDate? {
        guard let text = try stringOrNil() else { return nil }
        return try required(CalendarDate(text.prefix(10)), "date like \"2026-11-20\"")
    }

    /// Reads the id of another row; nil for null, and for 0, with which Saxo means none.
    fileprivate mutating func linkOrNil() throws(JSONError) -> String? {
        try idOrNil().flatMap { $0 == "0" || $0.isEmpty ? nil : $0 }
    }
}
