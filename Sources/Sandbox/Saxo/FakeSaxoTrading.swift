import Brokerage
import NIOHTTP1

/// Saxo's order endpoints (fact sheet, "Orders").
struct FakeSaxoTrading: Sendable {
    let host: FakeSaxoHost

    var routes: [SandboxRoute] { routes(under: "trade/v2") }

    /// Returns the endpoints of a version of the service.
    func routes(under version: String) -> [SandboxRoute] {
        let orders = "/\(version)/orders"
        return [
            host.route(.POST, PathTemplate(stringLiteral: orders), isOrder: true, place),
            host.route(.PATCH, PathTemplate(stringLiteral: orders), isOrder: true, change),
            host.route(.DELETE, PathTemplate(stringLiteral: orders), isOrder: true, cancelAll),
            host.route(.DELETE, PathTemplate(stringLiteral: "\(orders)/{order_ids}"), isOrder: true, cancel),
            host.route(.POST, PathTemplate(stringLiteral: "\(orders)/precheck"), preCheck),
        ]
    }

    private func place(_ context: FakeSaxoHost.AuthenticatedRequest) throws -> SandboxResponse {
        try rejectDuplicate(context)
        let request = try FakeSaxoOrderRequest(context, for: .place)
        let (listing, kind) = try checked(request, context)
        let order = try host.orderBook.place(for: context.client) { id in
            FakeSaxoOrder(
                id: id, accountKey: request.account.key, listing: listing, isBuy: request.isBuy,
                amount: request.amount ?? .zero, kind: kind, duration: request.duration ?? .untilCancelled,
                placed: context.now, externalReference: request.externalReference)
        }
        return .json(result(of: order))
    }

    /// Changes an order, which keeps its id.
    private func change(_ context: FakeSaxoHost.AuthenticatedRequest) throws -> SandboxResponse {
        try rejectDuplicate(context)
        let request = try FakeSaxoOrderRequest(context, for: .change)
        let changed = try host.orderBook.change(request.orderID ?? "", of: context.client) {
            order throws(FakeSaxoError) in
            guard order.accountKey == request.account.key else { throw .order(.orderNotFound) }
            let kind = try request.kind(for: order.listing, else: order.kind.price)
            try checkPrice(kind, order.listing, isBuy: order.isBuy, context)
            if let amount = request.amount {
                try checkAmount(amount, of: order.listing)
                order.amount = amount
            }
            order.kind = kind
            order.isTriggered = false
            if let duration = request.duration { order.duration = duration }
        }
        guard let changed else { throw FakeSaxoError.order(.orderNotFound) }
        return .json(result(of: changed))
    }

    private func cancel(_ context: FakeSaxoHost.AuthenticatedRequest) throws -> SandboxResponse {
        let account = try requiredAccount(context)
        let wanted = (context.request.parameters["order_ids"] ?? "").split(separator: ",").map(String.init)
        let cancelled = host.orderBook.cancel(of: context.client, accountKey: account.key) {
            wanted.contains($0.id)
        }
        return .json([
            "Orders": .array(
                wanted.map { id in
                    cancelled.contains(id)
                        ? ["OrderId": .string(id)]
                        : ["OrderId": .string(id), "ErrorInfo": FakeSaxoOrderError.orderNotFound.info]
                })
        ])
    }

    /// Cancels all orders of one instrument.
    private func cancelAll(_ context: FakeSaxoHost.AuthenticatedRequest) throws -> SandboxResponse {
        let account = try requiredAccount(context)
        let assetType = try context.assetType()
        guard let uic = try context.integer("Uic", in: 0...Int.max) else {
            throw FakeSaxoError.invalid("Uic", "Uic is required")
        }
        let cancelled = host.orderBook.cancel(of: context.client, accountKey: account.key) {
            $0.listing.uic == uic && $0.listing.assetType == assetType
        }
        return .json(["Orders": .array(cancelled.map { ["OrderId": .string($0)] })])
    }

    /// Returns the expected result of an order, with status 200.
    private func preCheck(_ context: FakeSaxoHost.AuthenticatedRequest) throws -> SandboxResponse {
        let request = try FakeSaxoOrderRequest(context, for: .place)
        do {
            let (listing, kind) = try checked(request, context)
            let account = request.account
            let cost = try required(request, listing, kind, context)
            let rates = FakeSaxoRates(market: context.view.market, second: context.view.now)
            let rate = rates.rate(from: listing.instrument.currency, to: account.currency) ?? 1
            return .json([
                "PreCheckResult": "Ok",
                "EstimatedCashRequired": context.format.number(cost),
                "EstimatedCashRequiredCurrency": .string(account.currency),
                "InstrumentToAccountConversionRate": context.format.number(rate),
            ])
        } catch FakeSaxoError.order(let error) {
            return .json(["PreCheckResult": "Error", "ErrorInfo": error.info])
        }
    }

    private func result(of order: FakeSaxoOrder) -> JSONDocument {
        var members: [JSONDocument.Member] = [.init(name: "OrderId", value: .string(order.id))]
        if let reference = order.externalReference {
            members.append(.init(name: "ExternalReference", value: .string(reference)))
        }
        return .object(members)
    }

    private func requiredAccount(_ context: FakeSaxoHost.AuthenticatedRequest) throws(FakeSaxoError)
        -> FakeSaxoAccount
    {
        guard let account = try context.account() else {
            throw .invalid("AccountKey", "AccountKey is required")
        }
        return account
    }

    /// Rejects an order with the same method, body and `X-Request-ID` as one of the last seconds.
    private func rejectDuplicate(_ context: FakeSaxoHost.AuthenticatedRequest) throws(FakeSaxoError) {
        let request = context.request
        let id = request.headers.first(name: "X-Request-ID") ?? ""
        let identity = Array("\(request.method.rawValue) \(id)\n".utf8) + request.body
        guard !host.orderBook.isDuplicate(identity, of: context.client, at: context.now) else {
            throw .conflict(
                code: context.settings.duplicateOrderErrorCode,
                message: "An identical order was placed within the last seconds.")
        }
    }
}

extension FakeSaxoTrading {
    /// Validates an order with market and account data; throws ``FakeSaxoOrderError`` in a `FakeSaxoError`.
    private func checked(
        _ request: FakeSaxoOrderRequest, _ context: FakeSaxoHost.AuthenticatedRequest
    ) throws -> (FakeSaxoInstrument, FakeSaxoOrder.Kind) {
        guard let listing = request.listing else { throw FakeSaxoError.order(.illegalInstrument) }
        guard listing.assetType.isTradable else { throw FakeSaxoError.order(.instrumentNotAllowed) }
        try checkAmount(request.amount ?? .zero, of: listing)
        let kind = try request.kind(for: listing, else: nil)
        try checkPrice(kind, listing, isBuy: request.isBuy, context)
        let quote = FakeSaxoQuote(listing, at: context.view, context.settings)
        // Exchanges accept orders for their next day; currency orders are rejected while the market is
        // closed.
        if kind == .market, !quote.isMarketOpen, !listing.assetType.isExchangeTraded {
            throw FakeSaxoError.order(.marketClosed)
        }
        let book = try FakeSaxoPositionBook(
            [request.account], in: request.account.currency, context.activity, at: context.view)
        let available = try FakeSaxoBalance(book, context.settings).available
        if try required(request, listing, kind, context) > available {
            throw FakeSaxoError.order(.wouldExceedMargin)
        }
        return (listing, kind)
    }

    private func checkAmount(_ amount: Decimal, of listing: FakeSaxoInstrument) throws(FakeSaxoError) {
        guard amount >= Decimal(listing.lot.minimum) else { throw .order(.amountBelowMinimum) }
        let lots = try? amount.divided(by: Decimal(listing.lot.increment), to: 9, .towardZero)
        guard lots?.withoutTrailingZeros.scale == 0 else { throw .order(.amountNotInLots) }
    }

    /// Requires that a limit for currencies is on its side of the market, a stop on the other, neither too
    /// far away.
    private func checkPrice(
        _ kind: FakeSaxoOrder.Kind, _ listing: FakeSaxoInstrument, isBuy: Bool,
        _ context: FakeSaxoHost.AuthenticatedRequest
    ) throws(FakeSaxoError) {
        let quote = FakeSaxoQuote(listing, at: context.view, context.settings)
        guard let price = kind.price, let last = quote.last else { return }
        guard price > 0, abs(price - last) <= last / 2 else { throw .order(.tooFarFromMarket) }
        let side = isBuy ? quote.ask?.price ?? last : quote.bid?.price ?? last
        let isWrong =
            switch kind {
            case .market: false
            case .limit: !listing.assetType.isExchangeTraded && (isBuy ? price >= side : price <= side)
            case .stop, .stopIfTraded, .stopLimit, .trailingStop: isBuy ? price <= side : price >= side
            }
        if isWrong { throw .order(.onWrongSideOfMarket) }
    }

    /// Returns the amount that an order reserves, in the account's currency: the price, or its margin.
    ///
    /// The sale of paid shares reserves nothing.
    private func required(
        _ request: FakeSaxoOrderRequest, _ listing: FakeSaxoInstrument, _ kind: FakeSaxoOrder.Kind,
        _ context: FakeSaxoHost.AuthenticatedRequest
    ) throws -> Decimal {
        guard request.isBuy || listing.assetType.isOnMargin else { return .zero }
        let quote = FakeSaxoQuote(listing, at: context.view, context.settings)
        guard let price = kind.price ?? quote.last else { return .zero }
        let value = try (request.amount ?? .zero) * listing.instrument.price(price)
        let blocked =
            listing.assetType.isOnMargin
            ? try (value * listing.marginPercent).divided(by: 100, to: 4, .halfEven) : value
        return try FakeSaxoRates(market: context.view.market, second: context.view.now)
            .converted(blocked, from: listing.instrument.currency, to: request.account.currency)
    }
}
