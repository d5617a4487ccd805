import Alpaca
import Brokerage
import Gateway
import PorticoCore
import Sandbox
import Storage
import TestSupport
import Testing
import Upstream

extension OrderJournal {
    /// Records a write of an owner whose response is lost.
    fileprivate func lose(_ key: String, of owner: OwnerID, by connection: String) async throws
        -> OrderPlacement
    {
        let ticket = OrderTicket(
            clientOrderID: "", accountID: "A1", symbol: .example, side: .buy, size: .quantity(1),
            price: .market)
        let placing = OrderPlacement(
            owner: owner, connection: connection, isConnectionStored: false, provider: .alpaca,
            idempotencyKey: key, ticket: ticket)
        _ = try await begin(placing)
        #expect(try await markSent(placing.id))
        try await recordOutcome(.responseLost, of: placing.id)
        release(placing.id)
        return placing
    }
}

@Suite("The schedule of reconciliation")
struct ReconciliationScheduleTests {
    private let start = ContinuousClock.now
    private let since = SuspendingClock.now

    /// Unconfirmed writes, with their number by connection: `a0`, `a1` and so on.
    private func writes(_ counts: KeyValuePairs<String, Int>) -> [OrderJournal.Unconfirmed] {
        counts.flatMap { connection, count in
            (0..<count).map { number in
                OrderJournal.Unconfirmed(
                    id: "\(connection)\(number)",
                    order: OrderIdentity(owner: alice, connection: connection, id: "\(connection)\(number)"))
            }
        }
    }

    private func schedule(mostConnections: Int = 2) -> ReconciliationSchedule {
        ReconciliationSchedule(pauses: .seconds(1)...(.seconds(5)), maximumConnections: mostConnections)
    }

    @Test("a write that stays open is checked after pauses that double up to the longest")
    func pauses() throws {
        let writes = writes(["a": 1])
        var (schedule, now) = (schedule(), start)
        for pause in [1, 2, 4, 5, 5] {
            let turn = try #require(schedule.begin(writes, at: now, since: since).first)
            #expect(schedule.begin(writes, at: now, since: since).isEmpty, "it is being checked")
            schedule.check(turn, at: now)
            #expect(schedule.next == now + .seconds(pause))
            #expect(schedule.begin(writes, at: now + .milliseconds(pause * 1_000 - 1), since: since).isEmpty)
            now = now + .seconds(pause)
        }
        #expect(schedule.since("a0") == since)
        let turn = try #require(schedule.begin(writes, at: now, since: since).first)
        schedule.didCheck("a0", isOpen: false, at: now)
        schedule.end(turn.connection)
        #expect(schedule.isEmpty && schedule.next == nil)
    }

    @Test(
        "no pause goes beyond the time at which a write must have arrived, and that check makes no pause longer"
    )
    func arrival() throws {
        let writes = writes(["a": 1])
        var (schedule, now) = (schedule(), start)
        // Some checks end late; a write must have arrived after 10 seconds.
        for (time, next) in [(0, 1), (4, 6), (7, 10), (10, 14), (14, 19)] {
            now = start + .seconds(time)
            let turn = try #require(schedule.begin(writes, at: now, since: since).first)
            schedule.didCheck("a0", isOpen: true, at: now, untilArrival: .seconds(10 - time))
            schedule.end(turn.connection)
            #expect(schedule.next == start + .seconds(next), "after the check at \(time) s")
        }
    }

    @Test("a write that must have arrived in a moment is not checked at once again")
    func arrivalInAMoment() throws {
        var schedule = schedule()
        let turn = try #require(schedule.begin(writes(["a": 1]), at: start, since: since).first)
        schedule.didCheck("a0", isOpen: true, at: start, untilArrival: .nanoseconds(1))
        schedule.end(turn.connection)
        #expect(schedule.next == start + .seconds(1))
    }

    @Test("connections are checked in turn: the one with the longest wait is first")
    func turns() throws {
        let writes = writes(["a": 3, "b": 1, "c": 1])
        var schedule = schedule()
        var order: [[String]] = []
        for step in 0..<3 {
            let now = start + .seconds(60 * step)
            let turns = schedule.begin(writes, at: now, since: since)
            #expect(schedule.next == nil, "as many are checked as may be")
            order.append(turns.map(\.connection.id))
            for turn in turns { schedule.check(turn, at: now) }
        }
        #expect(order.map(\.count) == [2, 2, 2])
        // A connection that was left out in one round is first in the next.
        for (turn, next) in zip(order, order.dropFirst()) {
            let missed = try #require(Set(["a", "b", "c"]).subtracting(turn).first)
            #expect(next.first == missed)
        }
    }

    @Test("a connection with slow checks delays no other one")
    func slow() throws {
        let writes = writes(["a": 3, "b": 1])
        var schedule = schedule(mostConnections: 3)
        let first = schedule.begin(writes, at: start, since: since)
        #expect(first.count == 2)
        schedule.check(try #require(first.first { $0.connection.id == "b" }), at: start)
        let turns = schedule.begin(writes, at: start + .seconds(1), since: since)
        #expect(turns.map(\.writes) == [["b0"]])
    }

    @Test("the write that is due for longest is the first of its connection")
    func longestDue() throws {
        let writes = writes(["a": 3])
        var (schedule, now) = (schedule(), start)
        var checked: [String] = []
        // Each turn has time for one check.
        for _ in 0..<6 {
            let turn = try #require(schedule.begin(writes, at: now, since: since).first)
            let id = try #require(turn.writes.first)
            checked.append(id)
            schedule.didCheck(id, isOpen: true, at: now)
            schedule.end(turn.connection)
            now = now + .seconds(10)
        }
        #expect(checked == ["a0", "a1", "a2", "a0", "a1", "a2"])
    }

    @Test("every write is checked in time beside thousands of open writes")
    func many() throws {
        let stuck = (0..<3_000).map { "stuck\($0)" }
        let writes = (stuck + ["late"]).flatMap { self.writes([$0: 1]) }
        var schedule = schedule(mostConnections: 64)
        var turns = schedule.begin(writes, at: start, since: since)
        var count = 0
        while !turns.isEmpty {
            count += turns.count
            for turn in turns { schedule.check(turn, at: start) }
            turns = schedule.begin(writes, at: start, since: since)
        }
        #expect(count == writes.count)
        #expect(schedule.since("late0") == since)
        #expect(schedule.next == start + .seconds(1))
    }
}

extension ReconciliationSchedule {
    /// Checks all writes of a turn; their outcome stays unknown.
    fileprivate mutating func check(_ turn: ConnectionWrites, at now: ContinuousClock.Instant) {
        for id in turn.writes { didCheck(id, isOpen: true, at: now) }
        end(turn.connection)
    }
}

@Suite("Reconciliation of unconfirmed writes")
struct OrderReconciliationTests {
    @Test("continues at other connections while one with many waiting writes does not respond")
    func hanging() async throws {
        try await withGateway { gateway in
            let journal = gateway.userData.orders.journal
            let (mayAnswer, asked) = (Event<Void>(), Counter())
            let client = try gateway.client(.demo)
            let silent = InterceptedTrading(
                client: client,
                beforeLookup: {
                    asked.increment()
                    await mayAnswer.wait()
                })
            let backends = try gateway.backends([
                gateway.connection("good", of: bob, .second),
                BrokerConnection(
                    id: "silent", owner: alice, provider: .alpaca, environment: .sandbox, accounts: client,
                    orders: silent),
            ])
            // The oldest write is at the connection that responds.
            let lost = try await journal.lose("old", of: bob, by: "good")
            for number in 0..<20 { _ = try await journal.lose("\(number)", of: alice, by: "silent") }
            var settings = OrderReconciliation.Settings()
            settings.arrival = .zero
            let running = Task { [settings] in
                await OrderReconciliation(backends, settings: settings).run { Issue.record($0) }
            }
            // There is no notification: read the journal until the condition holds.
            try await waitUntil { try await journal.order(lost.identity)?.order.state != .unconfirmed }
            #expect(try await journal.order(lost.identity)?.order.state == .rejected)
            #expect(asked.count <= 1, "one write at a time")
            mayAnswer.happen()
            try await waitUntil { try await journal.unconfirmed().isEmpty }
            running.cancel()
            await running.value
        }
    }

    @Test("ends for a write of a deleted connection, but not of a connection that waits to be renewed")
    func deleted() async throws {
        try await withGateway { gateway in
            let journal = gateway.userData.orders.journal
            let backends = try gateway.backends([])
            let link = StoredConnection(
                id: "closed", owner: alice, provider: .alpaca, environment: .sandbox, redirectURI: nil,
                label: nil, connectedAt: .now)
            _ = try await gateway.userData.connections.add(link, Secret("token"), maximum: 20)
            let (gone, waiting) = (
                try await journal.lose("1", of: alice, by: "gone"),
                try await journal.lose("2", of: alice, by: "closed")
            )
            #expect(try await OrderReconciliation(backends).round())
            #expect(try await journal.unconfirmed().map(\.order) == [waiting.identity])
            let order = try #require(try await journal.order(gone.identity))
            #expect(order.order.state == .unconfirmed && order.latestWriteState == .undetermined)
            // Its connection goes too.
            #expect(try await gateway.userData.connections.delete("closed", of: alice) == .deleted)
            #expect(try await !OrderReconciliation(backends).round())
            #expect(gateway.placings == 0)
        }
    }

    @Test("checks the other writes while a write that is not executed any more cannot be handled")
    func stuckTakeover() async throws {
        let file = try UserDatabase.temporary()
        try await withGateway(in: file) { gateway in
            let journal = gateway.userData.orders.journal
            let lost = try await journal.lose("lost", of: alice, by: "gone")
            let ticket = OrderTicket(
                clientOrderID: "", accountID: "A1", symbol: .example, side: .buy, size: .quantity(1),
                price: .market)
            // It was not marked, and nobody executes it.
            let stuck = OrderPlacement(
                owner: bob, connection: "demo", isConnectionStored: false, provider: .alpaca,
                idempotencyKey: "stuck", ticket: ticket)
            _ = try await journal.begin(stuck)
            journal.release(stuck.id)
            try file.database.writeNow { db in
                try db.executeScript(
                    """
                    CREATE TRIGGER stuck BEFORE UPDATE OF holder ON journal_write
                    BEGIN SELECT RAISE(ABORT, 'the time is over'); END
                    """)
            }
            let backends = try gateway.backends([])
            let reported = Counter()
            let running = Task {
                await OrderReconciliation(backends).run { _ in reported.increment() }
            }
            // There is no notification: read the journal until the condition holds.
            try await waitUntil { try await journal.unconfirmed(lost.id) == nil }
            try await waitUntil { reported.count > 0 }
            running.cancel()
            await running.value
            #expect(try await journal.order(lost.identity)?.latestWriteState == .undetermined)
            await #expect(throws: StorageError.self) { try await OrderReconciliation(backends).round() }
            try file.database.writeNow { db in try db.executeScript("DROP TRIGGER stuck") }
            #expect(try await !OrderReconciliation(backends).round())
            #expect(try await journal.order(stuck.identity) == nil)
        }
    }

    /// A write of an open order, and its request to the broker.
    enum Write: String, CaseIterable {
        case place = "POST /v2/orders"
        case replace = "PATCH /v2/orders/{order_id}"
        case cancel = "DELETE /v2/orders/{order_id}"
    }

    /// Drops a write before it reaches the broker, so that the broker never receives it.
    ///
    /// - Parameters:
    ///   - write: The kind of write.
    ///   - clock: The clock by which the broker is queried.
    ///   - lookup: Runs after each response of the broker with an order, before Portico receives it.
    ///   - test: Receives the reconciliation, which queries the broker.
    /// - Throws: The errors of `test`.
    private func withLost(
        _ write: Write, clock: TestClock, lookup: @escaping @Sendable () -> Void = {},
        _ test: (TestGateway, OrderReconciliation) async throws -> Void
    ) async throws {
        try await withGateway { gateway in
            let client = try gateway.client(.demo)
            let desk = InterceptedTrading(client: client, afterLookup: lookup)
            let backends = try gateway.backends([
                BrokerConnection(
                    id: "demo", owner: alice, provider: .alpaca, environment: .sandbox, accounts: client,
                    orders: desk)
            ])
            var order = TestOrder(account: try await gateway.account(backends))
            order.price = "{ limit: \"2.55\" }"
            let fault = Fault(.closedConnection, endpoint: write.rawValue, remaining: 1)
            if write == .place {
                try #require(gateway.sandbox.faults.add(fault))
                _ = try await gateway.placed(order, backends)
            } else {
                let id = try #require(try await gateway.placed(order, backends)["id"]?.string)
                try #require(gateway.sandbox.faults.add(fault))
                let input = write == .replace ? ", input: { price: { limit: \"2.65\" } }" : ""
                let mutation = "mutation { \(write)Order(id: \"\(id)\"\(input)) { order { state } } }"
                _ = try await gateway.ask(mutation, as: alice, backends)
            }
            try #require(try await gateway.userData.orders.journal.unconfirmed().count == 1)
            clock.catchUp()
            try await test(gateway, OrderReconciliation(backends, clock: clock.calls))
        }
    }

    @Test(
        "a response to a query before the time at which a write must have arrived proves nothing",
        arguments: Write.allCases)
    func stoppedAfterTheQuestion(_ write: Write) async throws {
        let clock = TestClock()
        // The process is stopped after it has received the broker's response.
        let stop: @Sendable () -> Void = { clock.advance(by: .seconds(60)) }
        try await withLost(write, clock: clock, lookup: stop) { (gateway, asking) async throws in
            let journal = gateway.userData.orders.journal
            #expect(try await asking.round())
            #expect(try await journal.unconfirmed().count == 1)
            clock.advance(by: .seconds(1))
            #expect(try await !asking.round())
            #expect(try await journal.unconfirmed().isEmpty)
        }
    }

    @Test(
        "the time until a write must have arrived does not pass while the machine sleeps",
        arguments: Write.allCases)
    func asleep(_ write: Write) async throws {
        let clock = TestClock()
        try await withLost(write, clock: clock) { (_, asking) async throws in
            #expect(try await asking.round())
            clock.suspend(for: .seconds(3_600))
            #expect(try await asking.round())
            clock.advance(by: .milliseconds(59_999))
            #expect(try await asking.round())
            clock.advance(by: .milliseconds(4_001))
            #expect(try await !asking.round())
        }
    }

    @Test("an order that was reported as missing gets the broker's state as soon as the broker lists it")
    func missing() async throws {
        try await withGateway { gateway in
            let backends = try gateway.backends([gateway.connection("demo", of: alice)])
            let journal = gateway.userData.orders.journal
            let lost = try await journal.lose("late", of: alice, by: "demo")
            #expect(try await !gateway.reconcile(backends))
            #expect(try await journal.order(lost.identity)?.order.state == .rejected)
            // It arrives after all, which Portico's orders never do.
            var ticket = lost.ticket
            ticket.price = .limit(1)
            _ = try await gateway.client(.demo).place(
                ticket, in: CallContext(deadline: .now + .seconds(3_600)))
            let list = try await gateway.ask(
                "{ orders { nodes { id state clientOrderId rejection { reason } } } }", as: alice, backends)
            let nodes = try #require(list["data"]?["orders"]?["nodes"]?.elements, "\(list)")
            #expect(nodes.count == 1, "\(nodes)")
            #expect(nodes.first?["id"]?.string == "Order:demo:\(lost.id)")
            #expect(nodes.first?["state"] == "OPEN" && nodes.first?["clientOrderId"] == "late")
            #expect(nodes.first?["rejection"] == .null)
            #expect(try await journal.order(lost.identity)?.order.state == .open)
        }
    }
}
