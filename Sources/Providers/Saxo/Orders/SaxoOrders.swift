package import Brokerage
package import Upstream

extension SaxoClient: TradingAPI {
    /// Saxo's log of orders has those that have ended.
    ///
    /// Its trailing stops keep a distance in money; one in percent is refused.
    package var orderCapabilities: OrderCapabilities {
        OrderCapabilities(
            types: Set(OrderType.allCases), timesInForce: Set(TimeInForce.allCases),
            acceptsFractions: true, acceptsNotional: true, acceptsExtendedHours: true, replaces: true,
            replacesPartlyFilled: true, endedOrders: .recent, notionalClasses: [.fund],
            exits: .init(
                timesInForce: [.day, .goodTillCanceled, .goodTillDate], acceptsFractions: true))
    }

    package var previewMethod: OrderPreviewMethod {
        .broker { ticket, call throws(ProviderFailure) in try await preview(ticket, in: call) }
    }

    /// The open orders, and those that have ended in the last 30 days.
    package func orders(
        _ query: OrderQuery, in context: CallContext
    ) async throws(ProviderFailure) -> OrderPage {
        switch query.isOpen {
        case true?:
            let open = try await openOrders(in: context)
            return Self.page(open.orders, open.unreadable, query)
        case false?:
            let ended = try await endedOrders(in: context)
            return Self.page(ended.orders, ended.unreadable, query)
        case nil:
            // The open ones first: an order that ends meanwhile is in both.
            let open = try await openOrders(in: context)
            let ended = try await endedOrders(in: context)
            let ids = Set(ended.orders.map(\.id))
            return Self.page(
                open.orders.filter { !ids.contains($0.id) } + ended.orders,
                open.unreadable + ended.unreadable,
                query)
        }
    }

    package func order(
        _ id: String, of account: String?, in context: CallContext
    ) async throws(ProviderFailure) -> Order {
        let id = try SaxoOrderID(id)
        let open = try await openOrders(in: context)
        if let order = open.orders.first(where: { $0.id == id.text && $0.isOf(account) }) { return order }
        let ended: Order?
        do throws(ProviderFailure) {
            ended = try await loggedOrder(id, in: context)
        } catch {
            // The application may not read the log.
            guard error.cause == .notEntitled else { throw error }
            ended = nil
        }
        guard let ended, ended.isOf(account) else {
            // It may be one of the open orders that cannot be read.
            throw ProviderFailure(.saxo, open.unreadable.isEmpty ? .notFound : .invalidResponse(nil))
        }
        return ended
    }

    /// Finds an order by its `ExternalReference` among the open ones, then in the log of the last 30 days.
    ///
    /// An order that is in neither is no proof that Saxo never received it.
    package func order(
        clientID: String, of account: String?, in context: CallContext
    ) async throws(ProviderFailure) -> OrderLookup {
        let orders = try await openOrders(in: context).orders.filter { $0.isOf(account) }
        if let order = orders.first(where: { $0.clientOrderID == clientID }) { return .found(order) }
        let logged = try await readableOrders(in: context).filter { $0.isOf(account) }
        if let order = logged.first(where: { $0.clientOrderID == clientID && $0.state != .unknown }) {
            let prefix = SaxoOrderRequestBody.legPrefix(of: clientID)
            let open = Set(orders.map(\.id))
            var found = order
            found.legs = (orders + logged.filter { !open.contains($0.id) && $0.state != .unknown })
                .filter { $0.clientOrderID?.hasPrefix(prefix) ?? false }
                .sorted { ($0.clientOrderID ?? "") < ($1.clientOrderID ?? "") }
            return .found(found)
        }
        let references = [1, 2].map { SaxoOrderRequestBody.legPrefix(of: clientID) + String($0) }
        let legs = orders.filter { $0.clientOrderID.map(references.contains) ?? false }
        // Exits are placed with their entry, and stay without it only if it was filled.
        guard let leg = legs.first else { return .unknown }
        var entry = Order(
            id: "", symbol: leg.symbol, side: leg.side.opposite, state: .filled, provenance: leg.provenance)
        entry.legs = legs
        return .found(entry)
    }

    /// The terms of the ticket and of its legs, the ticket's first: at least one.
    func terms(
        of ticket: OrderTicket, _ listing: SaxoListing, in context: CallContext
    ) async throws(ProviderFailure) -> Result<[SaxoOrderRequestBody.Terms], OrderRejection> {
        // Saxo ignores the type of the amount for other instruments: the money would be a quantity. Its reference has it
        // "only supported on MutualFunds" (PlaceOrderRequest).
        if case .notional = ticket.size, listing.key.assetType != "MutualFund" {
            return .failure(.cashAmount)
        }
        var parts: [SaxoOrderRequestBody.Terms] = []
        let prices = [ticket.price] + (ticket.exits?.legs ?? [])
        for (index, price) in prices.enumerated() {
            let side = index == 0 ? ticket.side : ticket.exitSide
            let terms = try await self.terms(price, side, isExit: index > 0, of: listing, in: context)
            switch terms {
            case .success(let terms): parts.append(terms)
            case .failure(let rejection): return .failure(rejection)
            }
        }
        if ticket.isExtendedHours {
            if let rejection = try await extendedHoursRejection(of: ticket, listing, in: context) {
                return .failure(rejection)
            }
            parts[0].tradingSession = "All"
        }
        return try await adding(positionEffectOf: ticket, to: parts, listing, in: context)
    }

    // MARK: Writes

    /// Places an order: `POST /trade/v2/orders`.
    ///
    /// The client's id of it is Saxo's `ExternalReference`, at most 50 characters, and its `X-Request-ID`: Saxo takes an
    /// order of the same id once.
    package func place(
        _ ticket: OrderTicket, in context: CallContext
    ) async throws(ProviderFailure) -> OrderResult {
        guard Self.isReference(ticket.clientOrderID),
            ticket.timeInForce != .goodTillDate || ticket.expiresOn != nil
        else { throw ProviderFailure(.saxo, .unsupported) }
        let listing = try await requireListing(for: ticket.symbol, in: context)
        let parts: [SaxoOrderRequestBody.Terms]
        switch try await self.terms(of: ticket, listing, in: context) {
        case .success(let known): parts = known
        case .failure(let rejection): return .rejected(rejection)
        }
        let reply = try await send(
            "place order", .post, try address(.trading, ["v2", "orders"]),
            body: SaxoOrderRequestBody.placing(
                ticket, parts[0], exits: Array(parts.dropFirst()), of: listing.key),
            requestID: ticket.clientOrderID,
            in: context)
        switch reply {
        case .accepted(let id?, let related):
            return .accepted(
                Order(id: id, related, ticket, parts, of: listing, readAt: clock.wallTime()))
        case .rejected(let error): return .rejected(OrderRejection(saxo: error))
        case .duplicate:
            // Saxo has accepted an equal request before. A 404 of its lists is UNAVAILABLE, so that an existing order is never treated as missing.
            let found = try await order(clientID: ticket.clientOrderID, of: ticket.accountID, in: context)
            guard case .found(let order) = found else { throw Self.undecided }
            return .accepted(order)
        case .open, .accepted(nil, _): throw Self.undecided
        }
    }

    /// Changes an order, which keeps its id: `PATCH /trade/v2/orders`.
    ///
    /// The request has the whole order, so what does not change is sent again as Saxo lists it at that time: the trigger of a
    /// stop, the step of a trailing one, and the minute at which an order ends.
    package func replace(
        _ order: Order, by change: OrderReplacement, clientOrderID: String, in context: CallContext
    ) async throws(ProviderFailure) -> OrderResult {
        _ = try SaxoOrderID(order.id)
        guard Self.isReference(clientOrderID), let price = change.price ?? order.price,
            let amount = change.quantity ?? order.quantity ?? order.notional,
            let timeInForce = change.timeInForce ?? order.timeInForce
        else { throw ProviderFailure(.saxo, .unsupported) }
        let needsRow =
            change.keepsTrigger(of: order) || timeInForce == .goodTillDate && change.expiresOn == nil
        let row: SaxoOpenOrder? = if needsRow { try await openRow(order.id, in: context) } else { nil }
        if needsRow, row == nil { return .rejected(.notOpen) }
        let duration = change.duration(timeInForce, row?.terms.duration)
        guard duration.isComplete else { throw ProviderFailure(.saxo, .unsupported) }
        let listing = try await requireListing(for: order.symbol, in: context)
        var terms: SaxoOrderRequestBody.Terms
        // A trailing stop without a new price keeps its current stop price, which may have moved since the order was read.
        let current = row?.order(of: listing, fetchedAt: clock.wallTime())
        let stop = change.price == nil ? current?.stopPrice ?? order.stopPrice : nil
        switch try await self.terms(price, order.side, from: stop, keeping: row, of: listing, in: context) {
        case .success(let known): terms = known
        case .failure(let rejection): return .rejected(rejection)
        }
        if order.isExtendedHours ?? row?.terms.isForAllSessions ?? false { terms.tradingSession = "All" }
        let isCash = change.quantity == nil && order.quantity == nil
        let body = SaxoOrderRequestBody.changing(
            order, to: amount, isCash: isCash, terms, duration, of: listing.key,
            account: try await accountKey(of: order, in: context))
        let reply = try await send(
            "change order", .patch, try address(.trading, ["v2", "orders"]), body: body,
            requestID: clientOrderID, in: context)
        switch reply {
        case .accepted(let id, _):
            var changed = order
            changed.id = id ?? order.id
            changed.quantity = isCash ? nil : amount
            changed.set(price, terms, of: listing)
            changed.timeInForce = duration.type.flatMap { TimeInForce(saxo: $0) }
            changed.expiresAt = duration.expiresAt
            changed.provenance = Provenance(source: .saxo, fetchedAt: clock.wallTime())
            return .accepted(changed)
        case .rejected(let error): return .rejected(OrderRejection(saxo: error))
        case .duplicate:
            do throws(ProviderFailure) {
                return .accepted(try await self.order(order.id, of: order.accountID, in: context))
            } catch {
                // Saxo has accepted an equal request before, so an open order that is missing from its list
                // does not show the outcome of the change.
                throw error.cause == .notFound ? Self.undecided : error
            }
        case .open: throw Self.undecided
        }
    }

    /// Requests the cancellation of an order and its legs: `DELETE /trade/v2/orders/{id,id…}`.
    ///
    /// Saxo cancels them one after the other, and none after the first error (its recorded response in OrderCancellationTests).
    /// The order is the first: if it has just been filled, its exits stay and protect the position.
    package func cancel(_ order: Order, in context: CallContext) async throws(ProviderFailure) -> OrderResult
    {
        var ids = [try SaxoOrderID(order.id).text]
        for leg in order.legs where !leg.state.isFinal { ids.append(try SaxoOrderID(leg.id).text) }
        let url = try address(
            .trading, ["v2", "orders", ids.joined(separator: ",")],
            [("AccountKey", try await accountKey(of: order, in: context))])
        let sent = ids
        let reply = try await write("cancel order", orderCaller, .delete, url, in: context) {
            response throws(JSONError) in try SaxoCancelResponse(response, of: sent)
        }
        switch reply {
        case .results(let outcomes):
            switch outcomes.first {
            case .accepted?:
                let results = Dictionary(zip(ids, outcomes)) { first, _ in first }
                return .accepted(order.cancelled(results, at: clock.wallTime()))
            case .rejected(let error)?: return .rejected(OrderRejection(saxo: error))
            case .open?, nil: throw Self.undecided
            }
        case .rejected(let error): return .rejected(OrderRejection(saxo: error))
        case .open: throw Self.undecided
        }
    }

    private func send(
        _ operation: String, _ method: HTTPClientMethod, _ url: HTTPURL,
        body: [UInt8]? = nil, requestID: String? = nil, in context: CallContext
    ) async throws(ProviderFailure) -> SaxoOrderResponse {
        try await write(
            operation, orderCaller, method, url, body: body, requestID: requestID, in: context,
            read: SaxoOrderResponse.init)
    }

    /// It is unknown whether Saxo has the order: it is looked up, and never sent again.
    private static var undecided: ProviderFailure { ProviderFailure(.saxo, .invalidResponse(nil)) }

    /// Visible ASCII, as it also goes into a header field.
    private static func isReference(_ text: String) -> Bool {
        (1...50).contains(text.utf8.count) && text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
    }

    func requireListing(
        for symbol: Symbol, in context: CallContext
    ) async throws(ProviderFailure) -> SaxoListing {
        guard let listing = try await listing(for: symbol, in: context) else {
            throw ProviderFailure(.saxo, .notFound)
        }
        // Without the unit of its prices, only an order without a price is sent.
        return (try? await withPriceUnit(listing, in: context)) ?? listing
    }

    private func accountKey(of order: Order, in context: CallContext) async throws(ProviderFailure) -> String
    {
        if let key = order.accountID { return key }
        guard let first = try await identity(in: context).accounts.first else {
            throw ProviderFailure(.saxo, .notFound)
        }
        return first.key
    }
}

extension Order {
    fileprivate func isOf(_ account: String?) -> Bool {
        account == nil || accountID == nil || accountID == account
    }

    /// Creates the order of an accepted ticket, with its legs.
    ///
    /// - Parameters:
    ///   - id: The id of the order, or of the first order of a pair that was placed.
    ///   - related: The results of the legs; of a pair, those of both orders.
    ///   - ticket: The ticket.
    ///   - parts: The terms of the ticket and its legs.
    ///   - listing: The instrument.
    ///   - now: The time of the response.
    fileprivate init(
        id: String, _ related: [SaxoOrderResult.Item], _ ticket: OrderTicket,
        _ parts: [SaxoOrderRequestBody.Terms], of listing: SaxoListing, readAt now: Instant
    ) {
        let prices = [ticket.price] + (ticket.exits?.legs ?? [])
        // A list contains the order itself; otherwise the response names it apart from those that belong to it.
        let isList = related.contains { $0.orderID == id }
        let results = isList ? related : [SaxoOrderResult.Item(orderID: id)] + related
        var orders: [Order] = []
        for (index, result) in results.enumerated() where index < min(prices.count, parts.count) {
            var order = Order(
                id: result.error == nil ? result.orderID ?? "" : "", symbol: ticket.symbol,
                side: index == 0 ? ticket.side : ticket.exitSide, state: .accepted,
                provenance: Provenance(source: .saxo, fetchedAt: now))
            order.accountID = ticket.accountID
            order.clientOrderID = SaxoOrderRequestBody.reference(of: ticket, leg: index)
            order.timeInForce = SaxoOrderRequestBody.timeInForce(of: ticket, parts[index])
            order.isExtendedHours = parts[index].tradingSession != nil
            order.set(prices[index], parts[index], of: listing)
            switch ticket.size {
            case .quantity(let amount): order.quantity = amount
            case .notional(let amount): order.notional = amount
            }
            if let error = result.error {
                order.state = .rejected
                order.rejection = OrderRejection(saxo: error)
            }
            orders.append(order)
        }
        // Of a pair, the first that was placed; the other is its leg, also if it was refused.
        let main = orders.firstIndex { $0.id == id } ?? 0
        self = orders[main]
        self.clientOrderID = ticket.clientOrderID
        legs = orders.enumerated().filter { $0.offset != main }.map { _, leg in
            var leg = leg
            leg.parentID = id
            return leg
        }
    }
}
