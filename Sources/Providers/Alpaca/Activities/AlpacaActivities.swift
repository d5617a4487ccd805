package import Brokerage
package import Upstream

extension AlpacaClient: ActivitySource {
    /// New activities are there at once.
    package var activityReportInterval: Duration { .zero }

    /// A page of a hundred activities, oldest first: `GET /v2/account/activities`.
    ///
    /// Alpaca selects by the time at which it created an activity. A fee is created the day after its trade, and a
    /// booking may be cancelled, so ``rereadDays`` before `query.since` are read again. Whether a day of the query is
    /// one of UTC or of New York, and whether it is included, is not documented: two of these days are not used to
    /// detect deleted activities.
    package func activities(
        of account: String, _ query: ActivityQuery, in context: CallContext
    ) async throws(ProviderFailure) -> ActivityPage {
        let start = query.since.map { $0.adding(days: -Self.rereadDays) ?? .earliest }
        let items: [(name: String, value: String?)] = [
            ("after", start?.description), ("direction", "asc"), ("page_size", String(Self.activitiesOfPage)),
            ("page_token", query.page),
        ]
        let rows = try await get(
            "activities", from: .trading,
            { $0.appending(path: "v2", "account", "activities")?.appending(query: items) }, in: context
        ) { response throws(JSONError) in
            try JSONReader.read(response.body) { reader throws(JSONError) in
                try reader.activities()
            }
        }
        let isLast = rows.count < Self.activitiesOfPage
        // The next page begins behind the last row with an id.
        guard isLast || !rows.elements.isEmpty else { throw ProviderFailure(.alpaca, .invalidResponse(nil)) }
        return ActivityPage(
            activities: rows.elements.filter { !$0.isCanceled }.map(\.activity),
            unreadable: (isLast ? rows.failures + rows.lastFailures : rows.failures).map(\.description),
            canceledIDs: rows.elements.filter(\.isCanceled).map(\.id),
            next: isLast ? nil : rows.elements.last?.id,
            isCompleteFrom: start?.adding(days: 2).flatMap { Instant("\($0)T00:00:00Z") })
    }

    private static var rereadDays: Int { 4 }
    /// The most that Alpaca returns at once; a page with fewer is the last.
    private static var activitiesOfPage: Int { 100 }
}

/// An element of the response of `GET /v2/account/activities`: an execution, or a booking.
package struct AlpacaActivity: JSONDecodable, Hashable {
    private var fields = Fields()
    package let date: CalendarDate

    private struct Fields: JSONObjectDecodable, Hashable {
        var id = ""
        var type = ""
        var subtype: String?
        /// Of a booking.
        var date: CalendarDate?
        var createdAt: Instant?
        /// Of an execution.
        var executedAt: Instant?
        /// What the order had filled then, with this execution.
        var cumulativeQuantity: Decimal?
        var status: String?
        var symbol: Symbol?
        var side: String?
        var quantity: Decimal?
        var price: Decimal?
        var perShareAmount: Decimal?
        /// Above zero for money to the account.
        var netAmount: Decimal?
        var currency: String?
        var orderID: String?
        var groupID: String?
        var about: String?

        static let json = JSONFields(Self()) {
            $0.required("id", \.id)
            $0.required("activity_type", \.type) { reader throws(JSONError) in
                try reader.name(where: {
                    AlpacaActivity.kinds[$0] != nil || AlpacaActivity.otherTypes.contains($0)
                })
            }
            $0.optional("activity_sub_type", \.subtype, JSONReader.nonemptyString)
            $0.optional("date", \.date) { reader throws(JSONError) in try reader.bookingDate() }
            $0.optional("created_at", \.createdAt)
            $0.optional("transaction_time", \.executedAt)
            $0.optional("cum_qty", \.cumulativeQuantity)
            $0.optional("status", \.status)
            // A symbol that is none of Portico's form does not hide the activity.
            $0.optional("symbol", \.symbol) { reader throws(JSONError) in Symbol(try reader.string()) }
            $0.optional("side", \.side)
            $0.optional("qty", \.quantity)
            $0.optional("price", \.price)
            $0.optional("per_share_amount", \.perShareAmount)
            $0.optional("net_amount", \.netAmount)
            $0.optional("currency", \.currency, JSONReader.nonemptyString)
            $0.optional("order_id", \.orderID, JSONReader.nonemptyString)
            $0.optional("group_id", \.groupID, JSONReader.nonemptyString)
            $0.optional("description", \.about, JSONReader.nonemptyString)
        }

        static let outline = JSONFields(Self()) {
            $0.required("id", \.id)
            $0.optional("activity_type", \.type) { reader throws(JSONError) in
                try reader.readable(String.init(json:)) ?? ""
            }
            $0.optional("date", \.date) { reader throws(JSONError) in
                try reader.readable { reader throws(JSONError) in try reader.bookingDate() }
            }
            $0.optional("created_at", \.createdAt) { reader throws(JSONError) in
                try reader.readable(Instant.init(json:))
            }
            $0.optional("transaction_time", \.executedAt) { reader throws(JSONError) in
                try reader.readable(Instant.init(json:))
            }
            $0.optional("status", \.status) { reader throws(JSONError) in
                try reader.readable(String.init(json:))
            }
        }
    }

    /// Reads only what identifies a row: one that cannot be read completely is an activity whose figures are unknown.
    ///
    /// Without a date that can be read, it has the one with which each id begins.
    fileprivate init(outline reader: inout JSONReader, instead error: JSONError) throws(JSONError) {
        let outline = try Fields.outline.read(from: &reader)
        let digits = outline.id.prefix(8)
        let day = CalendarDate("\(digits.prefix(4))-\(digits.dropFirst(4).prefix(2))-\(digits.dropFirst(6))")
        guard let date = outline.date ?? outline.executedAt?.inNewYork.date ?? day else { throw error }
        (fields, self.date) = (outline, date)
    }

    package init(json reader: inout JSONReader) throws(JSONError) {
        fields = try Fields(json: &reader)
        // The trading day of an execution is that of New York.
        date = try reader.required(
            fields.date ?? fields.executedAt?.inNewYork.date, "date or transaction_time")
    }

    var id: String { fields.id }

    /// A cancelled booking does not count.
    var isCanceled: Bool { fields.status == "canceled" }
}

extension AlpacaActivity {
    /// The activity as an `Activity` of Portico.
    package var activity: Activity {
        let term = [fields.type, fields.subtype].compactMap(\.self).joined(separator: "/")
        var activity = Activity(id: fields.id, kind: kind, providerKind: term, date: date)
        activity.time = fields.executedAt
        activity.sequence = sequence
        // The date of a booking is that of its settlement; an execution has none.
        activity.settlementDate = fields.date
        activity.recordedAt = fields.createdAt ?? fields.executedAt
        activity.symbol = symbol
        activity.price = fields.price ?? fields.perShareAmount
        activity.orderID = fields.orderID
        activity.groupID = fields.groupID
        activity.about = fields.about
        if isExecution {
            activity.side = side
            activity.quantity = executedQuantity
            activity.currency = executionCurrency
            activity.amount = executedAmount
        } else {
            activity.quantity = changesHoldings ? fields.quantity : nil
            // The documented bookings have no currency: they are in that of the account.
            activity.currency = fields.currency ?? AlpacaMarket.currency
            activity.amount = fields.netAmount
        }
        return activity
    }

    private var isExecution: Bool { fields.type == "FILL" }

    /// Of executions, which are at the same time if an order matches several others; bookings have no time, and are in the
    /// order in which Alpaca created them.
    private var sequence: BrokerSequence? {
        if fields.executedAt != nil { return fields.cumulativeQuantity.flatMap { BrokerSequence($0) } }
        guard let created = fields.createdAt else { return nil }
        return Decimal(
            coefficient: Int128(created.secondsSince1970) * 1_000_000_000 + Int128(created.nanoseconds),
            scale: 9
        ).flatMap { BrokerSequence($0) }
    }

    private var kind: ActivityKind {
        // Alpaca reimburses fees by a transfer of cash, which is no money from outside.
        if fields.type == "JNLC", fields.about?.lowercased().contains("reimbursement") == true { return .fee }
        // Specifications of different years disagree on the direction of a "cash receipt".
        if fields.type == "CSR" { return fields.netAmount?.isNegative == true ? .withdrawal : .deposit }
        return Self.kinds[fields.type] ?? .other
    }

    /// The documented types without a meaning for which Portico has a name: `MEM` is a memo, `SWP` cash moved within the
    /// account's bank programme.
    private static let otherTypes: Set = ["CSR", "MEM", "MISC", "OCT", "INTPNL", "SWP"]

    /// The documented types with a meaning for which Portico has a name; the list grows, and the others stay `other`.
    private static let kinds: [String: ActivityKind] = [
        "FILL": .trade, "OPTRD": .trade, "OPCSH": .trade, "EXTRD": .trade, "FXTRD": .trade, "CIL": .trade,
        // The contract leaves the account; the shares of an exercise and an assignment are traded as `OPTRD`.
        "OPEXC": .trade, "OPASN": .trade, "OPEXP": .trade,
        "DIV": .dividend, "DIVCGL": .dividend, "DIVCGS": .dividend, "DIVROC": .dividend, "DIVTXEX": .dividend,
        "CGD": .dividend, "INT": .interest,
        "DIVNRA": .tax, "DIVFT": .tax, "DIVTW": .tax, "DIVWH": .tax, "INTNRA": .tax, "INTTW": .tax,
        "WH": .tax,
        "FEE": .fee, "CFEE": .fee, "DIVFEE": .fee, "PTC": .fee, "PTR": .fee,
        "CSD": .deposit, "CSW": .withdrawal,
        "JNL": .transfer, "JNLC": .transfer, "ACATC": .transfer, "JNLS": .transfer, "ACATS": .transfer,
        "FOPT": .transfer,
        "SPLIT": .split, "SSP": .split, "SPIN": .spinOff, "SSO": .spinOff,
        "MA": .merger, "REORG": .merger, "REO": .merger, "VOF": .merger, "OPCA": .merger,
        "NC": .symbolChange, "SC": .symbolChange,
    ]

    /// Whether `qty` is a change of the holdings: that of a cash dividend is the number of units entitled to it.
    private var changesHoldings: Bool {
        switch kind {
        case .dividend: fields.subtype == "SDIV"
        case .tax, .interest: false
        case .fee: fields.type == "CFEE"
        case .trade, .deposit, .withdrawal, .transfer, .split, .spinOff, .merger, .symbolChange, .other: true
        }
    }

    private var symbol: Symbol? {
        fields.symbol.map { AlpacaSymbols.symbol($0, ofClass: nil) }
    }

    private var side: OrderSide? {
        switch fields.side {
        case "buy": .buy
        case "sell", "sell_short": .sell
        default: nil
        }
    }

    private var executedQuantity: Decimal? {
        guard let quantity = fields.quantity, let side else { return nil }
        switch side {
        case .buy: return quantity
        case .sell: return try? quantity.negated
        }
    }

    /// The currency of a price: that of the second half of a pair, which may be a coin.
    private var executionCurrency: String? {
        guard let pair = symbol?.text.split(separator: "/"), pair.count == 2 else {
            return AlpacaMarket.currency
        }
        return pair[1] == AlpacaMarket.currency ? AlpacaMarket.currency : nil
    }

    /// Alpaca books quantity × price, rounded to the cent, and does not report it; the number of units of an option
    /// contract is not in the execution.
    private var executedAmount: Decimal? {
        guard executionCurrency != nil, symbol?.isAlpacaOption != true, let quantity = executedQuantity,
            let price = fields.price, let value = try? quantity * price, let amount = try? value.negated
        else { return nil }
        return amount.rounded(to: 2, .halfUp)
    }
}

/// The rows of a page of activities.
package struct AlpacaActivityRows: Sendable {
    package var elements: [AlpacaActivity] = []
    /// The errors of the rows before the last element that could not be read.
    package var failures: [JSONError] = []
    /// The errors of those behind it, which are in the next page again if there is one.
    package var lastFailures: [JSONError] = []

    var count: Int { elements.count + failures.count + lastFailures.count }
}

extension JSONReader {
    /// Reads the date of a booking, the first ten characters of the text.
    ///
    /// Alpaca's reference declares a date-time, and its responses have a date like `2026-11-17`. What follows the date is ignored.
    fileprivate mutating func bookingDate() throws(JSONError) -> CalendarDate {
        let text = try string()
        return try required(CalendarDate(text.prefix(10)), "date like \"2026-11-20\"")
    }

    /// Reads an array of activities: a row that cannot be read completely is an activity without its figures, and one
    /// without an id or a date is an error.
    package mutating func activities() throws(JSONError) -> AlpacaActivityRows {
        var rows = AlpacaActivityRows()
        try array { reader throws(JSONError) in
            let place = rows.count
            let row = try reader.row { reader throws(JSONError) in
                try reader.row(AlpacaActivity.init(json:)) { error, reader throws(JSONError) in
                    try AlpacaActivity(outline: &reader, instead: error)
                }
            }
            switch row {
            case .success(let activity):
                rows.failures += rows.lastFailures
                rows.lastFailures = []
                rows.elements.append(activity)
            case .failure(let error):
                guard rows.count < JSONRows<AlpacaActivity>.maximumFailures else { throw error }
                rows.lastFailures.append(error.inside(.index(place)))
            }
        }
        return rows
    }
}
