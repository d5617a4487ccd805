import Brokerage
import NIOHTTP1

/// Alpaca's requests that close positions: `DELETE /v2/positions/{symbol_or_asset_id}` and `DELETE /v2/positions`.
///
/// A position is closed by a market order.
struct FakeAlpacaClosing: Sendable {
    let host: FakeAlpacaHost
    let accounts: FakeAlpacaAccounts

    var routes: [SandboxRoute] {
        [
            host.route(.DELETE, "/v2/positions/{symbol_or_asset_id}", scope: .trading) { context in
                let wanted = context.request.parameters["symbol_or_asset_id"]
                return .json(
                    try accounts.with(context) { account in
                        let holding = try Self.holdings(account, context).first {
                            $0.instrument.symbol == wanted || $0.instrument.id == wanted
                        }
                        guard let holding else { throw FakeAlpacaError.positionDoesNotExist }
                        return try close(
                            try size(of: holding, context.request), of: holding, &account, context)
                    })
            },
            host.route(.DELETE, "/v2/positions", scope: .trading) { context in
                let cancelsOrders = try context.request.flag("cancel_orders")
                let closed = try accounts.with(context) { account in
                    if cancelsOrders { account.cancelAll(at: context.now) }
                    return try Self.holdings(account, context).map { try row(of: $0, &account, context) }
                }
                return .json(.array(closed), status: .multiStatus)
            },
        ]
    }

    private static func holdings(
        _ account: FakeAlpacaAccount, _ context: FakeAlpacaHost.AuthenticatedRequest
    ) throws -> [FakeHolding] {
        try account.book(context.view).holdings(at: context.view.now)
    }

    /// Returns the shares to close: `qty` of them, a `percentage`, or all.
    private func size(of holding: FakeHolding, _ request: SandboxRequest) throws -> Decimal {
        func number(_ name: String) throws(FakeAlpacaError) -> Decimal? {
            guard let text = request[query: name] else { return nil }
            guard let number = Decimal(text), number > .zero, number.scale <= 9 else {
                throw .unprocessable("invalid \(name): \(text)")
            }
            return number
        }
        let held = try holding.quantity.magnitude
        switch (try number("qty"), try number("percentage")) {
        case (nil, nil): return held
        case (let quantity?, nil): return quantity
        case (nil, let percentage?):
            guard percentage <= 100 else {
                throw FakeAlpacaError.unprocessable("percentage must be between 0 and 100")
            }
            // Only a position with a fraction is closed by a fraction.
            let digits = held.withoutTrailingZeros.scale > 0 ? 9 : 0
            let part = try (held * percentage).divided(by: 100, to: digits, .towardZero)
            guard part > .zero else { throw FakeAlpacaError.unprocessable("qty must be > 0") }
            return part
        case (.some, .some):
            throw FakeAlpacaError.unprocessable("only one of qty and percentage is accepted")
        }
    }

    private func close(
        _ quantity: Decimal, of holding: FakeHolding, _ account: inout FakeAlpacaAccount,
        _ context: FakeAlpacaHost.AuthenticatedRequest
    ) throws -> JSONDocument {
        let held = try holding.quantity.magnitude
        guard quantity <= held else {
            throw FakeAlpacaError.insufficientQuantity(
                symbol: holding.instrument.symbol, requested: quantity, existing: held, available: held)
        }
        var ticket = FakeAlpacaOrderTicket(
            instrument: holding.instrument, side: holding.quantity.isNegative ? .buy : .sell, type: .market,
            timeInForce: .day)
        ticket.quantity = quantity
        return try account.submit(ticket, context.view, at: context.now).json
    }

    /// Returns the element of one position, whose order can be refused while the others are accepted.
    private func row(
        of holding: FakeHolding, _ account: inout FakeAlpacaAccount,
        _ context: FakeAlpacaHost.AuthenticatedRequest
    ) throws -> JSONDocument {
        let symbol = JSONDocument.string(holding.instrument.symbol)
        do {
            let order = try close(try holding.quantity.magnitude, of: holding, &account, context)
            return ["symbol": symbol, "status": 200, "body": order]
        } catch let error as FakeAlpacaError {
            let refusal = SandboxResponse(error)
            return [
                "symbol": symbol, "status": .integer(Int(refusal.status.code)),
                "body": (try? JSONDocument(parsing: refusal.body)) ?? .null,
            ]
        }
    }
}

extension FakeAlpacaAccount {
    /// Cancels all open orders; returns their ids.
    @discardableResult
    mutating func cancelAll(at time: Instant) -> [String] {
        let open = orders.filter(\.status.isOpen)
        for order in open where self.order(id: order.id)?.status.isOpen ?? false {
            end(order.id, as: .canceled, at: time)
        }
        return open.map(\.id)
    }
}
