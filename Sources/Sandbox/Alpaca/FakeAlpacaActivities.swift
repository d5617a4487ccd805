import Brokerage

/// One row of Alpaca's activities.
struct FakeAlpacaActivity: Sendable {
    let id: String
    /// `activity_type`.
    let type: String
    /// `created_at`, or the time of a trade: the time by which lists are filtered and ordered.
    let created: Instant
    /// The second of the market's time at which the account changes.
    let marketSecond: Int
    /// `net_amount`; zero for a trade.
    let amount: Decimal
    let json: JSONDocument
}

/// All activities of an account: its ledger, and the fills of the running sandbox with their fees.
struct FakeAlpacaActivities {
    /// Oldest first.
    let rows: [FakeAlpacaActivity]

    init(_ account: FakeAlpacaAccount, _ view: MarketView) throws {
        let writer = Writer(account: account.user.ledger.accountID, today: view.instant.inNewYork.date)
        var rows = try account.history(view).entries(through: view.now).flatMap(writer.rows)
        rows += try account.executions.map(writer.row)
        for day in try SaleFees.days(account.executions.map(\.fill)) where day.second <= view.now {
            rows += try writer.fees(day.fees, on: day.date, at: day.second)
        }
        // Rows of one moment keep the order of the ledger.
        self.rows = rows.enumerated().sorted {
            ($0.element.created, $0.offset) < ($1.element.created, $1.offset)
        }
        .map(\.element)
    }

    /// Writes entries in Alpaca's form.
    private struct Writer {
        private let random: SeededRandom
        /// The day in New York; splits until it are known.
        private let today: CalendarDate

        init(account: String, today: CalendarDate) {
            random = SeededRandom(seed: 0).branch("activities").branch(account)
            self.today = today
        }

        /// Returns the row of an entry; a split has two, for the old and the new shares.
        func rows(_ entry: LedgerEntry) throws -> [FakeAlpacaActivity] {
            switch entry.kind {
            case .trade: return [try trade(entry)]
            case .split: return try split(entry)
            case .regulatoryFee, .tradingActivityFee:
                return [
                    fee(
                        entry.kind, amount: entry.cash, shares: entry.quantity, count: nil, on: entry.date,
                        at: entry.second, uuid(entry.number))
                ]
            case .deposit, .withdrawal, .dividend, .withholdingTax, .interest, .commission, .custodyFee,
                .spinOff:
                return [try nonTrade(entry)]
            }
        }

        private func trade(_ entry: LedgerEntry) throws -> FakeAlpacaActivity {
            let ratio = ratio(entry)
            let quantity = try entry.quantity.magnitude.divided(by: Decimal(ratio), to: 12, .halfEven)
            let price = try (entry.price ?? .zero) * Decimal(ratio)
            // The ledgers sell short only shares that they do not hold.
            let side = !entry.quantity.isNegative ? "buy" : entry.opensShort ? "sell_short" : "sell"
            return fill(
                time: entry.time, second: entry.second, uuid(entry.number), orderID: uuid(entry.number, 1),
                symbol: entry.instrument?.symbol ?? "", side: side, quantity: quantity, price: price,
                cumulative: quantity, remaining: .zero)
        }

        /// Returns the row of a fill of the running sandbox.
        func row(_ execution: FakeAlpacaExecution) throws -> FakeAlpacaActivity {
            let fill = execution.fill
            let side = !fill.quantity.isNegative ? "buy" : execution.isShort ? "sell_short" : "sell"
            return self.fill(
                time: execution.time, second: fill.second, execution.id, orderID: execution.orderID,
                symbol: fill.instrument.symbol, side: side, quantity: try fill.quantity.magnitude,
                price: fill.price, cumulative: execution.cumulative, remaining: execution.remaining)
        }

        private func fill(
            time: Instant, second: Int, _ uuid: String, orderID: String, symbol: String, side: String,
            quantity: Decimal, price: Decimal, cumulative: Decimal, remaining: Decimal
        ) -> FakeAlpacaActivity {
            let id = Self.prefix(time.inNewYork, nanoseconds: Int(time.nanoseconds)) + uuid
            let isComplete = remaining.isZero
            return FakeAlpacaActivity(
                id: id, type: "FILL", created: time, marketSecond: second, amount: .zero,
                json: [
                    "id": .string(id), "activity_type": "FILL", "transaction_time": .string(time.description),
                    "type": isComplete ? "fill" : "partial_fill", "price": .text(price),
                    "qty": .text(quantity),
                    "side": .string(side), "symbol": .string(symbol), "leaves_qty": .text(remaining),
                    "order_id": .string(orderID), "cum_qty": .text(cumulative),
                    "order_status": isComplete ? "filled" : "partially_filled",
                ])
        }

        private func nonTrade(_ entry: LedgerEntry) throws -> FakeAlpacaActivity {
            let (type, subType) = Self.type(entry)
            var members: [JSONDocument.Member] = []
            let ratio = ratio(entry)
            if let instrument = entry.instrument {
                members.append("symbol", .string(instrument.symbol))
                if !entry.quantity.isZero {
                    let quantity = try entry.quantity.divided(by: Decimal(ratio), to: 12, .halfEven)
                    members.append("qty", .text(quantity))
                }
                if entry.kind == .spinOff { members.append("price", "0") }
                if let price = entry.price {
                    members.append("per_share_amount", .text(try price * Decimal(ratio)))
                }
                members.append("group_id", .string(uuid(entry.event, 2)))
            }
            if entry.isExternalFlow { members.append("description", "type: wire, subtype: none") }
            return row(
                type, subType, amount: entry.cash, on: entry.date, at: entry.second, uuid(entry.number),
                members)
        }

        /// Returns the removal of the old shares and the addition of the new ones, at the prices before and after.
        private func split(_ entry: LedgerEntry) throws -> [FakeAlpacaActivity] {
            guard let instrument = entry.instrument, let day = entry.date.adding(days: -1) else { return [] }
            let ratio = CorporateActions.splitRatio(of: instrument.symbol, on: day, knownOn: today)
            let old = try entry.quantity.divided(by: Decimal(ratio), to: 12, .halfEven)
            let (before, after) = (old.withoutTrailingZeros, entry.quantity.withoutTrailingZeros)
            let price = entry.price ?? .zero
            let legs = [
                (try old.negated, try price * Decimal(ratio), "REMOVE, From QTY:\(before), To QTY:\(after)"),
                (entry.quantity, price, "ADD, From QTY:\(before), To QTY:\(after)"),
            ]
            return legs.enumerated().map { index, leg in
                row(
                    "SPLIT", "FSPLIT", amount: .zero, on: entry.date, at: entry.second,
                    uuid(entry.number, index),
                    [
                        .init(name: "symbol", value: .string(instrument.symbol)),
                        .init(name: "qty", value: .text(leg.0)), .init(name: "price", value: .text(leg.1)),
                        .init(name: "group_id", value: .string(uuid(entry.event, 2))),
                        .init(name: "description", value: .string(leg.2)),
                    ])
            }
        }

        /// Returns the rows of the fees for a day's sales by the running sandbox.
        func fees(_ fees: SaleFees, on date: CalendarDate, at second: Int) throws -> [FakeAlpacaActivity] {
            let random = random.branch("fees")
            let day = date.daysSince1970
            return try [
                (LedgerEntry.Kind.regulatoryFee, fees.regulatory),
                (.tradingActivityFee, fees.tradingActivity),
            ].enumerated().map { index, part in
                fee(
                    part.0, amount: try part.1.negated, shares: fees.shares, count: fees.count, on: date,
                    at: second,
                    UUIDFormat.version8(
                        random.bits(4 * day + 2 * index), random.bits(4 * day + 2 * index + 1)))
            }
        }

        private func fee(
            _ kind: LedgerEntry.Kind, amount: Decimal, shares: Decimal, count: Int?, on date: CalendarDate,
            at second: Int, _ uuid: String
        ) -> FakeAlpacaActivity {
            let name = kind == .regulatoryFee ? "REG" : "TAF"
            let trades = count.map { " (\($0) trades)" } ?? ""
            let description =
                "\(name) fee for proceed of \(shares.withoutTrailingZeros) shares\(trades) on \(date)"
            return row(
                "FEE", name, amount: amount, on: date, at: second, uuid,
                [.init(name: "description", value: .string(description))])
        }

        private func row(
            _ type: String, _ subType: String?, amount: Decimal, on date: CalendarDate, at second: Int,
            _ uuid: String, _ members: [JSONDocument.Member]
        ) -> FakeAlpacaActivity {
            // The time of day is zero in the identifier of rows that are no trades.
            let id = date.description.filter { $0 != "-" } + "000000000::" + uuid
            let created = Instant(secondsSince1970: Int64(second)) ?? .latest
            var all: [JSONDocument.Member] = [
                .init(name: "id", value: .string(id)), .init(name: "activity_type", value: .string(type)),
            ]
            if let subType { all.append("activity_sub_type", .string(subType)) }
            all += [
                .init(name: "date", value: .string(date.description)),
                .init(name: "created_at", value: .string(created.description)),
                .init(name: "net_amount", value: .text(amount)),
            ]
            all += members
            all += [.init(name: "status", value: "executed"), .init(name: "currency", value: "USD")]
            return FakeAlpacaActivity(
                id: id, type: type, created: created, marketSecond: second, amount: amount, json: .object(all)
            )
        }

        private static func type(_ entry: LedgerEntry) -> (type: String, subType: String?) {
            switch entry.kind {
            case .deposit: ("CSD", nil)
            case .withdrawal: ("CSW", nil)
            case .dividend: ("DIV", "CDIV")
            case .withholdingTax: ("DIVNRA", nil)
            case .interest: ("INT", entry.cash.isNegative ? "MGN" : "CDT")
            case .spinOff: ("SPIN", nil)
            case .trade: ("FILL", nil)
            case .split: ("SPLIT", "FSPLIT")
            case .regulatoryFee: ("FEE", "REG")
            case .tradingActivityFee: ("FEE", "TAF")
            case .commission, .custodyFee: ("FEE", nil)
            }
        }

        /// Returns the number of today's shares that one share was on the day of an entry.
        private func ratio(_ entry: LedgerEntry) -> Int {
            entry.instrument.map {
                CorporateActions.splitRatio(of: $0.symbol, on: entry.date, knownOn: today)
            } ?? 1
        }

        /// Returns the identifier of an entry, or of one of its parts.
        private func uuid(_ number: Int, _ part: Int = 0) -> String {
            UUIDFormat.version8(random.bits(8 * number + 2 * part), random.bits(8 * number + 2 * part + 1))
        }

        /// `YYYYMMDDhhmmssmmm::`, in New York.
        private static func prefix(_ local: LocalTime, nanoseconds: Int) -> String {
            func padded(_ number: Int, _ width: Int) -> String {
                let digits = String(number)
                return String(repeating: "0", count: max(0, width - digits.count)) + digits
            }
            return local.date.description.filter { $0 != "-" } + padded(local.hour, 2)
                + padded(local.minute, 2)
                + padded(local.second, 2) + padded(nanoseconds / 1_000_000, 3) + "::"
        }
    }
}

/// The validated parameters of `GET /v2/account/activities`.
struct FakeAlpacaActivityQuery {
    /// Nil for all types.
    private let wanted: Set<String>?
    /// Nil for both categories.
    private let isTrade: Bool?
    private let after: Instant?
    private let until: Instant?
    private let date: CalendarDate?
    private let newestFirst: Bool
    private let pageSize: Int
    private let pageToken: String?

    /// Parses the query; `type` is the type of the path.
    ///
    /// Throws ``FakeAlpacaError/invalid(_:)`` for an invalid parameter.
    init(_ request: SandboxRequest, type: String? = nil) throws(FakeAlpacaError) {
        let names =
            type.map { [$0] }
            ?? request[query: "activity_types"].map {
                $0.split(separator: ",").map(String.init)
            }
        for name in names ?? [] where !Self.types.contains(name) {
            throw .invalid("invalid activity type: \(name)")
        }
        wanted = names.map { Set($0.flatMap { Self.groups[$0] ?? [$0] }) }
        switch request[query: "category"] {
        case nil: isTrade = nil
        case "trade_activity": isTrade = true
        case "non_trade_activity": isTrade = false
        case .some(let text): throw .invalid("invalid category: \(text)")
        }
        guard isTrade == nil || names == nil else {
            throw .invalid("only one of category and activity_types is accepted")
        }
        switch request[query: "direction"] {
        case nil, "desc": newestFirst = true
        case "asc": newestFirst = false
        case .some(let text): throw .invalid("invalid direction: \(text)")
        }
        after = try Self.instant(request, "after")
        until = try Self.instant(request, "until")
        date = try request[query: "date"].map { text throws(FakeAlpacaError) in
            guard let date = CalendarDate(text) ?? Instant(text)?.dateInUTC else {
                throw .invalid("invalid date: \(text)")
            }
            return date
        }
        let size = request[query: "page_size"] ?? String(Self.maximumPageSize)
        guard let pageSize = Int(size), (1...Self.maximumPageSize).contains(pageSize) else {
            throw .invalid("page_size must be between 1 and \(Self.maximumPageSize)")
        }
        self.pageSize = pageSize
        pageToken = request[query: "page_token"]
    }

    /// Returns a page of the rows, which are oldest first.
    func select(_ rows: [FakeAlpacaActivity]) throws(FakeAlpacaError) -> [JSONDocument] {
        var ordered = newestFirst ? rows.reversed() : rows
        if let pageToken {
            guard let last = ordered.firstIndex(where: { $0.id == pageToken }) else {
                throw .invalid("invalid page_token: \(pageToken)")
            }
            ordered.removeFirst(last + 1)
        }
        return ordered.lazy.filter(isIncluded).prefix(pageSize).map(\.json)
    }

    private func isIncluded(_ row: FakeAlpacaActivity) -> Bool {
        (wanted?.contains(row.type) ?? true) && (isTrade.map { $0 == (row.type == "FILL") } ?? true)
            && (after.map { $0 < row.created } ?? true) && (until.map { row.created < $0 } ?? true)
            && (date.map { $0 == row.created.dateInUTC } ?? true)
    }

    /// A date is midnight UTC.
    private static func instant(_ request: SandboxRequest, _ name: String) throws(FakeAlpacaError) -> Instant?
    {
        guard let text = request[query: name] else { return nil }
        if let date = CalendarDate(text) {
            return Instant(secondsSince1970: Int64(date.daysSince1970) * 86_400)
        }
        guard let instant = Instant(text) else { throw .invalid("invalid \(name): \(text)") }
        return instant
    }

    private static let maximumPageSize = 100

    /// Filters that stand for several types.
    private static let groups = ["TRANS": ["CSD", "CSW"]]

    /// All types that are accepted as filters.
    static let types: Set<String> = Set(
        """
        FILL CSD CSW JNLC ACATC MEM JNLS ACATS FOPT DIV DIVCGL DIVCGS DIVROC DIVTXEX CGD INT DIVNRA DIVFT DIVTW DIVWH \
        INTNRA INTTW WH FEE CFEE DIVFEE PTC PTR SPLIT SPIN MA NC SC REORG REO VOF FIMAT OPCA OPASN OPEXC OPEXP OPTRD \
        OPCSH JNL ALLOC CSR DVF ECEXP EXTRD FXCNV FXTRD INVPNL SUB TRANS MISC SWP TRD OPXRC
        """.split(separator: " ").map(String.init))
}
