package import Brokerage
package import Upstream

/// The answer of `GET /v2/account`, as far as Portico tells of it.
struct AlpacaAccount: JSONDecodable, Hashable {
    var id: String
    var number: String
    var currency: String
    var status: String?
    var equity: Decimal
    var lastEquity: Decimal?
    var cash: Decimal
    var buyingPower: Decimal?
    var nonMarginableBuyingPower: Decimal?
    var initialMargin: Decimal?
    /// `trading_blocked`, `account_blocked` and `trade_suspended_by_user`, those that were sent.
    var blocks: [Bool]

    init(json reader: inout JSONReader) throws(JSONError) {
        var (id, number, currency, status) = (String?.none, String?.none, String?.none, String?.none)
        var (equity, lastEquity, cash) = (Decimal?.none, Decimal?.none, Decimal?.none)
        var (buyingPower, nonMarginable, initialMargin) = (Decimal?.none, Decimal?.none, Decimal?.none)
        var (trading, account, user) = (Bool?.none, Bool?.none, Bool?.none)
        try reader.object { key, reader throws(JSONError) in
            switch key {
            case "id": id = try reader.string()
            case "account_number": number = try reader.string()
            case "currency": currency = try reader.string()
            case "status": status = try reader.stringOrNil()
            case "equity": equity = try reader.decimal()
            case "last_equity": lastEquity = try reader.decimalOrNil()
            case "cash": cash = try reader.decimal()
            case "buying_power": buyingPower = try reader.decimalOrNil()
            case "non_marginable_buying_power": nonMarginable = try reader.decimalOrNil()
            case "initial_margin": initialMargin = try reader.decimalOrNil()
            case "trading_blocked": trading = try reader.boolOrNil()
            case "account_blocked": account = try reader.boolOrNil()
            case "trade_suspended_by_user": user = try reader.boolOrNil()
            default: try reader.skip()
            }
        }
        self.id = try reader.required(id, "id")
        self.number = try reader.required(number, "account_number")
        self.currency = try reader.required(currency, "currency")
        self.status = status
        self.equity = try reader.required(equity, "equity")
        self.lastEquity = lastEquity
        self.cash = try reader.required(cash, "cash")
        self.buyingPower = buyingPower
        self.nonMarginableBuyingPower = nonMarginable
        self.initialMargin = initialMargin
        self.blocks = [trading, account, user].compactMap(\.self)
    }
}

extension AlpacaAccount {
    /// The account in Portico's words.
    func account(fetchedAt: Instant) -> Account {
        // Alpaca does not say as of when: `balance_asof` is the day of the `last_…` figures only.
        let reading = Provenance(source: .alpaca, fetchedAt: fetchedAt)
        var account = Account(id: id, number: number, currency: currency, provenance: reading)
        account.status = status
        account.canTrade = canTrade
        account.equity = equity
        account.lastEquity = lastEquity
        account.cash = cash
        account.availableCash = availableCash
        account.buyingPower = buyingPower
        account.marginUsed = marginUsed
        return account
    }

    /// One block is enough to forbid; to allow, all three must have been sent.
    private var canTrade: Bool? {
        if blocks.contains(true) { return false }
        return blocks.count == 3 ? true : nil
    }

    /// Alpaca's buying power for what cannot be bought on margin: cash less what open orders hold.
    ///
    /// It is bounded by the cash, as what goes beyond would be borrowed, and by zero, as a debt buys nothing.
    private var availableCash: Decimal? {
        nonMarginableBuyingPower.map { max(.zero, min($0, cash)) }
    }

    /// The initial margin, not the maintenance margin.
    ///
    /// It is what the positions take away from buying power (`max(equity - initial_margin, 0) * multiplier`), so used
    /// and available margin make up the equity. The maintenance margin only tells how far prices may fall before a
    /// margin call.
    private var marginUsed: Decimal? {
        initialMargin.flatMap { try? $0.magnitude }
    }
}

extension AlpacaClient: AccountSource {
    /// A credential opens one account only.
    package func accounts(in context: CallContext) async throws(ProviderFailure) -> [Account] {
        [try await account(in: context)]
    }

    /// The account that the credential belongs to: `GET /v2/account`.
    package func account(in context: CallContext) async throws(ProviderFailure) -> Account {
        try await get(
            "account", from: .trading, { $0.appending(path: "v2", "account") }, in: context
        ) { response throws(JSONError) in
            try JSONReader.read(response.body) { reader throws(JSONError) in
                try AlpacaAccount(json: &reader).account(fetchedAt: clock.wallTime())
            }
        }
    }

    /// All that the account holds: `GET /v2/positions`, which has no pages.
    package func positions(in context: CallContext) async throws(ProviderFailure) -> [Position] {
        try await get(
            "positions", from: .trading, { $0.appending(path: "v2", "positions") }, in: context
        ) { response throws(JSONError) in
            try AlpacaPosition.list(response.body, fetchedAt: clock.wallTime())
        }
    }

    /// The account's equity over time: `GET /v2/account/portfolio/history`.
    ///
    /// Without an interval, points are a minute apart for `ONE_DAY`, a quarter of an hour for `ONE_WEEK`, a day for the
    /// rest. Alpaca has 1, 5 and 15 minutes, an hour and a day; less than a day for a month at most. Anything else is
    /// `unsupported`, and no call is made.
    package func history(
        of account: String, _ range: HistoryRange, interval: Interval?, in context: CallContext
    ) async throws(ProviderFailure) -> EquityHistory {
        guard let query = AlpacaHistoryQuery(range, interval, now: clock.wallTime()) else {
            throw ProviderFailure(.alpaca, .unsupported)
        }
        return try await get(
            "history", from: .trading,
            { $0.appending(path: "v2", "account", "portfolio", "history")?.appending(query: query.items) },
            in: context
        ) { response throws(JSONError) in
            try JSONReader.read(response.body) { reader throws(JSONError) in
                try AlpacaHistory(json: &reader)
                    .history(range, requestedInterval: query.timeframe.interval, fetchedAt: clock.wallTime())
            }
        }
    }
}
