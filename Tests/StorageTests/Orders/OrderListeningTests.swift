import Brokerage
import EngineTestSupport
import Storage
import Testing
import Upstream

@Suite("A broker's report about an order")
struct OrderListeningTests {
    private typealias Journal = OrderJournalTests

    /// An order that is on its way to its broker.
    private func sent(
        _ journal: OrderJournal, _ ticket: OrderTicket = Journal.ticket()
    ) async throws -> OrderPlacement {
        let placing = try Journal.placing(ticket: ticket)
        _ = try await journal.begin(placing)
        #expect(try await journal.markSent(placing.id))
        return placing
    }

    /// The order as its broker tells of it: under the client's id that it was sent with.
    private static func told(_ id: String, sentBy write: String, _ state: OrderState = .open) -> Order {
        var order = Journal.order(id, state)
        order.clientOrderID = JournalWrite.clientOrderID(of: write)
        return order
    }

    private static func begun(_ start: OrderJournal.ChangeStart) throws -> JournalWrite {
        guard case .begun(let write, _) = start else { throw NotBegun() }
        return write
    }

    private struct NotBegun: Error {}

    /// What has become known of the order's own answer before its broker tells of it, and what comes of the answer after.
    static let answers: [(before: OrderWriteOutcome?, after: OrderWriteOutcome?)] = [
        (nil, nil), (nil, .responseLost), (nil, .notProcessed), (.responseLost, nil),
        (nil, .accepted(Journal.order("P1", .open))),
        (.responseLost, .notFound(OrderRejection(.other, message: nil))),
    ]

    @Test("settles the order that was sent, whatever the response was", arguments: answers)
    func placed(_ answer: (before: OrderWriteOutcome?, after: OrderWriteOutcome?)) async throws {
        try await TestEngine.each { folder in
            let journal = try Journal.journal(folder)
            let placing = try await sent(journal)
            if let before = answer.before { try await journal.recordOutcome(before, of: placing.id) }
            try await journal.receive(
                [Self.told("P1", sentBy: placing.id, .filled)], of: Journal.owner(), "alpaca")
            if let after = answer.after { try await journal.recordOutcome(after, of: placing.id) }
            let order = try #require(try await journal.order(placing.identity))
            #expect(order.providerOrderID == "P1" && order.order.state == .filled && order.openWrite == nil)
            #expect(order.idempotencyKey == "k1")
            #expect(try await journal.unconfirmed().isEmpty)
        }
    }

    @Test(
        "records the broker's state of an order that was reported as missing or undetermined",
        arguments: [
            OrderWriteOutcome.notFound(OrderRejection(.other, message: "never arrived")), .undeterminable,
        ], [true, false])
    func givenUp(_ outcome: OrderWriteOutcome, isListed: Bool) async throws {
        try await TestEngine.each { folder in
            let journal = try Journal.journal(folder)
            let placing = try await sent(journal)
            for outcome in [.responseLost, outcome] {
                try await journal.recordOutcome(outcome, of: placing.id)
            }
            let orders = [Self.told("P1", sentBy: placing.id, .filled), Journal.order("P9")]
            if isListed {
                #expect(try await journal.settle(orders, of: Journal.owner(), "alpaca"))
                // No further outcome is left to record.
                #expect(try await !journal.settle(orders, of: Journal.owner(), "alpaca"))
            } else {
                try await journal.receive(orders, of: Journal.owner(), "alpaca")
            }
            let order = try #require(try await journal.order(placing.identity))
            #expect(order.providerOrderID == "P1" && order.order.state == .filled)
            #expect(order.order.rejection == nil && order.latestWriteState == .done)
        }
    }

    @Test(
        "keeps extended hours as they were sent, and a price of the same type that the broker's report lacks",
        arguments: TestEngine.allCases)
    func incompleteReport(engine: TestEngine) async throws {
        try await engine.with { folder in
            let journal = try Journal.journal(folder)
            var ticket = Journal.ticket(.limit(2))
            ticket.isExtendedHours = true
            let placing = try await sent(journal, ticket)
            var accepted = Journal.order("P1")
            (accepted.type, accepted.limitPrice) = (.limit, 2)
            try await journal.recordOutcome(.accepted(accepted), of: placing.id)
            for (type, limit) in [(OrderType.limit, Decimal(2)), (.market, nil)] as [(OrderType, Decimal?)] {
                var report = Journal.order("P1", .partiallyFilled)
                (report.type, report.isExtendedHours) = (type, limit.map { _ in false })
                try await journal.receive([report], of: Journal.owner(), "alpaca")
                let order = try #require(try await journal.order(placing.identity)).order
                #expect(order.state == .partiallyFilled && order.isExtendedHours == true)
                #expect(order.type == type && order.limitPrice == limit)
            }
        }
    }

    @Test(
        "keeps the result of a later change if the broker then reports an earlier replacement",
        arguments: TestEngine.allCases)
    func overtaken(engine: TestEngine) async throws {
        try await engine.with { folder in
            let journal = try Journal.journal(folder)
            let placing = try await Journal.placed(journal)
            func replace() async throws -> JournalWrite {
                let write = try Self.begun(
                    try await journal.begin(
                        .replace(OrderReplacement(quantity: 2)), of: Journal.order("P1"), placing.identity,
                        isConnectionStored: false, at: .alpaca))
                #expect(try await journal.markSent(write.id))
                return write
            }
            let first = try await replace()
            try await journal.recordOutcome(.responseLost, of: first.id)
            try await journal.recordOutcome(.notFound(OrderRejection(.other, message: nil)), of: first.id)
            let second = try await replace()
            try await journal.recordOutcome(.accepted(Journal.order("P3")), of: second.id)
            var late = Self.told("P2", sentBy: first.id)
            late.replaces = "P1"
            try await journal.receive([late], of: Journal.owner(), "alpaca")
            #expect(try await journal.order(placing.identity)?.providerOrderID == "P3")
        }
    }

    /// A change of an order that is on its way to the broker.
    static func sent(
        _ kind: JournalWrite.Kind, of id: String, _ identity: OrderIdentity, _ journal: OrderJournal
    ) async throws -> JournalWrite {
        let write = try Self.begun(
            try await journal.begin(
                kind, of: Journal.order(id), identity, isConnectionStored: false, at: .alpaca))
        #expect(try await journal.markSent(write.id))
        return write
    }

    /// The order by which a replacement replaces another one.
    static func successor(
        _ id: String, of old: String?, by write: JournalWrite, _ state: OrderState
    ) -> Order {
        var order = Self.told(id, sentBy: write.id, state)
        order.replaces = old
        return order
    }

    /// A change, and the order that the response of a replacement says was replaced.
    static let lateChanges: [(JournalWrite.Kind, String?)] = [
        (.cancel, nil), (.replace(OrderReplacement(quantity: 2)), nil),
        (.replace(OrderReplacement(quantity: 2)), "P0"), (.replace(OrderReplacement(quantity: 2)), "P1"),
    ]

    @Test(
        "keeps what it knows of an order if the response of a change that was given up comes late",
        arguments: lateChanges)
    func lateResponse(kind: JournalWrite.Kind, replaced: String?) async throws {
        try await TestEngine.each { folder in
            let journal = try Journal.journal(folder)
            let identity = try await Journal.placed(journal).identity
            let write = try await Self.sent(kind, of: "P1", identity, journal)
            for outcome in [OrderWriteOutcome.responseLost, .notFound(OrderRejection(.other, message: nil))] {
                try await journal.recordOutcome(outcome, of: write.id)
            }
            try await journal.receive([Journal.order("P1", .filled)], of: Journal.owner(), "alpaca")
            let id = replaced == nil ? "P1" : "P2"
            try await journal.recordOutcome(
                .accepted(Self.successor(id, of: replaced, by: write, .accepted)), of: write.id)
            let order = try #require(try await journal.order(identity))
            #expect(order.latestWriteState == .done)
            // Only an order that replaced the known one counts.
            #expect(order.providerOrderID == (replaced == "P1" ? "P2" : "P1"))
            #expect(order.order.state == (replaced == "P1" ? .accepted : .filled))
        }
    }

    @Test("replaces the order by the one that replaced it", arguments: TestEngine.allCases)
    func replaced(engine: TestEngine) async throws {
        try await engine.with { folder in
            let journal = try Journal.journal(folder)
            let placing = try await Journal.placed(journal)
            let write = try Self.begun(
                try await journal.begin(
                    .replace(OrderReplacement(quantity: 2)), of: Journal.order("P1"), placing.identity,
                    isConnectionStored: false, at: .alpaca
                ))
            #expect(try await journal.markSent(write.id))
            var old = Journal.order("P1", .replaced)
            old.replacedBy = "P2"
            // Of the old one alone nothing is known yet of the new one.
            try await journal.receive([old], of: Journal.owner(), "alpaca")
            #expect(try await journal.order(placing.identity)?.currentOrder.state == .pendingReplace)
            try await journal.receive([Self.told("P2", sentBy: write.id)], of: Journal.owner(), "alpaca")
            let now = try #require(try await journal.order(placing.identity))
            #expect(now.providerOrderID == "P2" && now.order.state == .open && now.openWrite == nil)
            let names = try await journal.names(of: ["P1", "P2"], of: Journal.owner(), "alpaca")
            #expect(names.current.mapValues(\.identity) == ["P2": placing.identity])
            #expect(names.replaced == ["P1"])
        }
    }

    @Test(
        "settles a cancellation only by the end of the order",
        arguments: [
            (OrderState.canceled, true), (.filled, true), (.expired, true), (.pendingCancel, true),
            (.partiallyFilled, false),
        ])
    func cancelled(state: OrderState, settles: Bool) async throws {
        try await TestEngine.each { folder in
            let journal = try Journal.journal(folder)
            let placing = try await Journal.placed(journal)
            let write = try Self.begun(
                try await journal.begin(
                    .cancel, of: Journal.order("P1"), placing.identity, isConnectionStored: false, at: .alpaca
                ))
            #expect(try await journal.markSent(write.id))
            try await journal.recordOutcome(.responseLost, of: write.id)
            try await journal.receive([Journal.order("P1", state)], of: Journal.owner(), "alpaca")
            let order = try #require(try await journal.order(placing.identity))
            #expect((order.openWrite == nil) == settles)
            #expect(order.order.state == (settles ? state : .open))
        }
    }

    @Test(
        "reports a cancellation as undetermined until the broker reports the end of the order",
        arguments: [
            (OrderState.canceled, OrderWriteState.done), (.filled, .done), (.partiallyFilled, .undetermined),
        ])
    func givenUp(state: OrderState, expected: OrderWriteState) async throws {
        try await TestEngine.each { folder in
            let journal = try Journal.journal(folder)
            let placing = try await Journal.placed(journal)
            #expect(try await journal.order(placing.identity)?.latestWriteState == .done)
            let write = try Self.begun(
                try await journal.begin(
                    .cancel, of: Journal.order("P1"), placing.identity, isConnectionStored: false, at: .alpaca
                ))
            #expect(try await journal.markSent(write.id))
            for (outcome, state) in [
                (OrderWriteOutcome.responseLost, OrderWriteState.unconfirmed),
                (.undeterminable, .undetermined),
            ] {
                try await journal.recordOutcome(outcome, of: write.id)
                #expect(try await journal.order(placing.identity)?.latestWriteState == state)
            }
            try await journal.receive([Journal.order("P1", state)], of: Journal.owner(), "alpaca")
            let order = try #require(try await journal.order(placing.identity))
            #expect(order.latestWriteState == expected && order.order.state == state)
        }
    }

    @Test(
        "updates the state of an order, and ignores orders that were placed elsewhere",
        arguments: TestEngine.allCases)
    func heard(engine: TestEngine) async throws {
        try await engine.with { folder in
            let journal = try Journal.journal(folder)
            let placing = try await Journal.placed(journal)
            var filled = Journal.order("P1", .partiallyFilled)
            filled.filledQuantity = Decimal("0.25")
            try await journal.receive([filled, Journal.order("P9")], of: Journal.owner(), "alpaca")
            let order = try #require(try await journal.order(placing.identity))
            #expect(order.order.state == .partiallyFilled && order.order.filledQuantity == Decimal("0.25"))
            let all = try await journal.orders(
                .all, of: Journal.owner(), "alpaca", before: nil, limit: 10)
            #expect(all.count == 1)
        }
    }

    @Test("changes no order of another user or connection", arguments: [("bob", "alpaca"), ("ann", "saxo")])
    func isolation(owner: String, connection: String) async throws {
        try await TestEngine.each { folder in
            let journal = try Journal.journal(folder)
            let placing = try await sent(journal)
            try await journal.receive(
                [Self.told("P1", sentBy: placing.id)], of: Journal.owner(owner), connection)
            let order = try #require(try await journal.order(placing.identity))
            #expect(order.providerOrderID == nil && order.order.state == .pending)
        }
    }
}
