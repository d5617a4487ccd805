import Brokerage
import NIOHTTP1

/// Saxo's order endpoints.
///
/// The file is longer than 350 lines, because all endpoints share the checks of an order.
struct FakeSaxoTrading: Sendable {
    let host: FakeSaxoHost
    let disclaimers: FakeSaxoDisclaimers

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
        let group = try FakeSaxoOrderGroup(context)
        let parts = try self.parts(of: group, context)
        guard parts.contains(where: { $0.kind != nil }) else {
            return .json(["Orders": .array(parts.map { ["ErrorInfo": $0.error?.info ?? .null] })])
        }
        if let pending = disclaimers.pending(of: context.client) { throw FakeSaxoError.disclaimers(pending) }
        let orders = try host.orderBook.place(for: context.client, at: context.now) { nextID in
            self.orders(parts, isPair: group.isPair, at: context.now, nextID)
        }
        disclaimers.didPlace(for: context.client)
        if context.settings.ordersAreNotCompleted {
            return .json(["ErrorInfo": FakeSaxoOrderError.tradeNotCompleted.info], status: .accepted)
        }
        var rest = orders[...]
        let results = parts.map { part -> JSONDocument in
            if let error = part.error { return ["ErrorInfo": error.info] }
            return rest.popFirst().map { .object(result(of: $0)) } ?? .null
        }
        if group.isPair { return .json(["Orders": .array(results)]) }
        guard let entry = orders.first else { throw FakeSaxoError.order(.orderNotPlaced) }
        var members = result(of: entry)
        if results.count > 1 {
            members.append("Orders", .array(Array(results.dropFirst())))
        }
        return .json(.object(members))
    }

    /// One order of a request: its kind, or the reason for which it is refused.
    private struct Part {
        let request: FakeSaxoOrderRequest
        let listing: FakeSaxoInstrument
        var kind: FakeSaxoOrder.Kind?
        var error: FakeSaxoOrderError?
    }

    /// Checks the orders of a request.
    ///
    /// If an entry is refused, all are; a refused exit leaves the others.
    private func parts(
        of group: FakeSaxoOrderGroup, _ context: FakeSaxoHost.AuthenticatedRequest
    ) throws -> [Part] {
        guard let listing = group.main.listing else { throw FakeSaxoError.order(.illegalInstrument) }
        func part(
            _ request: FakeSaxoOrderRequest, _ check: () throws -> FakeSaxoOrder.Kind
        ) throws -> Part {
            do {
                return Part(request: request, listing: listing, kind: try check())
            } catch FakeSaxoError.order(let error) {
                return Part(request: request, listing: listing, error: error)
            }
        }
        if group.isPair {
            return try ([group.main] + group.related).map { request in
                try part(request) { try checked(request, context).1 }
            }
        }
        let kind = try checked(group.main, context).1
        return try [Part(request: group.main, listing: listing, kind: kind)]
            + group.related.map { request in
                try part(request) { try exitKind(of: request, listing, after: kind, context) }
            }
    }

    /// Returns the kind of an exit, which must be on its side of the entry: a sale at a profit above it.
    private func exitKind(
        of request: FakeSaxoOrderRequest, _ listing: FakeSaxoInstrument, after entry: FakeSaxoOrder.Kind,
        _ context: FakeSaxoHost.AuthenticatedRequest
    ) throws -> FakeSaxoOrder.Kind {
        try checkAmount(request.amount ?? .zero, of: listing)
        let kind = try request.kind(for: listing, else: nil)
        let quote = FakeSaxoQuote(listing, at: context.view, context.settings)
        guard let price = kind.price, let base = entry.price ?? quote.last else { return kind }
        guard price > 0, abs(price - base) <= base / 2 else { throw FakeSaxoError.order(.tooFarFromMarket) }
        let isAbove: Bool
        switch kind {
        case .market, .limit: isAbove = !request.isBuy
        case .stop, .stopIfTraded, .stopLimit, .trailingStop: isAbove = request.isBuy
        }
        guard isAbove ? price > base : price < base else {
            throw FakeSaxoError.order(.onWrongSideOfMarket)
        }
        return kind
    }

    /// Creates the orders of the parts that are not refused.
    private func orders(
        _ parts: [Part], isPair: Bool, at now: Instant, _ nextID: () -> String
    ) -> [FakeSaxoOrder] {
        var orders = parts.compactMap { part -> FakeSaxoOrder? in
            guard let kind = part.kind else { return nil }
            return FakeSaxoOrder(
                id: nextID(), accountKey: part.request.account.key, listing: part.listing,
                isBuy: part.request.isBuy, amount: part.request.amount ?? .zero, kind: kind,
                duration: part.request.duration ?? .untilCancelled, placed: now,
                externalReference: part.request.externalReference,
                isForAllSessions: part.request.isForAllSessions)
        }
        let exits = isPair ? orders.indices : orders.indices.dropFirst()
        for index in exits {
            if !isPair { orders[index].masterID = orders.first?.id }
            orders[index].rivalID = exits.first { $0 != index }.map { orders[$0].id }
        }
        return orders
    }

    /// Changes an order, which keeps its id.
    private func change(_ context: FakeSaxoHost.AuthenticatedRequest) throws -> SandboxResponse {
        try rejectDuplicate(context)
        let request = try FakeSaxoOrderRequest(FakeSaxoOrderRequest.body(context), context, for: .change)
        let changed = try host.orderBook.change(request.orderID ?? "", of: context.client, at: context.now) {
            order throws(FakeSaxoError) in
            guard order.accountKey == request.account.key else { throw .order(.orderNotFound) }
            // An assumption: a change without `ExecuteAtTradingSession` is one to the regular session.
            guard order.isForAllSessions == request.isForAllSessions else {
                throw .order(.extendedHoursChanged)
            }
            let kind = try request.kind(for: order.listing, else: order.kind.price)
            guard !order.hasRelatedOrders || kind.name == order.kind.name else {
                throw .order(.illegalTypeChange)
            }
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
        return .json(.object(result(of: changed)))
    }

    private func cancel(_ context: FakeSaxoHost.AuthenticatedRequest) throws -> SandboxResponse {
        let account = try requiredAccount(context)
        let wanted = (context.request.parameters["order_ids"] ?? "").split(separator: ",").map(String.init)
        // One after the other, and none after the first that cannot be cancelled. The exits of an entry end with it.
        var ended: Set<String> = []
        var hasFailed = false
        let results = wanted.map { id -> JSONDocument in
            var error: FakeSaxoOrderError? = hasFailed ? .otherNotCancelled : nil
            if !hasFailed {
                let orders = host.orderBook.cancel(
                    of: context.client, accountKey: account.key, at: context.now
                ) { $0.id == id }
                if orders.canceled.isEmpty { error = ended.contains(id) ? .tooLateToCancel : .orderNotFound }
                ended.formUnion(orders.ended)
            }
            hasFailed = error != nil
            guard let error else { return ["OrderId": .string(id)] }
            return ["OrderId": .string(id), "ErrorInfo": error.info]
        }
        return .json(["Orders": .array(results)])
    }

    /// Cancels all orders of one instrument.
    private func cancelAll(_ context: FakeSaxoHost.AuthenticatedRequest) throws -> SandboxResponse {
        let account = try requiredAccount(context)
        let assetType = try context.assetType()
        guard let uic = try context.integer("Uic", in: 0...Int.max) else {
            throw FakeSaxoError.invalid("Uic", "Uic is required")
        }
        let cancelled = host.orderBook.cancel(of: context.client, accountKey: account.key, at: context.now) {
            $0.listing.uic == uic && $0.listing.assetType == assetType
        }.canceled
        return .json(["Orders": .array(cancelled.map { ["OrderId": .string($0)] })])
    }

    /// Returns the expected result of an order, with status 200.
    ///
    /// A lack of funds is an `ErrorInfo` of a valid order.
    private func preCheck(_ context: FakeSaxoHost.AuthenticatedRequest) throws -> SandboxResponse {
        let group = try FakeSaxoOrderGroup(context)
        let groups = Set(
            (try FakeSaxoOrderRequest.body(context)["FieldGroups"]?.elements ?? []).compactMap(\.string))
        do {
            let parts = try self.parts(of: group, context)
            var members: [JSONDocument.Member] = [.init(name: "PreCheckResult", value: "Ok")]
            let errors = parts.map { part -> JSONDocument in part.error.map { ["ErrorInfo": $0.info] } ?? [:]
            }
            if group.isPair || errors.count > 1 {
                members.append(
                    .init(name: "Orders", value: .array(group.isPair ? errors : Array(errors.dropFirst()))))
            }
            if let pending = disclaimers.pending(of: context.client) {
                members.append("PreTradeDisclaimers", pending)
            }
            if let kind = parts[0].kind {
                members += try estimate(group.main, parts[0].listing, kind, groups, context)
            }
            return .json(.object(members))
        } catch FakeSaxoError.order(.wouldExceedMargin) {
            guard let listing = group.main.listing else { throw FakeSaxoError.order(.illegalInstrument) }
            let kind = try group.main.kind(for: listing, else: nil)
            return .json(
                .object(
                    [
                        .init(name: "PreCheckResult", value: "Ok"),
                        .init(name: "ErrorInfo", value: FakeSaxoOrderError.wouldExceedMargin.info),
                    ] + (try estimate(group.main, listing, kind, groups, context))))
        } catch FakeSaxoError.order(let error) {
            return .json(["PreCheckResult": "Error", "ErrorInfo": error.info])
        }
    }

    /// The amounts of an order before it is placed.
    private func estimate(
        _ request: FakeSaxoOrderRequest, _ listing: FakeSaxoInstrument, _ kind: FakeSaxoOrder.Kind,
        _ groups: Set<String>, _ context: FakeSaxoHost.AuthenticatedRequest
    ) throws -> [JSONDocument.Member] {
        let (account, format) = (request.account, context.format)
        let required = try required(request, listing, kind, context)
        let rates = FakeSaxoRates(market: context.view.market, second: context.view.now)
        let rate = rates.rate(from: listing.currency, to: account.currency) ?? 1
        var members: [JSONDocument.Member] = [
            .init(name: "EstimatedCashRequired", value: format.number(required)),
            .init(name: "EstimatedCashRequiredCurrency", value: .string(account.currency)),
            .init(name: "InstrumentToAccountConversionRate", value: format.number(rate)),
        ]
        if groups.contains("Costs") {
            let quote = FakeSaxoQuote(listing, at: context.view, context.settings)
            let price = kind.price ?? quote.last
            let commission = price.map { listing.commission(on: request.amount ?? .zero, at: $0) } ?? .zero
            let converted = try rates.converted(
                commission, from: listing.currency, to: account.currency)
            func cost(_ commission: Decimal) -> JSONDocument {
                ["Commission": format.number(commission), "ExchangeFee": 0, "StampDuty": 0]
            }
            members += [
                .init(name: "EstimatedTotalCost", value: format.number(commission)),
                .init(name: "EstimatedTotalCostInAccountCurrency", value: format.number(converted)),
                .init(name: "Cost", value: cost(commission)),
                .init(name: "CostInAccountCurrency", value: cost(converted)),
            ]
        }
        if groups.contains("MarginImpactBuySell") {
            let book = try FakeSaxoPositionBook(
                [account], in: account.currency, context.activity, at: context.view)
            let available = try FakeSaxoBalance(book, context.settings).available
            let side = request.isBuy ? "Buy" : "Sell"
            members.append(
                .init(
                    name: "MarginImpactBuySell",
                    value: .object([
                        .init(name: "Currency", value: .string(account.currency)),
                        .init(name: "InitialMarginAvailableCurrent", value: format.number(available)),
                        .init(
                            name: "InitialMarginAvailable\(side)",
                            value: format.number(try max(.zero, available - required))),
                        .init(name: "InitialMargin\(side)", value: format.number(required)),
                        .init(name: "MaintenanceMargin\(side)", value: format.number(required)),
                    ])))
        }
        return members
    }

    private func result(of order: FakeSaxoOrder) -> [JSONDocument.Member] {
        var members: [JSONDocument.Member] = [.init(name: "OrderId", value: .string(order.id))]
        if let reference = order.externalReference {
            members.append("ExternalReference", .string(reference))
        }
        return members
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
        guard context.canTrade(listing) else { throw FakeSaxoError.order(.instrumentNotAllowed) }
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
        // A limit is the highest price of a purchase, but the lowest of a sale.
        let highest =
            request.isBuy ? kind.price ?? quote.last : [kind.price, quote.last].compactMap(\.self).max()
        guard let price = highest else { return .zero }
        let value = try (request.amount ?? .zero) * listing.value(price)
        let blocked =
            listing.assetType.isOnMargin
            ? try (value * listing.marginPercent).divided(by: 100, to: 4, .halfEven) : value
        return try FakeSaxoRates(market: context.view.market, second: context.view.now)
            .converted(blocked, from: listing.currency, to: request.account.currency)
    }
}
