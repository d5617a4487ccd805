import Brokerage
import GraphQL
import Storage
import Testing
import Upstream

@testable import Gateway

extension ConnectedOrder {
    fileprivate var identity: OrderIdentity {
        OrderIdentity(owner: connection.owner, connection: connection.id, id: name.text)
    }
}

@Suite("The service that places orders")
struct OrderEntryServiceTests {
    private let broker = FakeBroker()

    init() {
        let account = Account(id: "1", number: "1", currency: "USD", provenance: broker.provenance)
        broker.set { $0.accounts = .success([account]) }
    }

    private func scope(of owner: OwnerID? = alice) throws -> RequestScope {
        try requestScope(of: owner, connections: [broker.connection("a")])
    }

    private func place(
        _ arguments: OrderArguments = OrderArguments(), in scope: RequestScope
    ) async throws -> ConnectedOrder {
        let payload = try await OrderEntryService(scope).place(arguments.placing()).value()
        return try #require(payload).order
    }

    /// What the broker does, and the order that the client gets.
    struct Outcome: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let placing: FakeBroker.Placing
        let state: OrderState
        let id: String
        var rejection: OrderRejection?
    }

    private static let refusal = OrderRejection(.insufficientFunds, message: "Buy less.")

    @Test(
        "sends an order once, whatever the broker does, and returns the same order to a repeated request",
        arguments: [
            Outcome(testDescription: "accepted", placing: .accepted, state: .open, id: "broker-1"),
            Outcome(
                testDescription: "rejected", placing: .rejected(refusal), state: .rejected, id: "",
                rejection: refusal),
            Outcome(testDescription: "no response", placing: .unanswered, state: .unconfirmed, id: ""),
        ])
    func once(_ outcome: Outcome) async throws {
        let scope = try scope()
        broker.set { $0.placing = outcome.placing }
        let first = try await place(in: scope)
        // A second attempt to send it would be accepted.
        broker.set { $0.placing = .accepted }
        let second = try await place(in: scope)
        for order in [first, second] {
            #expect(order.globalID == first.globalID)
            #expect(order.order.state == outcome.state)
            #expect(order.order.id == outcome.id)
            #expect(order.order.rejection == outcome.rejection)
            #expect(order.clientOrderID == "key-1")
        }
        let ticket = try #require(broker.placed.first)
        #expect(broker.placed.count == 1)
        #expect(ticket.accountID == "1" && ticket.symbol == .example && ticket.side == .buy)
        #expect(ticket.size == .quantity(3) && ticket.price == .market)
    }

    @Test("sends an order once for fifty requests with its key at a time")
    func concurrent() async throws {
        let scope = try scope()
        let ids = try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<50 { group.addTask { try await place(in: scope).globalID } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(ids.count == 50 && Set(ids).count == 1)
        #expect(broker.placed.count == 1)
    }

    @Test("sends an order that was never sent when the request is repeated")
    func unsent() async throws {
        let scope = try scope()
        broker.set { $0.placing = .unsent(.unavailable) }
        let error = FieldError(ProviderFailure(.alpaca, .unavailable))
        await #expect(throws: error) { try await place(in: scope) }
        #expect(broker.placed.isEmpty)
        broker.set { $0.placing = .accepted }
        #expect(try await place(in: scope).order.state == .open)
        #expect(broker.placed.count == 1)
    }

    @Test(
        "keeps a response that the database did not store, and records it without a query",
        arguments: [FakeBroker.Placing.accepted, .rejected(refusal)])
    func kept(_ placing: FakeBroker.Placing) async throws {
        let scope = try scope()
        let database = scope.services.userData.file.database
        try await database.write { db in
            try db.executeScript(
                """
                CREATE TRIGGER no_outcome BEFORE UPDATE OF state ON journal_write WHEN NEW.state IN ('DONE', 'REFUSED')
                BEGIN
                    SELECT RAISE(ABORT, 'no outcome');
                END
                """)
        }
        broker.set { $0.placing = placing }
        let order = try await place(in: scope)
        let journal = scope.services.userData.orders.journal
        #expect(try await journal.order(order.identity)?.latestWriteState == .sent)
        try await database.write { db in try db.executeScript("DROP TRIGGER no_outcome") }
        #expect(try await !OrderReconciliation(scope.services).round())
        let known = try #require(try await journal.order(order.identity))
        #expect(known.order.state == order.order.state && known.order.id == order.order.id)
        #expect(known.order.rejection == order.order.rejection && known.openWrite == nil)
        #expect(broker.calls["order"] == nil && broker.placed.count == 1)
    }

    @Test("returns the sessions with which it sent an order, whatever the broker's list has")
    func sessions() async throws {
        let scope = try scope()
        let id = try await place(in: scope).globalID
        for isExtendedHours in [true, nil] {
            broker.set { $0.orders["broker-1"]?.isExtendedHours = isExtendedHours }
            let later = Self.later(scope)
            #expect(try await OrderService(later).order(id: id).value().order.isExtendedHours == false)
        }
        #expect(broker.calls["order"] == 2)
    }

    /// The next request of the user, which does not use what is in memory.
    private static func later(_ scope: RequestScope) -> RequestScope {
        RequestScope(
            session: scope.session, services: scope.services,
            call: CallContext(deadline: .now + .seconds(3_600), notBefore: .now))
    }

    /// How the orders of a broker are read.
    enum Reading: CaseIterable {
        case one, list, following
    }

    /// Places an order, replaces it, and has the broker reject the new one, with the old one in a state.
    private func rejectedReplacement(
        _ old: OrderState, in scope: RequestScope
    ) async throws -> (order: ConnectedOrder, later: RequestScope) {
        let id = try await place(in: scope).globalID
        broker.set { $0.successor = "new" }
        let input = try OrderArguments(quantity: "2").replacing()
        let answer = try await OrderEntryService(scope).replace(id, by: input).value()
        let replaced = try #require(answer).order
        #expect(replaced.globalID == id && replaced.order.id == "new" && replaced.order.state == .accepted)
        broker.set {
            $0.orders["broker-1"]?.state = old
            $0.orders["new"]?.state = .rejected
        }
        return (replaced, Self.later(scope))
    }

    /// The states of all orders of the broker, by their ids.
    private func states(in scope: RequestScope) async throws -> [String: OrderState] {
        let filter = OrderFilter(requestsOpen: nil, symbols: nil, first: 10)
        let page = try await OrderService(scope).orders(filter, of: broker.connection("a"), after: nil)
        return Dictionary(uniqueKeysWithValues: page.orders.map { ($0.globalID, $0.order.state) })
    }

    @Test(
        "returns the old order after a replacement whose new order the broker has rejected, unless it was replaced",
        arguments: Reading.allCases, [OrderState.filled, .replaced])
    func revoked(_ reading: Reading, old: OrderState) async throws {
        let (replaced, later) = try await rejectedReplacement(old, in: scope())
        let (id, orders) = (replaced.globalID, OrderService(later))
        let (current, state) = old == .replaced ? ("new", OrderState.rejected) : ("broker-1", .filled)
        switch reading {
        case .one:
            let order = try await orders.order(id: id).value()
            #expect(order.globalID == id && order.order.id == current && order.order.state == state)
        case .list:
            let other = old == .replaced ? "Order:a:broker-1:replaced" : "Order:a:new"
            #expect(
                try await states(in: later) == [id: state, other: old == .replaced ? .replaced : .rejected])
        case .following:
            #expect(try await !orders.settleOrders(of: broker.connection("a")))
            let known = try await orders.journal.order(replaced.identity)
            #expect(known?.providerOrderID == current && known?.order.state == state)
        }
        // It can be changed again as far as the broker permits it.
        let error = await #expect(throws: FieldError.self) {
            try await OrderEntryService(later).cancel(id).value()
        }
        #expect(
            error?.message.contains("its state is \(state.rawValue)") == true, "\(String(describing: error))")
    }

    @Test(
        "does not return a rejected order while another replacement of it is in progress",
        arguments: Reading.allCases)
    func rejectedMeanwhile(_ reading: Reading) async throws {
        let (replaced, later) = try await rejectedReplacement(.filled, in: scope())
        let orders = OrderService(later)
        let start = try await orders.journal.begin(
            .replace(OrderReplacement(quantity: 3)), of: replaced.order, replaced.identity,
            isConnectionStored: false, at: .alpaca)
        guard case .begun(let write, _) = start else {
            Issue.record("\(start)")
            return
        }
        #expect(try await orders.journal.markSent(write.id))
        func state() async throws -> OrderState? {
            switch reading {
            case .one: return try await orders.order(id: replaced.globalID).value().order.state
            case .list: return try await states(in: later)[replaced.globalID]
            case .following:
                _ = try await orders.settleOrders(of: broker.connection("a"))
                return try await orders.journal.order(replaced.identity)?.currentOrder.state
            }
        }
        #expect(try await state() == .pendingReplace)
        try await orders.journal.recordOutcome(.rejected(Self.refusal), of: write.id)
        #expect(try await state() == .filled)
    }

    /// What a broker reports as filled of an order: at first, and when the order is read again.
    struct Fills: CustomTestStringConvertible, Sendable {
        let testDescription: String
        var first: Brokerage.Decimal?
        var later: Brokerage.Decimal?
        /// The filled quantity of the error; nil if the order is changed.
        var refused: String?
        /// How often the order is read.
        let reads: Int
    }

    @Test(
        "changes no order of which a part is filled by now, or may be, at a broker that would not count that part",
        arguments: [
            Fills(testDescription: "nothing", first: 0, reads: 2),
            Fills(testDescription: "a part", first: 1, refused: "1", reads: 1),
            Fills(testDescription: "unknown", refused: "unknown", reads: 1),
            Fills(testDescription: "a part since the first read", first: 0, later: 1, refused: "1", reads: 2),
        ])
    func fills(_ fills: Fills) async throws {
        let scope = try scope()
        let placed = try await place(in: scope)
        broker.set {
            ($0.successor, $0.replacesPartlyFilled) = ("new", false)
            $0.orders["broker-1"]?.filledQuantity = fills.first
            $0.filledAfterRead = fills.later
        }
        let reads = broker.calls["order"] ?? 0
        let input = try OrderArguments(quantity: "2").replacing()
        var refusal: FieldError?
        do {
            _ = try await OrderEntryService(scope).replace(placed.globalID, by: input).value()
        } catch let error as FieldError {
            refusal = error
        }
        #expect(refusal?.code == (fills.refused == nil ? nil : .conflict))
        #expect(
            refusal?.message
                == fills.refused.map {
                    "alpaca does not change the order: Its filled quantity is \($0), and the order that replaces it "
                        + "begins with nothing filled: cancel it and place the rest."
                })
        #expect((broker.calls["order"] ?? 0) - reads == fills.reads)
        var state: OrderState?
        broker.set { state = $0.orders["broker-1"]?.state }
        #expect(state == (fills.refused == nil ? .replaced : .open))
        // The order can be changed again.
        #expect(try await scope.services.userData.orders.journal.order(placed.identity)?.openWrite == nil)
    }

    @Test("lists orders although the rejection of a replacement cannot be recorded")
    func unrecorded() async throws {
        let (replaced, later) = try await rejectedReplacement(.filled, in: scope())
        try await later.services.userData.file.database.write { db in
            try db.executeScript(
                """
                CREATE TRIGGER no_order BEFORE UPDATE OF state ON journal_order WHEN NEW.state = 'FILLED'
                BEGIN
                    SELECT RAISE(ABORT, 'no order');
                END
                """)
        }
        let expected = [replaced.globalID: OrderState.accepted, "Order:a:broker-1:replaced": .filled]
        #expect(try await states(in: later) == expected)
    }

    @Test("refuses another order with a used key, and takes the key of another user")
    func keys() async throws {
        let connections = [broker.connection("a"), broker.connection("b", of: bob)]
        let ofAlice = try requestScope(connections: connections)
        let first = try await place(in: ofAlice)
        let error = FieldError.argument(
            "input.idempotencyKey", code: .conflict,
            "Another order was placed with this key. Take a new key for each order.")
        await #expect(throws: error) { try await place(OrderArguments(quantity: "4"), in: ofAlice) }
        #expect(broker.placed.count == 1)
        let ofBob = RequestScope(
            session: Session(owner: bob, scopes: [.trade]), services: ofAlice.services, call: ofAlice.call)
        let other = try await place(OrderArguments(account: "Account:b:1"), in: ofBob)
        #expect(other.globalID != first.globalID)
        #expect(broker.placed.count == 2)
        #expect(Set(broker.placed.map(\.clientOrderID)).count == 2)
    }

    @Test(
        "sends no order that it can check itself",
        arguments: [
            (
                bob, OrderArguments(), ErrorCode.notFound, "input.accountId",
                "There is no account \"Account:a:1\"."
            ),
            (
                alice, OrderArguments(account: "Account:a:9"), .notFound, "input.accountId",
                "There is no account \"Account:a:9\"."
            ),
            (
                alice, OrderArguments(timeInForce: "GTD"), .badUserInput, "input.expiresOn",
                "An order that is GTD needs the last day."
            ),
        ])
    func refusals(
        _ user: OwnerID, _ arguments: OrderArguments, _ code: ErrorCode, _ argument: String,
        _ reason: String
    ) async throws {
        let scope = try scope(of: user)
        let error = await #expect(throws: FieldError.self) { try await place(arguments, in: scope) }
        #expect(error?.code == code)
        #expect(error?.argument == argument)
        #expect(error?.message == "Argument \"\(argument)\": \(reason)")
        #expect(broker.placed.isEmpty)
    }
}
