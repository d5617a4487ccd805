import Brokerage
import EngineTestSupport
import Storage
import Testing
import Upstream

/// The source of the reports is Alpaca's reference of `PATCH /v2/orders/{order_id}`: a response with status 200 does not guarantee
/// the replacement, since the new order is rejected if the old one is filled first.
@Suite("The rejection of an order that was to replace another one")
struct RejectedReplacementTests {
    private typealias Journal = OrderJournalTests

    /// Replaces an order; the broker has not rejected the new one yet.
    private func replace(
        _ old: String, by new: String, of identity: OrderIdentity, _ journal: OrderJournal
    ) async throws -> JournalWrite {
        let change = OrderReplacement(quantity: 2, timeInForce: .goodTillCanceled)
        let write = try await OrderListeningTests.sent(.replace(change), of: old, identity, journal)
        let order = successor(new, of: old, by: write, .accepted)
        let now = try await journal.recordOutcome(.accepted(order), of: write.id)
        #expect(now?.providerOrderID == new && now?.requestedTimeInForce == .goodTillCanceled)
        return write
    }

    private func successor(
        _ id: String, of old: String?, by write: JournalWrite, _ state: OrderState
    ) -> Order {
        OrderListeningTests.successor(id, of: old, by: write, state)
    }

    private func receive(
        _ order: Order, _ previous: [Order] = [], in journal: OrderJournal
    ) async throws -> Bool {
        try await journal.receive([order], previous, of: Journal.owner(), "alpaca")
    }

    private func undecided(
        _ order: Order, _ previous: [Order] = [], in journal: OrderJournal
    ) async throws -> OrderJournal.UndecidedOrders {
        try await journal.undecided([order], previous, of: Journal.owner(), "alpaca")
    }

    private func followed(_ journal: OrderJournal) async throws -> [OrderIdentity] {
        try await journal.followedOrders(of: Journal.owner(), "alpaca", limit: 10).map(\.identity)
    }

    @Test(
        "gives the old order its place back, unless that was replaced: then it is the end of the user's order",
        arguments: [OrderState.open, .partiallyFilled, .filled, .canceled, .pendingReplace, .replaced],
        [true, false])
    func decided(state: OrderState, hasRelation: Bool) async throws {
        try await TestEngine.each { folder in
            let journal = try Journal.journal(folder)
            let identity = try await Journal.placed(journal).identity
            let write = try await replace("P1", by: "P2", of: identity, journal)
            var rejected = successor("P2", of: hasRelation ? "P1" : nil, by: write, .rejected)
            rejected.rejection = OrderRejection(.marketClosed, message: "the exchange")
            var old = Journal.order("P1", state)
            old.filledQuantity = 1
            // Nothing is recorded before the old order is read, also if it was reported before.
            for report in [old, rejected] { #expect(try await !receive(report, in: journal)) }
            let undecided = try await undecided(rejected, in: journal)
            #expect(undecided.ids == ["P2"] && undecided.unread == ["P1"])
            #expect(try await journal.order(identity)?.order.state == .accepted)
            #expect(try await self.undecided(rejected, [old], in: journal).ids.isEmpty)
            for isFirst in [true, false] {
                #expect(try await receive(rejected, [old], in: journal) == isFirst)
                let isReplaced = state == .replaced
                let order = try #require(try await journal.order(identity))
                #expect(order.providerOrderID == (isReplaced ? "P2" : "P1"))
                #expect(order.order.state == (isReplaced ? .rejected : state))
                #expect(order.order.rejection == (isReplaced ? rejected.rejection : nil))
                #expect(order.order.filledQuantity == (isReplaced ? nil : 1))
                #expect(order.latestWriteState == (isReplaced ? .done : .refused))
                #expect(order.requestedTimeInForce == (isReplaced ? .goodTillCanceled : .day))
                let names = try await journal.names(of: ["P1", "P2"], of: Journal.owner(), "alpaca")
                #expect(names.current.mapValues(\.identity) == [isReplaced ? "P2" : "P1": identity])
                #expect(names.replaced == (isReplaced ? ["P1"] : []))
                #expect(try await followed(journal) == (order.order.state.isFinal ? [] : [identity]))
                #expect(try await self.undecided(rejected, in: journal).ids.isEmpty)
            }
        }
    }

    @Test("gives the old order its place back if the user has replaced that by another order since")
    func replacedByOther() async throws {
        try await TestEngine.each { folder in
            let journal = try Journal.journal(folder)
            let identity = try await Journal.placed(journal).identity
            let write = try await replace("P1", by: "P2", of: identity, journal)
            var old = Journal.order("P1", .replaced)
            old.replacedBy = "X"
            #expect(try await receive(successor("P2", of: "P1", by: write, .rejected), [old], in: journal))
            let order = try #require(try await journal.order(identity))
            #expect(order.providerOrderID == "P1" && order.order.state == .replaced)
            #expect(order.latestWriteState == .refused)
        }
    }

    @Test(
        "gives the first order its place back if the second replacement and the first one have failed",
        arguments: [(OrderState.filled, "P1", OrderState.filled), (.replaced, "P2", .rejected)])
    func chain(old: OrderState, id: String, state: OrderState) async throws {
        try await TestEngine.each { folder in
            let journal = try Journal.journal(folder)
            let identity = try await Journal.placed(journal).identity
            let first = try await replace("P1", by: "P2", of: identity, journal)
            let second = try await replace("P2", by: "P3", of: identity, journal)
            let rejected = successor("P3", of: "P2", by: second, .rejected)
            let previous = [
                successor("P2", of: "P1", by: first, .rejected), Journal.order("P1", old),
            ]
            #expect(try await undecided(rejected, in: journal).unread == ["P2"])
            #expect(try await undecided(rejected, [previous[0]], in: journal).unread == ["P1"])
            #expect(try await !receive(rejected, [previous[0]], in: journal))
            #expect(try await receive(rejected, previous, in: journal))
            let order = try #require(try await journal.order(identity))
            #expect(order.providerOrderID == id && order.order.state == state)
            // Of the first replacement, too, if it has failed.
            #expect(order.requestedTimeInForce == (old == .replaced ? .goodTillCanceled : .day))
        }
    }

    @Test(
        "changes nothing while another replacement is in progress, whose outcome is recorded first",
        arguments: [true, false])
    func secondReplacement(isAccepted: Bool) async throws {
        try await TestEngine.each { folder in
            let journal = try Journal.journal(folder)
            let identity = try await Journal.placed(journal).identity
            let first = try await replace("P1", by: "P2", of: identity, journal)
            let second = try await OrderListeningTests.sent(
                .replace(OrderReplacement(quantity: 3)), of: "P2", identity, journal)
            let rejected = successor("P2", of: "P1", by: first, .rejected)
            let filled = Journal.order("P1", .filled)
            #expect(try await !receive(rejected, [filled], in: journal))
            let undecided = try await undecided(rejected, in: journal)
            #expect(undecided.ids == ["P2"] && undecided.unread.isEmpty)
            #expect(try await journal.order(identity)?.currentOrder.state == .pendingReplace)
            let outcome: OrderWriteOutcome =
                isAccepted
                ? .accepted(successor("P3", of: "P2", by: second, .accepted)) : .rejected(Journal.rejection)
            try await journal.recordOutcome(outcome, of: second.id)
            #expect(try await receive(rejected, [filled], in: journal) == !isAccepted)
            let order = try #require(try await journal.order(identity))
            #expect(order.providerOrderID == (isAccepted ? "P3" : "P1"))
            #expect(order.order.state == (isAccepted ? .accepted : .filled))
        }
    }

    @Test(
        "refuses a lost replacement that would not have changed the rejected order",
        arguments: TestEngine.allCases)
    func equalReplacement(engine: TestEngine) async throws {
        try await engine.with { folder in
            let journal = try Journal.journal(folder)
            let identity = try await Journal.placed(journal).identity
            let first = try await replace("P1", by: "P2", of: identity, journal)
            let second = try await OrderListeningTests.sent(
                .replace(OrderReplacement(quantity: 2)), of: "P2", identity, journal)
            try await journal.recordOutcome(.responseLost, of: second.id)
            let rejected = successor("P2", of: "P1", by: first, .rejected)
            try await journal.recordOutcome(.found(rejected), of: second.id)
            var order = try #require(try await journal.order(identity))
            #expect(order.latestWriteState == .refused && order.openWrite == nil)
            #expect(order.providerOrderID == "P2" && order.order.state == .accepted)
            #expect(try await receive(rejected, [Journal.order("P1", .filled)], in: journal))
            order = try #require(try await journal.order(identity))
            #expect(order.providerOrderID == "P1" && order.order.state == .filled)
            #expect(order.requestedTimeInForce == .day)
        }
    }

    /// What is known of a replacement before its new order is rejected.
    static let outcomes: [[OrderWriteOutcome]] = [
        [], [.responseLost], [.responseLost, .notFound(OrderRejection(.other, message: nil))],
        [.responseLost, .undeterminable],
    ]

    /// How the rejection is learned, and whether the old order was replaced.
    static let reports: [(isReported: Bool, isReplaced: Bool)] = [
        (true, false), (true, true), (false, false), (false, true),
    ]

    @Test(
        "refuses a replacement without a known outcome, and keeps the old order, unless that was replaced",
        arguments: outcomes, reports)
    func refused(outcomes: [OrderWriteOutcome], report: (isReported: Bool, isReplaced: Bool)) async throws {
        try await TestEngine.each { folder in
            let journal = try Journal.journal(folder)
            let identity = try await Journal.placed(journal).identity
            let write = try await OrderListeningTests.sent(
                .replace(OrderReplacement(quantity: 2)), of: "P1", identity, journal)
            for outcome in outcomes { try await journal.recordOutcome(outcome, of: write.id) }
            let rejected = successor("P2", of: "P1", by: write, .rejected)
            #expect(try await undecided(rejected, in: journal).unread == ["P1"])
            let old = Journal.order("P1", report.isReplaced ? .replaced : .open)
            if report.isReported {
                #expect(try await receive(rejected, [old], in: journal))
            } else {
                try await journal.recordOutcome(.found(rejected), of: write.id, [old])
            }
            // The response arrives after the broker's report.
            try await journal.recordOutcome(
                .accepted(successor("P2", of: "P1", by: write, .accepted)), of: write.id)
            let order = try #require(try await journal.order(identity))
            #expect(order.providerOrderID == (report.isReplaced ? "P2" : "P1"))
            #expect(order.order.state == (report.isReplaced ? .rejected : .open))
            #expect(order.latestWriteState == (report.isReplaced ? .done : .refused))
            #expect(order.openWrite == nil)
            let names = try await journal.names(of: ["P1", "P2"], of: Journal.owner(), "alpaca")
            #expect(names.current.count == 1 && names.replaced == (report.isReplaced ? ["P1"] : []))
        }
    }

    @Test("ends an order that the broker changes in place", arguments: TestEngine.allCases)
    func inPlace(engine: TestEngine) async throws {
        try await engine.with { folder in
            let journal = try Journal.journal(folder)
            let identity = try await Journal.placed(journal).identity
            let write = try await OrderListeningTests.sent(
                .replace(OrderReplacement(quantity: 2)), of: "P1", identity, journal)
            try await journal.recordOutcome(.responseLost, of: write.id)
            try await journal.recordOutcome(.found(Journal.order("P1", .rejected)), of: write.id)
            let order = try #require(try await journal.order(identity))
            #expect(order.order.state == .rejected && order.latestWriteState == .done)
        }
    }

    /// How the rejection is learned while a cancellation of the new order has no outcome.
    enum Cancellation: CaseIterable {
        case reported, found, lateResponse, lateQuery
    }

    @Test(
        "does not settle a cancellation, whose response then changes no order",
        arguments: Cancellation.allCases)
    func cancelling(_ cancellation: Cancellation) async throws {
        try await TestEngine.each { folder in
            let journal = try Journal.journal(folder)
            let identity = try await Journal.placed(journal).identity
            let write = try await replace("P1", by: "P2", of: identity, journal)
            let cancel = try await OrderListeningTests.sent(.cancel, of: "P2", identity, journal)
            if cancellation != .lateResponse {
                try await journal.recordOutcome(.responseLost, of: cancel.id)
            }
            let rejected = successor("P2", of: "P1", by: write, .rejected)
            let open = Journal.order("P1", .open)
            if cancellation == .found {
                try await journal.recordOutcome(.found(rejected), of: cancel.id, [open])
            } else {
                #expect(try await receive(rejected, [open], in: journal))
            }
            var order = try #require(try await journal.order(identity))
            #expect(order.providerOrderID == "P1" && order.openWrite == .cancel)
            switch cancellation {
            case .reported, .found: break
            // The order was read before its rejection was reported.
            case .lateQuery: try await journal.recordOutcome(.found(rejected), of: cancel.id)
            case .lateResponse:
                let response = Journal.order("P2", .pendingCancel)
                order = try #require(try await journal.recordOutcome(.accepted(response), of: cancel.id))
                #expect(order.providerOrderID == "P1" && order.order.state == .open)
                #expect(order.openWrite == nil && order.latestWriteState == .done)
                let names = try await journal.names(of: ["P1", "P2"], of: Journal.owner(), "alpaca")
                #expect(names.replaced.isEmpty)
                return
            }
            #expect(try await journal.unconfirmed(cancel.id)?.providerOrderID == "P1")
            #expect(try await receive(Journal.order("P1", .filled), in: journal))
            order = try #require(try await journal.order(identity))
            #expect(order.order.state == .filled && order.openWrite == nil)
        }
    }
}
