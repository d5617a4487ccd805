import Brokerage

/// Alpaca's trading host: account, positions, history and activities (docs.alpaca.markets, "Account Activities").
struct FakeAlpacaTrading: Sendable {
    let host: FakeAlpacaHost
    let accounts: FakeAlpacaAccounts
    let settings: FakeAlpacaSettings

    var routes: [SandboxRoute] {
        [
            host.get("/v2/account") { context in
                let account = try accounts.account(of: context)
                return try document(
                    FakePortfolioValuation(account.book(context.view), context.view),
                    FakeAlpacaFunds(account, context.view), account.configuration)
            },
            host.get("/v2/positions") { context in
                let account = try accounts.account(of: context)
                return .array(try positions(account, context).map { try position($0, of: account) })
            },
            host.get("/v2/positions/{symbol_or_asset_id}") { context in
                let wanted = context.request.parameters["symbol_or_asset_id"]
                let account = try accounts.account(of: context)
                let found = try positions(account, context).first {
                    $0.holding.instrument.symbol == wanted || $0.holding.instrument.id == wanted
                }
                guard let found else { throw FakeAlpacaError.positionDoesNotExist }
                return try position(found, of: account)
            },
            host.get("/v2/account/portfolio/history") { context in
                let account = try accounts.account(of: context)
                let query = try FakeAlpacaPortfolioHistoryQuery(context.request, now: context.view.instant)
                let flows = query.cashflow == nil ? [] : try FakeAlpacaActivities(account, context.view).rows
                return try FakeAlpacaPortfolioHistory(
                    query, of: account.wholeBook(context.view), at: context.view, settings, flows: flows
                ).document()
            },
            host.get("/v2/account/activities") { context in
                let query = try FakeAlpacaActivityQuery(context.request)
                let account = try accounts.account(of: context)
                return activities(try query.select(FakeAlpacaActivities(account, context.view).rows))
            },
            host.get("/v2/account/activities/{activity_type}") { context in
                let type = context.request.parameters["activity_type"] ?? ""
                let query = try FakeAlpacaActivityQuery(context.request, type: type)
                let account = try accounts.account(of: context)
                return activities(try query.select(FakeAlpacaActivities(account, context.view).rows))
            },
        ]
    }

    private func activities(_ rows: [JSONDocument]) -> JSONDocument {
        guard !settings.activitiesHaveCurrency else { return .array(rows) }
        return .array(
            rows.map { row in
                guard case .object(let members) = row else { return row }
                return .object(members.filter { $0.name != "currency" })
            })
    }

    private func positions(
        _ account: FakeAlpacaAccount, _ context: FakeAlpacaHost.AuthenticatedRequest
    ) throws -> [FakePortfolioValuation.Position] {
        try FakePortfolioValuation(account.book(context.view), context.view).positions
    }

    private func document(
        _ valuation: FakePortfolioValuation, _ funds: FakeAlpacaFunds,
        _ configuration: FakeAlpacaConfiguration
    ) throws -> JSONDocument {
        let (long, short, equity) = (try valuation.longValue, try valuation.shortValue, try valuation.equity)
        let gross = try long + short.magnitude
        let ledger = valuation.ledger
        // Alpaca's amounts have whole cents; only the equity at the previous close is sent with all its decimals.
        func amount(_ number: Decimal) -> JSONDocument { .text(number.rounded(to: 2, .halfEven)) }
        return [
            "id": .string(ledger.accountID),
            "account_number": .string(ledger.accountNumber),
            "status": "ACTIVE",
            "crypto_status": "ACTIVE",
            "currency": "USD",
            "buying_power": amount(funds.buyingPower),
            "regt_buying_power": amount(funds.buyingPower),
            "daytrading_buying_power": "0",
            "effective_buying_power": amount(funds.buyingPower),
            "non_marginable_buying_power": amount(max(.zero, valuation.cash)),
            "options_buying_power": amount(funds.excess),
            "bod_dtbp": "0",
            "cash": amount(valuation.cash),
            "accrued_fees": "0",
            "pending_reg_taf_fees": "0",
            "pending_transfer_in": "0",
            "portfolio_value": amount(equity),
            "pattern_day_trader": false,
            "trading_blocked": false,
            "transfers_blocked": false,
            "account_blocked": false,
            "created_at": .string(ledger.opened.description),
            "trade_suspended_by_user": .bool(configuration.suspendsTrading),
            "multiplier": "2",
            "shorting_enabled": .bool(!configuration.isLongOnly),
            "equity": amount(equity),
            "last_equity": .text(valuation.lastEquity),
            "long_market_value": amount(long),
            "short_market_value": amount(short),
            "position_market_value": amount(try long + short),
            "initial_margin": amount(funds.initialMargin),
            "maintenance_margin": amount(try gross * maintenance),
            "last_maintenance_margin": amount(try valuation.lastGrossValue * maintenance),
            "sma": amount(try max(.zero, valuation.lastEquity - valuation.lastGrossValue * half)),
            "daytrade_count": 0,
            "balance_asof": .string(valuation.lastDay.description),
            "crypto_tier": 1,
            "options_approved_level": 2,
            "options_trading_level": 2,
            "intraday_adjustments": "0",
            "user_configurations": nil,
        ]
    }

    private func position(_ position: FakePortfolioValuation.Position, of account: FakeAlpacaAccount) throws
        -> JSONDocument
    {
        let (holding, instrument) = (position.holding, position.holding.instrument)
        let (value, lastValue) = (try position.value, position.lastValue)
        let available = try holding.quantity - account.heldForOrders(holding)
        let profit = try value - holding.cost
        let today = try value - lastValue
        let change = try Decimal(position.price - position.lastClose).ratio(to: Decimal(position.lastClose))
        func optionalPrice(_ number: Decimal) -> JSONDocument { position.isPriced ? .text(number) : .null }
        return [
            "asset_id": .string(instrument.id),
            "symbol": .string(instrument.symbol),
            "exchange": .string(instrument.exchange.rawValue),
            "asset_class": "us_equity",
            "asset_marginable": true,
            "qty": .text(try signed(holding.quantity)),
            "qty_available": .text(try signed(available)),
            "avg_entry_price": .text(try holding.averageEntryPrice()),
            "side": holding.quantity.isNegative ? "short" : "long",
            "market_value": optionalPrice(try signed(value)),
            "cost_basis": .text(try signed(holding.cost)),
            "unrealized_pl": optionalPrice(profit),
            "unrealized_plpc": optionalPrice(try profit.ratio(to: holding.cost.magnitude)),
            "unrealized_intraday_pl": optionalPrice(today),
            "unrealized_intraday_plpc": optionalPrice(try today.ratio(to: lastValue.magnitude)),
            "current_price": optionalPrice(Decimal(cents: position.price)),
            "lastday_price": optionalPrice(Decimal(cents: position.lastClose)),
            "change_today": optionalPrice(change),
        ]
    }

    private func signed(_ number: Decimal) throws -> Decimal {
        settings.shortsAreNegative ? number : try number.magnitude
    }

    private var half: Decimal { Decimal(coefficient: 5, scale: 1) ?? .zero }
    private var maintenance: Decimal { Decimal(coefficient: 3, scale: 1) ?? .zero }
}

extension Decimal {
    /// Returns a quotient with 10 decimals, as in Alpaca's factors; zero for a zero divisor.
    func ratio(to whole: Decimal) throws -> Decimal {
        whole.isZero ? .zero : try divided(by: whole, to: 10, .halfEven)
    }
}
