import Brokerage
import EngineTestSupport
import Foundation
import PorticoCore
import Testing
import Upstream

@testable import Storage

@Suite("The journal of orders")
struct OrderJournalTests {
    static let now = Instant(secondsSince1970: 1_763_654_400) ?? .earliest

    static func owner(_ name: String = "ann") throws -> OwnerID { try #require(OwnerID(name)) }

    /// A journal in a file of its own, with the users to whom its orders belong.
    static func journal(_ folder: TestDatabase, mostOrders: Int = 100_000) throws -> OrderJournal {
        let file = try folder.open()
        for name in ["ann", "bob"] { try UserStore(in: file).ensure(owner(name)) }
        return OrderJournal(in: file, maximumOrders: mostOrders)
    }

    static func ticket(
        _ price: OrderPricing = .market, size: OrderSize = .quantity(1), account: String = "A1"
    ) -> OrderTicket {
        OrderTicket(
            clientOrderID: "", accountID: account, symbol: .example, side: .buy, size: size, price: price)
    }

    static func placing(
        _ key: String = "k1", _ owner: String = "ann", connection: String = "alpaca", isStored: Bool = false,
        ticket: OrderTicket = ticket()
    ) throws -> OrderPlacement {
        OrderPlacement(
            owner: try Self.owner(owner), connection: connection, isConnectionStored: isStored,
            provider: .alpaca, idempotencyKey: key, ticket: ticket)
    }

    /// An order as its broker tells of it.
    static func order(_ id: String, _ state: OrderState = .open) -> Order {
        var order = Order(
            id: id, symbol: .example, side: .buy, state: state,
            provenance: Provenance(source: .alpaca, fetchedAt: now))
        order.accountID = "A1"
        order.quantity = 1
        order.type = .market
        return order
    }

    /// An order that the broker has.
    static func placed(_ journal: OrderJournal, _ id: String = "P1", key: String = "k1") async throws
        -> OrderPlacement
    {
        let placing = try placing(key)
        _ = try await journal.begin(placing)
        #expect(try await journal.markSent(placing.id))
        try await journal.recordOutcome(.accepted(order(id)), of: placing.id)
        return placing
    }

    @Test(
        "returns the same order for the same key, and another order for another user's key",
        arguments: TestEngine.allCases)
    func sameKey(engine: TestEngine) async throws {
        try await engine.with { folder in
            let journal = try Self.journal(folder)
            guard case .begun(let first) = try await journal.begin(Self.placing()) else {
                Issue.record("the first is not begun")
                return
            }
            #expect(first.order.state == .pending && first.providerOrderID == nil)
            #expect(try await journal.begin(Self.placing()) == .known(first))
            // A key is a user's own.
            guard case .begun = try await journal.begin(Self.placing("k1", "bob")) else {
                Issue.record("another user's key is taken")
                return
            }
        }
    }

    @Test(
        "rejects a key of another order",
        arguments: [
            ticket(size: .quantity(2)), ticket(size: .notional(1)), ticket(.limit(1)), ticket(account: "A2"),
        ])
    func otherTicket(_ other: OrderTicket) async throws {
        try await TestEngine.each { folder in
            let journal = try Self.journal(folder)
            _ = try await journal.begin(Self.placing())
            #expect(try await journal.begin(Self.placing(ticket: other)) == .otherOrder)
        }
    }

    @Test(
        "stores every digit of the order, for each type",
        arguments: [
            OrderPricing.market, .limit(Decimal("180.2500") ?? 1), .stop(Decimal("0.00000001") ?? 1),
            .stopLimit(stop: 170, limit: Decimal("169.99") ?? 1),
            .trailingStop(.percent(Decimal("1.5") ?? 1)),
            .trailingStop(.amount(2)),
        ])
    func figures(_ price: OrderPricing) async throws {
        try await TestEngine.each { folder in
            let quantity = try #require(Decimal("0.123456789"))
            let ticket = Self.ticket(price, size: .quantity(quantity))
            let placing = try Self.placing(ticket: ticket)
            let writing = try Self.journal(folder)
            _ = try await writing.begin(placing, now: Self.now)
            #expect(try await writing.markSent(placing.id))
            // In another process.
            let journal = try Self.journal(folder)
            let order = try #require(try await journal.order(placing.identity))
            #expect(order.order == placing.order(at: Self.now))
            #expect(order.order.quantity?.description == "0.123456789")
            #expect(try await journal.begin(Self.placing(ticket: ticket)) == .known(order))
        }
    }

    @Test("begins one order for fifty concurrent requests with a key", arguments: TestEngine.allCases)
    func concurrent(engine: TestEngine) async throws {
        try await engine.with { folder in
            let journal = try Self.journal(folder)
            let starts = try await withThrowingTaskGroup(of: OrderJournal.PlacementStart.self) { group in
                for _ in 0..<50 { group.addTask { try await journal.begin(Self.placing()) } }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            let begun = starts.filter { if case .begun = $0 { true } else { false } }
            let known = starts.filter { if case .known = $0 { true } else { false } }
            #expect(begun.count == 1 && known.count == 49)
        }
    }

    @Test("accepts a maximum number of orders for each user, and reports it", arguments: TestEngine.allCases)
    func bound(engine: TestEngine) async throws {
        try await engine.with { folder in
            let journal = try Self.journal(folder, mostOrders: 2)
            for key in ["1", "2"] { _ = try await journal.begin(Self.placing(key)) }
            #expect(try await journal.begin(Self.placing("3")) == .full(limit: 2))
            guard case .known = try await journal.begin(Self.placing("2")) else {
                Issue.record("a known order is refused")
                return
            }
        }
    }

    @Test(
        "accepts orders of a group up to a sum of their values, also at once; rejected ones do not count",
        arguments: TestEngine.allCases)
    func valueLimit(engine: TestEngine) async throws {
        try await engine.with { folder in
            let journal = try Self.journal(folder)
            let value = try #require(Decimal("333.33"))
            func placing(
                _ digest: String, _ group: String = "day-1", _ currency: String = "USD", owner: String = "ann"
            ) throws -> OrderPlacement {
                let limit = OrderValueLimit(group: group, currency: currency, value: value, maximum: 1_000)
                return OrderPlacement(
                    owner: try Self.owner(owner), connection: "alpaca", isConnectionStored: false,
                    provider: .alpaca, idempotencyKey: limit.idempotencyKey(digest), ticket: Self.ticket(),
                    valueLimit: limit)
            }
            let all = try (0..<10).map { try placing("\($0)") }
            let starts = try await withThrowingTaskGroup(
                of: (OrderPlacement, OrderJournal.PlacementStart).self
            ) { group in
                for placing in all { group.addTask { (placing, try await journal.begin(placing)) } }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            let begun = starts.filter { if case .begun = $0.1 { true } else { false } }
            #expect(begun.count == 3)
            let sum = try #require(Decimal("999.99"))
            #expect(starts.count { $0.1 == .valueLimitExceeded(sum: sum) } == 7)
            // A known order does not count again; another group, currency or user has its own sum.
            guard case .known = try await journal.begin(try #require(begun.first).0) else {
                Issue.record("a known order is refused")
                return
            }
            for other in try [
                placing("a", "day-2"), placing("a", "day-1", "EUR"), placing("a", owner: "bob"),
            ] {
                guard case .begun = try await journal.begin(other) else {
                    Issue.record("\(other.idempotencyKey) is refused")
                    continue
                }
            }
            let rejected = try #require(begun.first).0
            #expect(try await journal.markSent(rejected.id))
            try await journal.recordOutcome(
                .rejected(OrderRejection(.insufficientFunds, message: "no money")), of: rejected.id)
            guard case .begun = try await journal.begin(placing("next")) else {
                Issue.record("the rejected order counts")
                return
            }
        }
    }

    @Test("deletes an order that was never sent, so that its key is free", arguments: TestEngine.allCases)
    func notTaken(engine: TestEngine) async throws {
        try await engine.with { folder in
            let journal = try Self.journal(folder)
            for isMarked in [false, true] {
                let placing = try Self.placing()
                _ = try await journal.begin(placing)
                if isMarked { #expect(try await journal.markSent(placing.id)) }
                try await journal.recordOutcome(.notProcessed, of: placing.id)
                #expect(try await journal.order(placing.identity) == nil)
            }
            guard case .begun = try await journal.begin(Self.placing(ticket: Self.ticket(.limit(3)))) else {
                Issue.record("the key is not free")
                return
            }
        }
    }

    @Test(
        "maps every final state of an order to a state for its user",
        arguments: [
            End([], .pending), End([.accepted(order("P1"))], .open),
            End([.rejected(OrderRejection(.insufficientFunds, message: "no money"))], .rejected),
            End([.responseLost], .unconfirmed), End([.abandoned], .unconfirmed),
            End([.responseLost, .found(order("P1", .filled))], .filled),
            End([.responseLost, .notFound(rejection)], .rejected),
            // The broker has the order after all: its state is recorded.
            End([.responseLost, .notFound(rejection), .found(order("P1", .filled))], .filled),
            End([.responseLost, .undeterminable], .unconfirmed),
            End([.responseLost, .undeterminable, .found(order("P1"))], .open),
            // The answer came, then somebody asked as well.
            End([.accepted(order("P1")), .found(order("P2"))], .open),
            End(isMarked: false, [.accepted(order("P1"))], .pending),
            // The response comes late.
            End([.abandoned, .accepted(order("P1"))], .open),
            End([.abandoned, .rejected(rejection)], .rejected),
            End([.abandoned, .notFound(rejection), .accepted(order("P1"))], .open),
            End([.abandoned, .undeterminable, .rejected(rejection)], .rejected),
        ])
    func ends(_ end: End) async throws {
        try await TestEngine.each { folder in
            let journal = try Self.journal(folder)
            let placing = try Self.placing()
            _ = try await journal.begin(placing)
            if end.isMarked { #expect(try await journal.markSent(placing.id)) }
            let (outcomes, state) = (end.outcomes, end.state)
            for outcome in outcomes { try await journal.recordOutcome(outcome, of: placing.id) }
            let order = try #require(try await journal.order(placing.identity))
            #expect(order.order.state == state)
            #expect(order.idempotencyKey == "k1")
            #expect(order.providerOrderID == (state == .open || state == .filled ? "P1" : nil))
            #expect((order.order.rejection != nil) == (state == .rejected))
        }
    }

    static let rejection = OrderRejection(.other, message: "never arrived")

    /// The outcomes of a write, and the state of its order after them.
    struct End: Sendable {
        var isMarked = true
        let outcomes: [OrderWriteOutcome]
        let state: OrderState

        init(isMarked: Bool = true, _ outcomes: [OrderWriteOutcome], _ state: OrderState) {
            (self.isMarked, self.outcomes, self.state) = (isMarked, outcomes, state)
        }
    }

    @Test(
        "after a crash removes unsent writes and keeps possibly sent ones, at any time of the clock",
        arguments: TestEngine.allCases)
    func crash(engine: TestEngine) async throws {
        try await engine.with { folder in
            let (first, second) = (try Self.placing("1"), try Self.placing("2"))
            do {
                let journal = try Self.journal(folder)
                // The clock was an hour ahead at that time.
                for placing in [first, second] {
                    _ = try await journal.begin(placing, now: .now + .seconds(3_600))
                }
                #expect(try await journal.markSent(second.id))
            }
            let journal = try Self.journal(folder)
            #expect(try await journal.unconfirmed() == [])
            try await journal.abandonUnattended()
            #expect(try await journal.order(first.identity) == nil)
            #expect(try await journal.order(second.identity)?.order.state == .unconfirmed)
            #expect(try await journal.unconfirmed().map(\.order) == [second.identity])
            let write = try #require(try await journal.unconfirmed(second.id))
            #expect(write.clientOrderID == second.ticket.clientOrderID)
            #expect(write.clientOrderID.utf8.count <= 50 && write.kind == .place)
        }
    }

    @Test(
        "does not abandon writes that this process executes, whatever their age, until they are released",
        arguments: TestEngine.allCases)
    func running(engine: TestEngine) async throws {
        try await engine.with { folder in
            let journal = try Self.journal(folder)
            let (placing, sent) = (try Self.placing("1"), try Self.placing("2"))
            for placing in [placing, sent] { _ = try await journal.begin(placing, now: Self.now) }
            #expect(try await journal.markSent(sent.id))
            try await journal.abandonUnattended(now: .latest)
            #expect(try await journal.order(placing.identity)?.order.state == .pending)
            #expect(try await journal.order(sent.identity)?.order.state == .pending)
            // Their outcomes could not be recorded.
            for placing in [placing, sent] { journal.release(placing.id) }
            try await journal.abandonUnattended()
            #expect(try await journal.order(placing.identity) == nil)
            #expect(try await journal.order(sent.identity)?.order.state == .unconfirmed)
        }
    }

    @Test(
        "frees the key of a marked order that this process knows not to be processed, without its outcome",
        arguments: TestEngine.allCases)
    func unprocessed(engine: TestEngine) async throws {
        try await engine.with { folder in
            let journal = try Self.journal(folder)
            // By the next request with the key, or by the next search for abandoned writes.
            for isRetried in [true, false] {
                let placing = try Self.placing()
                _ = try await journal.begin(placing)
                #expect(try await journal.markSent(placing.id))
                guard case .known = try await journal.begin(Self.placing()) else {
                    Issue.record("the order is placed again while its write is active")
                    return
                }
                journal.release(placing.id, keeping: .notProcessed)
                if isRetried {
                    let next = try Self.placing()
                    #expect(try await journal.find(next) == nil)
                    guard case .begun = try await journal.begin(next) else {
                        Issue.record("the key is not free")
                        return
                    }
                    #expect(try await !journal.markSent(placing.id))
                    #expect(try await journal.markSent(next.id))
                    try await journal.recordOutcome(.notProcessed, of: next.id)
                }
                try await journal.abandonUnattended()
                #expect(try await journal.order(placing.identity) == nil)
                #expect(journal.active.kept.isEmpty)
            }
        }
    }

    @Test(
        "records the outcome that this process knows and could not record, as soon as it can",
        arguments: [
            End([.accepted(order("P1"))], .open), End([.rejected(rejection)], .rejected),
            End(isMarked: false, [.rejected(rejection)], .rejected), End([.responseLost], .unconfirmed),
            // Another process has taken the write over, and has not found the order.
            End([.responseLost, .accepted(order("P1"))], .open),
            End([.responseLost, .rejected(rejection)], .rejected),
            End([.responseLost, .notFound(rejection), .accepted(order("P1"))], .open),
            End([.responseLost, .undeterminable, .rejected(rejection)], .rejected),
            End([.responseLost, .notProcessed], .unconfirmed),
        ])
    func kept(_ end: End) async throws {
        try await TestEngine.each { folder in
            let journal = try Self.journal(folder)
            let placing = try Self.placing()
            _ = try await journal.begin(placing)
            if end.isMarked { #expect(try await journal.markSent(placing.id)) }
            for outcome in end.outcomes.dropLast() {
                try await journal.recordOutcome(outcome, of: placing.id)
            }
            journal.release(placing.id, keeping: end.outcomes.last)
            // No outcome but one that the broker has not processed frees the key.
            if end.isMarked {
                guard case .known = try await journal.begin(Self.placing()) else {
                    Issue.record("the order is placed again")
                    return
                }
            }
            let isKnown = end.outcomes.last != .responseLost
            #expect(try await journal.abandonUnattended() == (isKnown ? [placing.identity] : []))
            #expect(try await journal.order(placing.identity)?.order.state == end.state)
            #expect(journal.active.kept.isEmpty)
            #expect(try await journal.abandonUnattended() == [])
        }
    }

    @Test(
        "has the broker queried about a write whose known outcome the database refuses, and records the others"
    )
    func refusedOutcome() async throws {
        try await TestEngine.sqlite.with { folder in
            let journal = try Self.journal(folder)
            let placings = try ["P1", "P2"].map { try Self.placing($0) }
            for (placing, id) in zip(placings, ["P1", "P2"]) {
                _ = try await journal.begin(placing)
                #expect(try await journal.markSent(placing.id))
                journal.release(placing.id, keeping: .accepted(Self.order(id)))
            }
            try await journal.database.write { db in
                try db.executeScript(
                    """
                    CREATE TRIGGER refused BEFORE UPDATE ON journal_order WHEN NEW.provider_order_id = 'P1'
                    BEGIN
                        SELECT RAISE(ABORT, 'refused');
                    END
                    """)
            }
            #expect(try await journal.abandonUnattended() == [placings[1].identity])
            #expect(try await journal.order(placings[1].identity)?.order.state == .open)
            #expect(try await journal.unconfirmed().map(\.id) == [placings[0].id])
            #expect(journal.active.kept.isEmpty)
        }
    }

    @Test(
        "are values that the database refuses, or a failure of the database",
        arguments: [
            (StorageError.refused(path: "", state: "22021"), true),
            (.refused(path: "", state: "23514"), true),
            (.refused(path: "", state: "40001"), false), (.refused(path: "", state: "25P02"), false),
            (.failed(path: "", code: 1_811), true), (.failed(path: "", code: 1), false),
            (.full(path: ""), false), (.unknownOutcome(path: ""), false),
        ])
    func refusedValues(error: StorageError, refusesValues: Bool) {
        #expect(error.refusesValues == refusesValues)
    }

    @Test("keeps a maximum number of outcomes; the broker is queried about other writes")
    func keptBound() {
        let active = ActiveWrites()
        for number in 0...ActiveWrites.maximumOutcomes { active.remove("\(number)", keeping: .notProcessed) }
        #expect(active.kept.count == ActiveWrites.maximumOutcomes)
        #expect(active.outcome(of: "\(ActiveWrites.maximumOutcomes)") == nil)
        active.forget(["0"])
        #expect(active.outcome(of: "0") == nil && active.outcome(of: "1") == .notProcessed)
    }

    @Test(
        "does not block changes of an order by one that this process knows not to be processed",
        arguments: TestEngine.allCases)
    func unprocessedChange(engine: TestEngine) async throws {
        try await engine.with { folder in
            let journal = try Self.journal(folder)
            let identity = try await Self.placed(journal).identity
            func cancel() async throws -> String? {
                let start = try await journal.begin(
                    .cancel, of: Self.order("P1"), identity, isConnectionStored: false, at: .alpaca)
                return if case .begun(let write, _) = start { write.id } else { nil }
            }
            let first = try #require(try await cancel())
            #expect(try await journal.markSent(first))
            #expect(try await cancel() == nil)
            journal.release(first, keeping: .notProcessed)
            let second = try #require(try await cancel())
            #expect(try await journal.markSent(second))
            // The outcome of this one is not known to this process either.
            journal.release(second)
            try await journal.abandonUnattended()
            #expect(try await journal.unconfirmed().map(\.id) == [second])
            #expect(journal.active.kept.isEmpty)
        }
    }

    @Test(
        "a retry after a crash starts again an order that was not sent, before other writes are settled",
        arguments: [ticket(), ticket(.limit(3))])
    func retryAfterCrash(_ ticket: OrderTicket) async throws {
        try await TestEngine.each { folder in
            let (unsent, sent) = (try Self.placing("1"), try Self.placing("2"))
            do {
                let journal = try Self.journal(folder)
                for placing in [unsent, sent] { _ = try await journal.begin(placing) }
                #expect(try await journal.markSent(sent.id))
            }
            let journal = try Self.journal(folder)
            let retry = try Self.placing("1", ticket: ticket)
            #expect(try await journal.find(retry) == nil)
            guard case .begun(let order) = try await journal.begin(retry) else {
                Issue.record("not begun")
                return
            }
            #expect(order.identity == retry.identity)
            #expect(try await journal.order(unsent.identity) == nil)
            #expect(try await !journal.markSent(unsent.id))
            #expect(try await journal.markSent(retry.id))
            // An order that may have been sent keeps its key.
            guard case .known(let known)? = try await journal.find(Self.placing("2")) else {
                Issue.record("not known")
                return
            }
            #expect(known.identity == sent.identity)
            #expect(try await journal.begin(Self.placing("2")) == .known(known))
        }
    }

    @Test(
        "a retry after a crash starts again a change that was not sent, but none that may have been sent",
        arguments: TestEngine.allCases)
    func retryOfChange(engine: TestEngine) async throws {
        try await engine.with { folder in
            let journal = try Self.journal(folder)
            let placing = try await Self.placed(journal)
            func cancel(_ journal: OrderJournal) async throws -> OrderJournal.ChangeStart {
                try await journal.begin(
                    .cancel, of: Self.order("P1"), placing.identity, isConnectionStored: false, at: .alpaca)
            }
            guard case .begun(let unsent, _) = try await cancel(journal),
                case .begun(let write, _) = try await cancel(Self.journal(folder))
            else {
                Issue.record("not begun")
                return
            }
            #expect(try await !journal.markSent(unsent.id))
            let next = try Self.journal(folder)
            guard case .begun(let last, _) = try await cancel(next) else {
                Issue.record("not begun")
                return
            }
            #expect(last.id != write.id)
            #expect(try await next.markSent(last.id))
            #expect(try await cancel(Self.journal(folder)) == .busy(.cancel))
        }
    }

    @Test("lets one caller mark a write, once, and no other process", arguments: TestEngine.allCases)
    func mark(engine: TestEngine) async throws {
        try await engine.with { folder in
            let journal = try Self.journal(folder)
            let placing = try Self.placing()
            _ = try await journal.begin(placing)
            #expect(try await !Self.journal(folder).markSent(placing.id), "another process")
            let marks = try await withThrowingTaskGroup(of: Bool.self) { group in
                for _ in 0..<20 { group.addTask { try await journal.markSent(placing.id) } }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(marks.count { $0 } == 1)
            #expect(try await !journal.markSent(placing.id))
            // A deleted entry.
            let gone = try Self.placing("2")
            _ = try await journal.begin(gone)
            try await journal.recordOutcome(.notProcessed, of: gone.id)
            #expect(try await !journal.markSent(gone.id))
        }
    }

    @Test(
        "begins nothing for a user or a connection that has been deleted in the meantime",
        arguments: TestEngine.allCases)
    func deletedMeanwhile(engine: TestEngine) async throws {
        try await engine.with { folder in
            let journal = try Self.journal(folder)
            #expect(try await journal.begin(Self.placing("1", "carol")) == .connectionDeleted)
            let stored = try Self.placing("2", connection: "gone", isStored: true)
            #expect(try await journal.begin(stored) == .connectionDeleted)
            let change = try await journal.begin(
                .cancel, of: Self.order("P1"), stored.identity, isConnectionStored: true, at: .alpaca)
            #expect(change == .connectionDeleted)
            #expect(try await journal.unconfirmed().isEmpty)
        }
    }

    @Test("returns every unconfirmed write, the oldest first, in any number", arguments: TestEngine.allCases)
    func everyUnconfirmed(engine: TestEngine) async throws {
        try await engine.with { folder in
            let journal = try Self.journal(folder)
            var orders: [OrderIdentity] = []
            // More writes than an earlier limit of one read; those above it were never checked.
            for number in 0..<1_100 {
                let placing = try Self.placing("\(number)", connection: "c\(number)")
                _ = try await journal.begin(placing, now: Self.now + .seconds(number))
                orders.append(placing.identity)
            }
            try await journal.database.write { db in
                try db.execute("UPDATE journal_write SET state = 'UNCONFIRMED'")
            }
            #expect(try await journal.unconfirmed().map(\.order) == orders)
        }
    }

    @Test("returns an unconfirmed write by its id until it is settled", arguments: TestEngine.allCases)
    func oneUnconfirmed(engine: TestEngine) async throws {
        try await engine.with { folder in
            let journal = try Self.journal(folder)
            let placing = try Self.placing()
            _ = try await journal.begin(placing)
            #expect(try await journal.unconfirmed(placing.id) == nil)
            #expect(try await journal.markSent(placing.id))
            try await journal.recordOutcome(.responseLost, of: placing.id)
            #expect(try await journal.unconfirmed(placing.id)?.order == placing.identity)
            try await journal.recordOutcome(.found(Self.order("P1")), of: placing.id)
            #expect(try await journal.unconfirmed(placing.id) == nil)
        }
    }

    @Test("keeps one id for a replaced order, and finds the old one", arguments: TestEngine.allCases)
    func replaced(engine: TestEngine) async throws {
        try await engine.with { folder in
            let journal = try Self.journal(folder)
            let placing = try await Self.placed(journal)
            let change = OrderReplacement(quantity: 2, price: .limit(Decimal("10.50") ?? 1))
            let start = try await journal.begin(
                .replace(change), of: Self.order("P1"), placing.identity, isConnectionStored: false,
                at: .alpaca)
            guard case .begun(let write, _) = start else {
                Issue.record("not begun: \(start)")
                return
            }
            #expect(write.kind == .replace(change) && write.providerOrderID == "P1")
            #expect(try await journal.order(placing.identity)?.currentOrder.state == .pendingReplace)
            #expect(try await journal.markSent(write.id))
            var second = Self.order("P2")
            second.replaces = "P1"
            let now = try #require(try await journal.recordOutcome(.accepted(second), of: write.id))
            #expect(now.identity == placing.identity && now.providerOrderID == "P2" && now.openWrite == nil)
            let names = try await journal.names(of: ["P1", "P2", "P3"], of: Self.owner(), "alpaca")
            #expect(names.current.mapValues(\.identity) == ["P2": placing.identity])
            #expect(names.replaced == ["P1"])
            #expect(try await journal.names(of: ["P1", "P2"], of: Self.owner("bob"), "alpaca") == .init())
        }
    }

    @Test(
        "executes one change of an order at a time, and none of an order that was replaced",
        arguments: TestEngine.allCases)
    func busy(engine: TestEngine) async throws {
        try await engine.with { folder in
            let journal = try Self.journal(folder)
            let placing = try await Self.placed(journal)
            let starts = try await withThrowingTaskGroup(of: OrderJournal.ChangeStart.self) { group in
                for _ in 0..<20 {
                    group.addTask {
                        try await journal.begin(
                            .cancel, of: Self.order("P1"), placing.identity, isConnectionStored: false,
                            at: .alpaca)
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(starts.count { $0 == .busy(.cancel) } == 19)
            for case .begun(let write, _) in starts {
                #expect(try await journal.markSent(write.id))
                try await journal.recordOutcome(
                    .rejected(OrderRejection(.tooLate, message: nil)), of: write.id)
            }
            // What was refused has changed nothing.
            #expect(try await journal.order(placing.identity)?.currentOrder.state == .open)
            let old = try await journal.begin(
                .cancel, of: Self.order("P0"), placing.identity, isConnectionStored: false, at: .alpaca)
            #expect(old == .moved)
        }
    }

    @Test(
        "adds an order that was placed elsewhere when it is changed, with its id",
        arguments: TestEngine.allCases)
    func adopted(engine: TestEngine) async throws {
        try await engine.with { folder in
            let journal = try Self.journal(folder)
            let identity = OrderIdentity(owner: try Self.owner(), connection: "alpaca", id: "P7")
            let start = try await journal.begin(
                .replace(OrderReplacement(quantity: 3)), of: Self.order("P7"), identity,
                isConnectionStored: false,
                at: .alpaca)
            guard case .begun(let write, _) = start else {
                Issue.record("not begun: \(start)")
                return
            }
            #expect(try await journal.markSent(write.id))
            let now = try await journal.recordOutcome(.accepted(Self.order("P8")), of: write.id)
            #expect(now?.identity == identity && now?.providerOrderID == "P8" && now?.idempotencyKey == nil)
        }
    }

    @Test(
        "stores reported states of an order, newest first, for its user only", arguments: TestEngine.allCases)
    func heard(engine: TestEngine) async throws {
        try await engine.with { folder in
            let journal = try Self.journal(folder)
            let placing = try await Self.placed(journal)
            let second = try Self.placing("k2")
            _ = try await journal.begin(second, now: .now + .seconds(5))
            try await journal.receive(
                [Self.order("P1", .partiallyFilled)], of: placing.owner, placing.connection)
            let owner = try Self.owner()
            let all = try await journal.orders(.all, of: owner, "alpaca", before: nil, limit: 10)
            #expect(all.map(\.identity) == [second.identity, placing.identity])
            #expect(all.last?.order.state == .partiallyFilled)
            let own = try await journal.orders(.unknownToBroker, of: owner, "alpaca", before: nil, limit: 10)
            #expect(own.map(\.identity) == [second.identity])
            #expect(
                try await journal.orders(.all, of: Self.owner("bob"), "alpaca", before: nil, limit: 10) == [])
            #expect(try await journal.orders(.all, of: owner, "saxo", before: nil, limit: 10) == [])
        }
    }

    @Test(
        "prevents the deletion of its user and connection only while a write is in progress",
        arguments: OrderWriteState.allCases)
    func deletion(state: OrderWriteState) async throws {
        let outcomes: [OrderWriteOutcome] =
            switch state {
            case .pending, .sent: []
            case .unconfirmed: [.responseLost]
            case .done: [.accepted(Self.order("P1"))]
            case .refused: [.rejected(Self.rejection)]
            case .missing: [.responseLost, .notFound(Self.rejection)]
            case .undetermined: [.responseLost, .undeterminable]
            }
        try await TestEngine.each { folder in
            let (file, connections) = try ConnectionStoreTests.store(folder)
            let (users, journal) = (UserStore(in: file), OrderJournal(in: file))
            let (ann, bob) = (try Self.owner(), try Self.owner("bob"))
            for id in ["c1", "c2"] {
                let connection = try ConnectionStoreTests.connection(id, accounts: [id])
                _ = try await connections.add(connection, Secret("tokens"), maximum: 20)
            }
            let placing = try Self.placing(connection: "c1", isStored: true)
            _ = try await journal.begin(placing)
            if state != .pending { #expect(try await journal.markSent(placing.id)) }
            for outcome in outcomes { try await journal.recordOutcome(outcome, of: placing.id) }
            // A write that is not in progress does not prevent a deletion.
            #expect(try await connections.delete("c2", of: ann) == .deleted)
            #expect(try await users.delete(bob) == .deleted)
            let isInProgress = state == .pending || state == .sent
            let expected = isInProgress ? Deletion.ordersInProgress(1) : .deleted
            #expect(try await connections.delete("c1", of: ann) == expected)
            #expect(try await connections.contains("c1", of: ann) == isInProgress)
            #expect(try await journal.order(placing.identity) != nil)
            #expect(try await users.delete(ann) == expected)
            #expect((try await journal.order(placing.identity) != nil) == isInProgress)
        }
    }

    @Test("is deleted with its user", arguments: TestEngine.allCases)
    func deleted(engine: TestEngine) async throws {
        try await engine.with { folder in
            let journal = try Self.journal(folder)
            let placing = try await Self.placed(journal)
            try await journal.database.write { db in
                try db.execute(#"DELETE FROM "user" WHERE id = 'ann'"#)
                #expect(try db.value("SELECT count(*) FROM journal_write") == 0)
            }
            #expect(try await journal.order(placing.identity) == nil)
        }
    }
}
