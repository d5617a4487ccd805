import Brokerage
package import GraphQL
import PorticoCore
import Storage
import Upstream

/// Places, replaces and cancels orders.
///
/// The file is longer than 350 lines, because the three share the steps before and after a write.
package struct OrderEntryService: Sendable {
    let scope: RequestScope
    let workflow: OrderWorkflow
    let subscriptions: LiveSubscriptions
}

extension OrderEntryService {
    package init(_ scope: RequestScope) {
        self.init(
            scope: scope, workflow: scope.services.userData.orders,
            subscriptions: scope.services.subscriptions)
    }

    // MARK: Placing

    /// Places an order, once for its key.
    ///
    /// The write continues if the client disconnects: a repeated request with the same key returns its
    /// outcome.
    func place(_ input: PlaceOrderInput) throws -> MaybeAsync<OrderPayload?> {
        let (connection, tradingAPI) = try self.tradingAPI(ofAccount: input.order.account)
        let ticket = try input.order.ticket(at: connection)
        try tradingAPI.orderCapabilities.check(ticket, at: connection.provider)
        let isStored = try isStored(connection)
        return .async {
            let permit = try await self.toolPermit(for: ticket, input.idempotencyKey, by: connection)
            let placing = OrderPlacement(
                ticket, key: permit?.idempotencyKey ?? input.idempotencyKey.text, by: connection,
                isStored: isStored, within: permit?.limit)
            let key = OrderWorkflow.PlacementKey(
                owner: connection.owner, idempotencyKey: UTF8Key(placing.idempotencyKey))
            let task = self.workflow.taskQueue.enqueue(key) {
                try await self.place(placing, input, at: tradingAPI, by: connection)
            }
            return OrderPayload(order: try await task.value)
        }
    }

    /// The permission to place an order by a tool; nil if the order is not placed by a tool.
    private func toolPermit(
        for ticket: OrderTicket, _ call: IdempotencyKey, by connection: BrokerConnection
    ) async throws(FieldError) -> ToolOrders.Permit? {
        guard scope.isToolCall else { return nil }
        let subject = ToolOrders.Subject(ticket: ticket, connection: connection.id)
        return try await scope.services.toolOrders.permit(subject, of: scope.session, call: call.text) {
            try? await QuoteService(scope).quotes(for: [ticket.symbol], from: connection.provider).value()
                .first?.get()
        }
    }

    private func place(
        _ placing: OrderPlacement, _ input: PlaceOrderInput, at tradingAPI: any TradingAPI,
        by connection: BrokerConnection
    ) async throws -> ConnectedOrder {
        let journal = workflow.journal
        var start = try await journal.find(placing)
        if start == nil {
            try await check(
                input.order, placing.ticket, tradingAPI.orderCapabilities, at: connection.provider)
            start = try await journal.begin(placing)
        }
        switch start {
        case .begun(let order):
            return try await send(placing.id, order, by: connection) { call throws(ProviderFailure) in
                try await tradingAPI.place(placing.ticket, in: call)
            }
        case .known(let order): return try await known(order, of: connection)
        case .full(let limit):
            throw FieldError(
                .conflict, "The journal has \(limit) orders of this user, which is as many as it takes.")
        case .valueLimitExceeded(let sum):
            throw placing.valueLimit.map { scope.services.toolOrders.refusal(above: $0, sum) }
                ?? .internalError
        case .connectionDeleted:
            throw FieldError.noAccount(input.order.account).of(argument: "input.accountId")
        case .otherOrder, nil:
            throw FieldError.argument(
                "input.idempotencyKey", code: .conflict,
                "Another order was placed with this key. Take a new key for each order.")
        }
    }

    /// The connection of an account, and its broker's interface for orders.
    func tradingAPI(ofAccount id: String) throws -> (BrokerConnection, any TradingAPI) {
        let connections = try ConnectionDirectory(scope).connections(with: nil)
        guard let connection = connections.first(where: { id.hasPrefix($0.globalID(ofAccount: "")) })
        else { throw FieldError.noAccount(id).of(argument: "input.accountId") }
        return (connection, try tradingAPI(of: connection))
    }

    /// Checks an order that is not in the journal: its last day has not passed, the account exists, and the broker
    /// trades the instrument in this way.
    private func check(
        _ input: OrderInput, _ ticket: OrderTicket, _ capabilities: OrderCapabilities,
        at provider: ProviderID
    ) async throws {
        try ticket.expiresOn?.checkAsLastDay(at: scope.clock.wallTime())
        _ = try await naming("input.accountId") {
            try await AccountService(scope).account(id: input.account, with: nil).value()
        }
        try await checkInstrument(input, ticket, capabilities, at: provider)
    }

    /// Checks that the broker trades the instrument of an order in this way.
    ///
    /// - Returns: The instrument as the broker trades it; nil without a source of instruments: then the broker checks
    ///   the order.
    @discardableResult
    func checkInstrument(
        _ input: OrderInput, _ ticket: OrderTicket, _ capabilities: OrderCapabilities,
        at provider: ProviderID
    ) async throws -> Instrument? {
        guard
            MarketDataReads(scope).allSources.contains(where: {
                $0.provider == provider && $0.instruments != nil
            })
        else {
            return nil
        }
        let argument = "input.instrument.\(input.instrument.field)"
        let found = try await naming(argument) {
            try await InstrumentService(scope).instrument(ticket.symbol, at: provider).value()
        }
        if let listing = found?.listing, listing.provider == provider {
            try listing.check(ticket, naming: argument)
        }
        if let found { try capabilities.checkSize(of: ticket, found.assetClass, at: provider) }
        return found
    }

    /// Adds the name of the argument to errors.
    func naming<Value>(
        _ argument: String, _ body: () async throws -> Value
    ) async throws -> Value {
        do {
            return try await body()
        } catch let error as FieldError {
            throw error.of(argument: argument)
        }
    }

    /// An order that was placed before, in its present state if the broker returns it.
    private func known(_ order: JournalOrder, of connection: BrokerConnection) async throws -> ConnectedOrder
    {
        let name = ConnectedOrder.Name.current(order.identity.id)
        let current = try? await OrderService(scope).order(id: name.globalID(of: connection)).value()
        return current ?? ConnectedOrder(order, order.currentOrder, of: connection)
    }

    // MARK: Changing

    /// Has the broker change an order.
    func replace(_ id: String, by input: ReplaceOrderInput) throws -> MaybeAsync<OrderPayload?> {
        guard !scope.isToolCall else { throw ToolOrders.noReplacement }
        let change = try input.change()
        return try self.change(id, .replace(change)) {
            tradingAPI, order, write, call throws(ProviderFailure) in
            if let rejection = try await tradingAPI.rejection(ofChanging: order, in: call) {
                return .rejected(rejection)
            }
            return try await tradingAPI.replace(
                order, by: change, clientOrderID: write.clientOrderID, in: call)
        } checking: { [clock = scope.clock] tradingAPI, order throws(FieldError) in
            try change.expiresOn?.checkAsLastDay(at: clock.wallTime())
            try tradingAPI.orderCapabilities.check(
                change, of: order.order, inGroup: order.isInGroup, at: order.connection.provider)
            if let rejection = tradingAPI.orderCapabilities.rejection(ofChanging: order.order) {
                throw .rejected(rejection, by: order.connection.provider)
            }
        }
    }

    /// Requests the cancellation of an order.
    package func cancel(_ id: String) throws -> MaybeAsync<OrderPayload?> {
        try change(id, .cancel) { tradingAPI, order, _, call throws(ProviderFailure) in
            try await tradingAPI.cancel(order, in: call)
        } checking: { _, _ in
        }
    }

    private func change(
        _ id: String, _ kind: JournalWrite.Kind,
        by send:
            @escaping @Sendable (any TradingAPI, Order, JournalWrite, CallContext)
            async throws(ProviderFailure)
            -> OrderResult,
        checking check: @escaping @Sendable (any TradingAPI, ConnectedOrder) throws(FieldError) -> Void
    ) throws -> MaybeAsync<OrderPayload?> {
        let order = try OrderService(scope).order(id: id)
        return .async {
            let order = try await order.value()
            let tradingAPI = try self.tradingAPI(of: order.connection)
            // The remedies of the check are for an order that is open.
            try order.requireChangeable()
            try check(tradingAPI, order)
            // A separate task, so that the write continues if the client disconnects.
            return OrderPayload(
                order: try await Task {
                    let (write, known) = try await self.begin(kind, of: order)
                    return try await self.send(write.id, known, by: order.connection) {
                        call throws(ProviderFailure) in
                        try await send(tradingAPI, order.order, write, call)
                    }
                }.value)
        }
    }

    /// Records in the journal a change that is about to be sent for an order.
    ///
    /// - Returns: The write to send, and the order before it.
    private func begin(
        _ kind: JournalWrite.Kind, of order: ConnectedOrder
    ) async throws -> (JournalWrite, JournalOrder) {
        let connection = order.connection
        let identity = OrderIdentity(
            owner: connection.owner, connection: connection.id, id: order.name.text)
        let isStored = try isStored(connection)
        let start = try await workflow.journal.begin(
            kind, of: order.order, identity, isConnectionStored: isStored, at: connection.provider)
        switch start {
        case .begun(let write, let order): return (write, order)
        case .connectionDeleted: throw FieldError.noOrder(order.globalID)
        case .busy(let name): throw FieldError.busy(name)
        case .moved:
            throw FieldError(.conflict, "The order has just changed. Read it again, and repeat the change.")
        }
    }

    // MARK: Sending

    /// Whether a user has created the connection; false for a connection of the settings.
    ///
    /// - Throws: `FieldError` NOT_FOUND if the connection has been deleted in the meantime.
    private func isStored(_ connection: BrokerConnection) throws(FieldError) -> Bool {
        guard let link = ConnectionDirectory(scope).link(of: connection) else {
            throw FieldError.noConnection(ProviderConnection.globalID(connection.id))
        }
        return link.stored != nil
    }

    private func tradingAPI(of connection: BrokerConnection) throws(FieldError) -> any TradingAPI {
        guard let tradingAPI = connection.orders else {
            throw FieldError(
                .unsupported, "\(connection.provider.name.text) takes no orders.",
                provider: connection.provider)
        }
        return tradingAPI
    }

    /// Sends a write that is in the journal, and records its outcome.
    ///
    /// - Parameters:
    ///   - id: The id of the write.
    ///   - order: The order before the write.
    ///   - connection: The connection of the order.
    ///   - call: Sends the write, once.
    /// - Returns: The order after the write.
    /// - Throws: `FieldError` if the broker rejected a change, or if nothing can have been changed.
    private func send(
        _ id: String, _ order: JournalOrder, by connection: BrokerConnection,
        _ call: (CallContext) async throws(ProviderFailure) -> OrderResult
    ) async throws -> ConnectedOrder {
        let attempt = OrderWriteAttempt(id, in: workflow.journal)
        let outcome: OrderWriteOutcome?
        var failure: FieldError?
        do throws(ProviderFailure) {
            switch try await call(scope.call.observingWrites(with: attempt.observer)) {
            case .accepted(let order): outcome = .accepted(order)
            case .rejected(let rejection):
                outcome = .rejected(rejection)
                if order.providerOrderID != nil { failure = .rejected(rejection, by: connection.provider) }
            }
        } catch {
            (outcome, failure) = attempt.outcome(of: error)
        }
        // Before the outcome is recorded: a reader that finds it in the journal must not find an older list
        // in the cache.
        scope.services.reads.invalidateHoldings(of: connection.owner, at: connection.provider)
        var (recorded, isSettled) = (JournalOrder?.none, true)
        do throws(StorageError) {
            if let outcome { recorded = try await workflow.journal.recordOutcome(outcome, of: id) }
            if case .responseLost = outcome { isSettled = false }
        } catch {
            isSettled = false
        }
        // An outcome that could not be recorded is kept until it can be.
        workflow.journal.release(id, keeping: isSettled ? nil : outcome)
        if !isSettled { workflow.wakeSignal.send() }
        workflow.followedConnections.send(for: connection.owner, connection.id)
        // Also after a failure: the broker may have changed the order.
        defer { subscriptions.holdingsChanged(of: connection.owner) }
        if let failure {
            subscriptions.orders.changed(by: connection)
            if failure.rejection == .tooLate, let end = await ended(order, of: connection) { throw end }
            throw failure
        }
        var current = recorded ?? outcome.map(order.after) ?? order
        // They are not stored, because the next check of the order names others.
        if case .rejected(let rejection) = outcome {
            current.order.rejection?.disclaimers = rejection.disclaimers
        }
        let connected = ConnectedOrder(current, current.currentOrder, of: connection)
        subscriptions.orders.publish(connected)
        return connected
    }

    /// The error of a change that came too late, after the end of its order was read; nil if the order has not ended, or
    /// could not be read.
    private func ended(_ order: JournalOrder, of connection: BrokerConnection) async -> FieldError? {
        let now = try? await OrderService(scope).order(.current(order.identity.id), of: connection)
        guard let state = now?.order.state, state.isFinal else { return nil }
        return .rejected(.ended(in: state), by: connection.provider)
    }
}

extension OrderRejection {
    /// A change that is not possible, because the order has ended.
    static func ended(in state: OrderState) -> OrderRejection {
        OrderRejection(.tooLate, message: "The order has ended: its state is \(state.rawValue).")
    }
}

extension OrderInput {
    /// The order of the input, without the id for the broker.
    ///
    /// - Throws: `FieldError` BAD_USER_INPUT for exits that are not complete, or that have a price besides their own.
    func ticket(at connection: BrokerConnection) throws(FieldError) -> OrderTicket {
        let account = String(self.account.dropFirst(connection.globalID(ofAccount: "").count))
        var exits = self.exits.map { OrderExits(takeProfit: $0.takeProfit?.value, stopLoss: $0.stopLoss) }
        if let exits, exits.takeProfit == nil, exits.stopLoss == nil {
            throw .argument("input.exits", "It has neither a take profit nor a stop loss.")
        }
        var price = self.price?.price ?? .market
        if let pair = self.exits, pair.closesPosition {
            guard let profit = pair.takeProfit?.value, pair.stopLoss != nil else {
                throw .argument(
                    "input.exits",
                    "Exits that close a position need both a take profit and a stop loss, of which one cancels the other."
                )
            }
            guard self.price == nil else {
                throw .argument(
                    "input.price", "Exits that close a position have the prices of the order: omit `price`.")
            }
            exits?.closesExistingPosition = true
            price = .limit(profit)
        }
        return OrderTicket(
            clientOrderID: "", accountID: account, symbol: instrument.symbol, side: side, size: size.size,
            price: price, timeInForce: timeInForce, expiresOn: expiresOn, isExtendedHours: isExtendedHours,
            exits: exits)
    }
}

extension OrderPlacement {
    fileprivate init(
        _ ticket: OrderTicket, key: String, by connection: BrokerConnection, isStored: Bool,
        within limit: OrderValueLimit?
    ) {
        self.init(
            owner: connection.owner, connection: connection.id, isConnectionStored: isStored,
            provider: connection.provider, idempotencyKey: key, ticket: ticket, valueLimit: limit)
    }
}

extension JournalOrder {
    /// The order as its journal would have it.
    fileprivate func after(_ outcome: OrderWriteOutcome) -> JournalOrder {
        var known = self
        switch outcome {
        case .accepted(let order), .found(let order): known.order = order
        case .responseLost, .abandoned:
            known.latestWriteState = .unconfirmed
            if known.openWrite == .place { known.order.state = .unconfirmed }
        case .rejected(let rejection), .notFound(let rejection):
            known.order.state = .rejected
            known.order.rejection = rejection
        case .notProcessed, .undeterminable, .revoked: break
        }
        return known
    }
}

extension ConnectedOrder {
    /// Checks that the broker could still change the order: a change that would be rejected is not sent.
    fileprivate func requireChangeable() throws(FieldError) {
        if order.state.isFinal || name != .current(name.text) {
            throw .rejected(.ended(in: order.state), by: connection.provider)
        }
        if order.id.isEmpty {
            throw FieldError(
                .conflict,
                "The order is \(order.state.rawValue): it can be changed once \(connection.provider.name.text) has confirmed it.",
                provider: connection.provider)
        }
    }
}

extension CallContext {
    /// The same context, with an observer of the writes that are sent.
    fileprivate func observingWrites(with observer: WriteObserver) -> CallContext {
        CallContext(
            deadline: deadline, notBefore: notBefore, acceptsMinimumAge: acceptsMinimumAge, observe: observe,
            writeObserver: observer, tracing: tracing,
            callBudget: callBudget)
    }
}

extension FieldError {
    /// The broker rejected a change of an order, which is unchanged.
    static func rejected(_ rejection: OrderRejection, by provider: ProviderID) -> FieldError {
        let words = rejection.message ?? "It gives no reason."
        var error = FieldError(
            .conflict, "\(provider.name.text) does not change the order: \(words)", provider: provider)
        error.rejection = rejection.reason
        return error
    }

    fileprivate static func busy(_ name: JournalWrite.Kind.Name) -> FieldError {
        let work =
            switch name {
            case .place: "placed"
            case .replace: "replaced"
            case .cancel: "canceled"
            }
        return FieldError(
            .conflict,
            "The order is being \(work), and its broker has not confirmed that yet. Ask again then.")
    }
}
