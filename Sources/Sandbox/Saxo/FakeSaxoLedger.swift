import Brokerage

/// The ledger of a client's accounts with the trades of the running sandbox, until the last end of day.
///
/// Saxo fills reports and performance once a day; a day ends at 17:00 in New York.
struct FakeSaxoLedger {
    /// The accounts, in the order of the client.
    let accounts: [Account]
    let client: FakeSaxoClient
    let market: Market
    /// The last day that has ended.
    let lastDay: CalendarDate

    struct Account {
        let account: FakeSaxoAccount
        /// In the order of their moments.
        let rows: [Row]
    }

    /// An entry with what reports add to it.
    struct Row {
        let entry: LedgerEntry
        let account: FakeSaxoAccount
        /// Nil for a trade from before the start of the sandbox.
        let orderID: String?
        /// True for a trade that opens or enlarges a position.
        let isOpening: Bool

        /// `TradeId` of the entry's event.
        var tradeID: String { String(6_800_000_000 + number(of: entry.event)) }
        /// `BkAmountId`.
        var bookingID: String { String(7_000_000_000 + number(of: entry.number)) }

        /// Identifiers of accounts that differ in their last four digits are different.
        private func number(of number: Int) -> Int {
            (Int(account.id) ?? 0) % 10_000 * 10_000 + number
        }
    }

    /// Reads the ledgers of some of the client's accounts.
    init(_ accounts: [FakeSaxoAccount], _ context: FakeSaxoHost.AuthenticatedRequest) throws {
        client = context.client
        market = context.view.market
        let local = context.view.instant.inNewYork
        let lastDay = local.hour >= 17 ? local.date : local.date.adding(days: -1) ?? local.date
        self.lastDay = lastDay
        self.accounts = try accounts.map { account in
            let history = try context.view.market.histories.history(
                of: account.plan, in: context.view.market, through: context.view.now)
            let executions = context.activity.executions.filter { $0.accountKey == account.key }
            var placed: [LedgerEntry] = []
            var orders: [Int: String] = [:]
            for execution in executions {
                let number = Self.firstPlaced + placed.count
                orders[number] = execution.orderID
                placed += try LedgerEntry.entries(
                    of: execution, number: number, in: account.currency, context.view.market)
            }
            let entries = (history.entries(through: context.view.now) + placed)
                .filter { $0.date <= lastDay }
                .sorted { ($0.second, $0.number) < ($1.second, $1.number) }
            var holdings: [String: Decimal] = [:]
            let rows = try entries.map { entry in
                let symbol = entry.instrument?.symbol ?? ""
                let held = holdings[symbol] ?? .zero
                holdings[symbol] = try held + entry.change
                return Row(
                    entry: entry, account: account, orderID: orders[entry.event],
                    isOpening: held.isZero || held.isNegative == entry.change.isNegative)
            }
            return Account(account: account, rows: rows)
        }
    }

    /// The number of the first trade of the running sandbox; ledgers have fewer entries.
    private static let firstPlaced = 5_000

    /// Returns an amount in another currency at the closes of a day.
    func converted(_ amount: Decimal, from: String, to: String, on day: CalendarDate) throws -> Decimal {
        try FakeSaxoRates(market: market, second: 0, closeOf: day).converted(amount, from: from, to: to)
    }
}

extension LedgerEntry {
    /// A trade of the running sandbox and its commission, as ``FakeSaxoPositionBook`` books them.
    fileprivate static func entries(
        of execution: FakeSaxoExecution, number event: Int, in currency: String, _ market: Market
    ) throws -> [LedgerEntry] {
        let instrument = execution.listing.instrument
        let price = instrument.price(execution.price)
        let currencyOfTrade = execution.listing.currency
        let cost =
            execution.listing.assetType.isOnMargin
            ? Decimal.zero : try execution.amount * execution.listing.value(execution.price)
        let rates = FakeSaxoRates(market: market, second: execution.second)
        let moment = Instant(secondsSince1970: Int64(execution.second)) ?? .latest
        func entry(
            _ number: Int, _ kind: Kind, quantity: Decimal, price: Decimal?, amount: Decimal, cash: Decimal
        ) -> LedgerEntry {
            LedgerEntry(
                number: number, kind: kind, second: execution.second, date: moment.inNewYork.date,
                instrument: instrument, quantity: quantity, price: price, amount: amount,
                currency: currencyOfTrade,
                rate: rates.rate(from: currencyOfTrade, to: currency) ?? 1, cash: cash, event: event,
                opensShort: false)
        }
        func converted(_ amount: Decimal) throws -> Decimal {
            try rates.converted(amount, from: currencyOfTrade, to: currency)
        }
        let cash = try converted(cost)
        let trade = entry(
            event, .trade, quantity: execution.amount, price: price, amount: try cost.negated,
            cash: try cash.negated)
        let commission = execution.commission
        if commission.isZero || execution.listing.assetType.isOnMargin { return [trade] }
        // Both are converted together, so that their sum is what the account pays.
        return [
            trade,
            entry(
                event + 1, .commission, quantity: .zero, price: nil, amount: try commission.negated,
                cash: try cash - converted(cost + commission)),
        ]
    }
}

/// `BkAmountType` with its properties.
struct FakeSaxoBookingType: Hashable {
    let id: Int
    let name: String
    var amountClass = "NotAssigned"
    var costClass = "NotAssigned"

    /// The cash at the end of a day, which is no booking.
    static let cashBalance = FakeSaxoBookingType(id: -3, name: "Cash Balances")
}

extension FakeSaxoLedger.Row {
    /// True for a trade, a split and a spin-off.
    var isTrade: Bool { !entry.change.isZero || entry.kind == .split }

    var bookingType: FakeSaxoBookingType {
        switch entry.kind {
        case .trade, .split, .spinOff: FakeSaxoBookingType(id: 1, name: "Share Amount")
        case .commission:
            FakeSaxoBookingType(
                id: 2, name: "Commission", amountClass: "TransactionCosts", costClass: "TransactionCosts")
        case .regulatoryFee, .tradingActivityFee:
            FakeSaxoBookingType(
                id: 3, name: "Exchange Fee", amountClass: "TransactionCosts", costClass: "TransactionCosts")
        case .custodyFee:
            FakeSaxoBookingType(
                id: 41, name: "Depository Charges", amountClass: "OngoingCharges", costClass: "OngoingCosts"
            )
        case .dividend:
            FakeSaxoBookingType(
                id: 55, name: "Corporate Actions - Cash Dividends", amountClass: "OngoingPayment")
        case .withholdingTax: FakeSaxoBookingType(id: 56, name: "Corporate Actions - Withholding Tax")
        case .interest: FakeSaxoBookingType(id: 6, name: "Interest")
        case .deposit, .withdrawal: FakeSaxoBookingType(id: 9, name: "Cash Amount")
        }
    }

    /// `RelatedTradeId`: of a payment it is no trade's, and `0` stands for none.
    var relatedTradeID: String {
        switch entry.kind {
        case .trade, .commission, .deposit, .withdrawal: tradeID
        case .dividend, .withholdingTax, .interest, .regulatoryFee, .tradingActivityFee, .custodyFee, .split,
            .spinOff:
            "0"
        }
    }
}
