import Brokerage
import EngineTestSupport
import Storage
import Testing
import Upstream

@Suite("A broker's report about an order")
struct OrderListeningTests {
    private typealias Journal = OrderJournalTests

    /// An order that is on its way to its broker.
    private func sent(_ journal: OrderJournal) async throws -> OrderPlacement {
        let placing = try Journal.placing()
        _ = try await journal.begin(placing)
        #expect(try await journal.markSent(placing.id))
        return placing
    }

    /// The order as its broker tells of it: under the client's id that it was sent with.
    private func told(_ id: String, sentBy write: String, _ state: OrderState = .open) -> Order {
        var order = Journal.order(id, state)
        order.clientOrderID = JournalWrite.clientOrderID(of: write)
        return order
    }

    private func begun(_ start: OrderJournal.ChangeStart) throws -> JournalWrite {
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
                [told("P1", sentBy: placing.id, .filled)], of: Journal.owner(), "alpaca")
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
            let orders = [told("P1", sentBy: placing.id, .filled), Journal.order("P9")]
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
        "keeps the result of a later change if the broker then reports an earlier replacement",
        arguments: TestEngine.allCases)
    func overtaken(engine: TestEngine) async throws {
        try await engine.with { folder in
            let journal = try Journal.journal(folder)
            let placing = try await Journal.placed(journal)
            func replace() async throws -> JournalWrite {
                let write = try begun(
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
            var late = told("P2", sentBy: first.id)
            late.replaces = "P1"
            try await journal.receive([late], of: Journal.owner(), "alpaca")
            #expect(try await journal.order(placing.identity)?.providerOrderID == "P3")
        }
    }

    /// A change of an order that is on its way to the broker.
    private func sent(
        _ kind: JournalWrite.Kind, of id: String, _ identity: OrderIdentity, _ journal: OrderJournal
    ) async throws -> JournalWrite {
        let write = try begun(
            try await journal.begin(
                kind, of: Journal.order(id), identity, isConnectionStored: false, at: .alpaca))
        #expect(try await journal.markSent(write.id))
        return write
    }

    /// The order by which a replacement replaces another one.
    private func successor(
        _ id: String, of old: String?, by write: JournalWrite, _ state: OrderState
    ) -> Order {
        var order = told(id, sentBy: write.id, state)
        order.replaces = old
        return order
    }

    /// Replaces an order; the broker has not rejected the new one yet.
    private func replace(
        _ old: String, by new: String, of identity: OrderIdentity, _ journal: OrderJournal
    ) async throws -> JournalWrite {
        let change = OrderReplacement(quantity: 2, timeInForce: .goodTillCanceled)
        let write = try await sent(.replace(change), of: old, identity, journal)
        let order = successor(new, of: old, by: write, .accepted)
        let now = try await journal.recordOutcome(.accepted(order), of: write.id)
        #expect(now?.providerOrderID == new && now?.requestedTimeInForce == .goodTillCanceled)
        return write
    }

    /// A replacement that the fill of the old order precedes.
    ///
    /// The source of the reports is Alpaca's reference of `PATCH /v2/orders/{order_id}`: a response with status 200 does not guarantee
    /// the replacement, since the new order is rejected if the old one is filled first.
    @Test(
        "gives an order its place back if the broker rejects the one that replaced it, in any order of reports",
        arguments: [["P1", "P2"], ["P2", "P1"]], [true, false])
    func revoked(reports: [String], hasRelation: Bool) async throws {
        try await TestEngine.each { folder in
            let journal = try Journal.journal(folder)
            let placing = try await Journal.placed(journal)
            let write = try await replace("P1", by: "P2", of: placing.identity, journal)
            var filled = Journal.order("P1", .filled)
            filled.filledQuantity = 2
            let rejected = successor("P2", of: hasRelation ? "P1" : nil, by: write, .rejected)
            for id in reports {
                try await journal.receive([id == "P1" ? filled : rejected], of: Journal.owner(), "alpaca")
            }
            let isKnown = reports.last == "P1"
            var order = try #require(try await journal.order(placing.identity))
            #expect(order.providerOrderID == "P1" && order.order.state == (isKnown ? .filled : .accepted))
            #expect(order.latestWriteState == .refused && order.requestedTimeInForce == .day)
            #expect(order.order.rejection == nil && order.order.replaces == nil)
            // Its end is read from the broker.
            let followed = try await journal.followedOrders(of: Journal.owner(), "alpaca", limit: 10)
            #expect(followed.map(\.identity) == (isKnown ? [] : [placing.identity]))
            let names = try await journal.names(of: ["P1", "P2"], of: Journal.owner(), "alpaca")
            #expect(names.current.mapValues(\.identity) == ["P1": placing.identity])
            #expect(names.replaced.isEmpty)
            try await journal.receive([rejected, filled, rejected], of: Journal.owner(), "alpaca")
            order = try #require(try await journal.order(placing.identity))
            #expect(order.providerOrderID == "P1" && order.order.state == .filled)
            #expect(order.order.filledQuantity == 2)
        }
    }

    @Test("gives an order its place back after several replacements", arguments: TestEngine.allCases)
    func revokedTwice(engine: TestEngine) async throws {
        try await engine.with { folder in
            let journal = try Journal.journal(folder)
            let identity = try await Journal.placed(journal).identity
            let first = try await replace("P1", by: "P2", of: identity, journal)
            // Reported while the next replacement is in progress, whose outcome is recorded first.
            let second = try await sent(.replace(OrderReplacement(quantity: 3)), of: "P2", identity, journal)
            let rejected = successor("P2", of: "P1", by: first, .rejected)
            try await journal.receive([rejected], of: Journal.owner(), "alpaca")
            #expect(try await journal.order(identity)?.providerOrderID == "P2")
            try await journal.recordOutcome(
                .accepted(successor("P3", of: "P2", by: second, .accepted)), of: second.id)
            let reports = [
                (rejected, "P3"), (successor("P3", of: "P2", by: second, .rejected), "P2"), (rejected, "P1"),
                (rejected, "P1"),
            ]
            for (report, id) in reports {
                try await journal.receive([report], of: Journal.owner(), "alpaca")
                let order = try #require(try await journal.order(identity))
                #expect(order.providerOrderID == id && order.order.state == .accepted)
            }
        }
    }

    /// What is known of a replacement before its new order is rejected.
    static let replacementOutcomes: [[OrderWriteOutcome]] = [
        [], [.responseLost], [.responseLost, .notFound(OrderRejection(.other, message: nil))],
        [.responseLost, .undeterminable],
    ]

    @Test(
        "refuses a replacement whose new order is rejected, and keeps the old order",
        arguments: replacementOutcomes, [true, false])
    func refused(outcomes: [OrderWriteOutcome], isReported: Bool) async throws {
        try await TestEngine.each { folder in
            let journal = try Journal.journal(folder)
            let identity = try await Journal.placed(journal).identity
            let write = try await sent(.replace(OrderReplacement(quantity: 2)), of: "P1", identity, journal)
            for outcome in outcomes { try await journal.recordOutcome(outcome, of: write.id) }
            let rejected = successor("P2", of: "P1", by: write, .rejected)
            if isReported {
                try await journal.receive([rejected], of: Journal.owner(), "alpaca")
            } else {
                try await journal.recordOutcome(.found(rejected), of: write.id)
            }
            // The response arrives after the broker's report.
            try await journal.recordOutcome(
                .accepted(successor("P2", of: "P1", by: write, .accepted)), of: write.id)
            let order = try #require(try await journal.order(identity))
            #expect(order.providerOrderID == "P1" && order.order.state == .open)
            #expect(order.latestWriteState == .refused && order.openWrite == nil)
            let names = try await journal.names(of: ["P1", "P2"], of: Journal.owner(), "alpaca")
            #expect(names.current.mapValues(\.identity) == ["P1": identity] && names.replaced.isEmpty)
        }
    }

    @Test("ends an order that the broker changes in place and rejects", arguments: TestEngine.allCases)
    func rejectedInPlace(engine: TestEngine) async throws {
        try await engine.with { folder in
            let journal = try Journal.journal(folder)
            let identity = try await Journal.placed(journal).identity
            let write = try await sent(.replace(OrderReplacement(quantity: 2)), of: "P1", identity, journal)
            try await journal.recordOutcome(.responseLost, of: write.id)
            try await journal.recordOutcome(.found(Journal.order("P1", .rejected)), of: write.id)
            let order = try #require(try await journal.order(identity))
            #expect(order.order.state == .rejected && order.latestWriteState == .done)
        }
    }

    @Test(
        "does not settle a cancellation by the rejection of an order that gives its place back",
        arguments: [true, false])
    func cancellingRevoked(isReported: Bool) async throws {
        try await TestEngine.each { folder in
            let journal = try Journal.journal(folder)
            let identity = try await Journal.placed(journal).identity
            let write = try await replace("P1", by: "P2", of: identity, journal)
            let cancellation = try await sent(.cancel, of: "P2", identity, journal)
            try await journal.recordOutcome(.responseLost, of: cancellation.id)
            let rejected = successor("P2", of: "P1", by: write, .rejected)
            if isReported {
                try await journal.receive([rejected], of: Journal.owner(), "alpaca")
            } else {
                try await journal.recordOutcome(.found(rejected), of: cancellation.id)
            }
            #expect(try await journal.order(identity)?.openWrite == .cancel)
            #expect(try await journal.unconfirmed(cancellation.id)?.providerOrderID == "P1")
            try await journal.receive([Journal.order("P1", .filled)], of: Journal.owner(), "alpaca")
            let order = try #require(try await journal.order(identity))
            #expect(order.order.state == .filled && order.openWrite == nil)
        }
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
            let write = try await sent(kind, of: "P1", identity, journal)
            for outcome in [OrderWriteOutcome.responseLost, .notFound(OrderRejection(.other, message: nil))] {
                try await journal.recordOutcome(outcome, of: write.id)
            }
            try await journal.receive([Journal.order("P1", .filled)], of: Journal.owner(), "alpaca")
            let id = replaced == nil ? "P1" : "P2"
            try await journal.recordOutcome(
                .accepted(successor(id, of: replaced, by: write, .accepted)), of: write.id)
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
            let write = try begun(
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
            try await journal.receive([told("P2", sentBy: write.id)], of: Journal.owner(), "alpaca")
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
            let write = try begun(
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
            let write = try begun(
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
                [told("P1", sentBy: placing.id)], of: Journal.owner(owner), connection)
            let order = try #require(try await journal.order(placing.identity))
            #expect(order.providerOrderID == nil && order.order.state == .pending)
        }
    }
}
