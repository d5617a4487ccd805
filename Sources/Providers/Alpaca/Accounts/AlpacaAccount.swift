package import Brokerage
package import Upstream

/// The response of `GET /v2/account`, with the fields that Portico uses.
package struct AlpacaAccount: JSONObjectDecodable, Hashable {
    var id = ""
    var number = ""
    var currency = ""
    var status: String?
    package var equity = Decimal.zero
    var lastEquity: Decimal?
    var cash = Decimal.zero
    var buyingPower: Decimal?
    var nonMarginableBuyingPower: Decimal?
    var initialMargin: Decimal?
    var isTradingBlocked: Bool?
    var isAccountBlocked: Bool?
    var isSuspendedByUser: Bool?

    package static let json = JSONFields(Self()) {
        $0.required("id", \.id)
        $0.required("account_number", \.number)
        $0.required("currency", \.currency)
        $0.optional("status", \.status)
        $0.required("equity", \.equity)
        $0.optional("last_equity", \.lastEquity)
        $0.required("cash", \.cash)
        $0.optional("buying_power", \.buyingPower)
        $0.optional("non_marginable_buying_power", \.nonMarginableBuyingPower)
        $0.optional("initial_margin", \.initialMargin)
        $0.optional("trading_blocked", \.isTradingBlocked)
        $0.optional("account_blocked", \.isAccountBlocked)
        $0.optional("trade_suspended_by_user", \.isSuspendedByUser)
    }
}

extension AlpacaAccount {
    /// The account as an `Account` of Portico.
    package func account(fetchedAt: Instant) -> Account {
        // Alpaca's response has no time of the figures: `balance_asof` is the day of the `last_…` figures
        // only.
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
        let blocks = [isTradingBlocked, isAccountBlocked, isSuspendedByUser]
        if blocks.contains(true) { return false }
        return blocks.contains(nil) ? nil : true
    }

    /// Alpaca's buying power for what cannot be bought on margin: cash less what open orders hold.
    ///
    /// It is bounded by the cash, as what goes beyond would be borrowed, and by zero, as a debt buys nothing.
    private var availableCash: Decimal? {
        nonMarginableBuyingPower.map { max(.zero, min($0, cash)) }
    }

    /// The initial margin, not the maintenance margin.
    ///
    /// The positions reduce buying power by it (`max(equity - initial_margin, 0) * multiplier`), so used and
    /// available margin add up to the equity. The maintenance margin only limits how far prices may fall
    /// before a margin call.
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
            try AlpacaAccount(json: response.body).account(fetchedAt: clock.wallTime())
        }
    }

    /// All that the account holds: `GET /v2/positions`, which has no pages.
    package func positions(in context: CallContext) async throws(ProviderFailure) -> PositionList {
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
    /// `unsupported`, and no call is made. If the last two days have the same equity, the account is read, too.
    package func history(
        of account: String, _ range: DateRange, interval: Interval?, in context: CallContext
    ) async throws(ProviderFailure) -> EquityHistory {
        guard let query = AlpacaHistoryQuery(range, interval, now: clock.wallTime()) else {
            throw ProviderFailure(.alpaca, .unsupported)
        }
        let history = try await get(
            "history", from: .trading,
            { $0.appending(path: "v2", "account", "portfolio", "history")?.appending(query: query.items) },
            in: context
        ) { response throws(JSONError) in try AlpacaHistory(json: response.body) }
        let (interval, now) = (query.timeframe.interval, clock.wallTime())
        var equity: Decimal?
        if history.repeatsPreviousDay(of: interval, at: now) {
            // If the account cannot be read, the history is as Alpaca reports it.
            equity = (try? await self.account(in: context))?.equity
        }
        return history.history(
            range, requestedInterval: interval, fetchedAt: now, accountEquity: equity)
    }
}
