import Alpaca
import Brokerage
import Sandbox
import Storage
import Synchronization
import TestSupport
import Testing
import Upstream

@testable import Gateway

extension OrderJournal {
    /// Records a write of an owner whose response is lost.
    fileprivate func lose(_ key: String, of owner: OwnerID, by connection: String) async throws -> Placing {
        let ticket = OrderTicket(
            clientOrderID: "", accountID: "A1", symbol: .example, side: .buy, size: .quantity(1),
            price: .market)
        let placing = Placing(
            owner: owner, connection: connection, isConnectionStored: false, provider: .alpaca,
            idempotencyKey: key, ticket: ticket)
        _ = try await begin(placing)
        #expect(try await mark(placing.id))
        try await note(.answerLost, of: placing.id)
        release(placing.id)
        return placing
    }
}

@Suite("When unconfirmed writes are checked")
struct ReconciliationScheduleTests {
    private typealias Key = ReconciliationSchedule.ConnectionKey
    private let start = ContinuousClock.now

    /// Unconfirmed writes, a number for each connection.
    private func writes(_ counts: KeyValuePairs<String, Int>) async throws -> [JournalWrite] {
        let file = try HouseFile.temporary()
        try UserStore(in: file).ensure(alice)
        let journal = OrderJournal(in: file)
        for (connection, count) in counts {
            for number in 0..<count {
                _ = try await journal.lose("\(connection)\(number)", of: alice, by: connection)
            }
        }
        return try await journal.unconfirmed(limit: 100)
    }

    private func schedule(mostConnections: Int = 2) -> ReconciliationSchedule {
        ReconciliationSchedule(pauses: .seconds(1)...(.seconds(5)), mostConnections: mostConnections)
    }

    @Test("a write that stays open is checked after pauses that double up to the longest")
    func pauses() async throws {
        let writes = try await writes(["a": 1])
        var (schedule, now) = (schedule(), start)
        for pause in [1, 2, 4, 5, 5] {
            let turn = try #require(schedule.begin(writes, at: now).first?.first)
            #expect(schedule.begin(writes, at: now).isEmpty, "its check is running")
            schedule.didCheck(turn, isOpen: true, at: now)
            schedule.end(Key(turn))
            #expect(schedule.next == now + .seconds(pause))
            #expect(schedule.begin(writes, at: now + .milliseconds(pause * 1_000 - 1)).isEmpty)
            now = now + .seconds(pause)
        }
        #expect(schedule.since(writes[0]) == start)
        let turn = try #require(schedule.begin(writes, at: now).first?.first)
        schedule.didCheck(turn, isOpen: false, at: now)
        schedule.end(Key(turn))
        #expect(schedule.isEmpty && schedule.next == nil)
    }

    @Test("connections are checked in turn: the one that has waited longest comes first")
    func turns() async throws {
        let writes = try await writes(["a": 3, "b": 1, "c": 1])
        var schedule = schedule()
        var order: [[String]] = []
        for step in 0..<3 {
            let now = start + .seconds(60 * step)
            let turns = schedule.begin(writes, at: now)
            #expect(schedule.next == nil, "the limit of concurrent checks is reached")
            order.append(turns.map { Key($0[0]).id })
            for turn in turns {
                for write in turn { schedule.didCheck(write, isOpen: true, at: now) }
                schedule.end(Key(turn[0]))
            }
        }
        #expect(order.map(\.count) == [2, 2, 2])
        // A connection that was left out in one round is first in the next.
        for (turn, next) in zip(order, order.dropFirst()) {
            let missed = try #require(Set(["a", "b", "c"]).subtracting(turn).first)
            #expect(next.first == missed)
        }
    }

    @Test("a connection whose checks take long does not delay the others")
    func slow() async throws {
        let writes = try await writes(["a": 3, "b": 1])
        var schedule = schedule(mostConnections: 3)
        #expect(schedule.begin(writes, at: start).count == 2)
        for write in writes where write.order.connection == "b" {
            schedule.didCheck(write, isOpen: true, at: start)
            schedule.end(Key(write))
        }
        let turns = schedule.begin(writes, at: start + .seconds(1))
        #expect(turns.map { $0.map(\.order.connection) } == [["b"]])
    }
}

@Suite("Reconciliation of unconfirmed writes")
struct OrderReconciliationTests {
    private final class Count: Sendable {
        let value = Atomic(0)
    }

    @Test("continues at other connections while one with many waiting writes does not respond")
    func hanging() async throws {
        try await withGateway { gateway in
            let journal = gateway.household.orders.journal
            let (mayAnswer, asked) = (Event<Void>(), Count())
            let client = try gateway.client(.demo)
            let silent = InterceptedTrading(
                client: client,
                beforeLookup: {
                    asked.value.add(1, ordering: .relaxed)
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
            #expect(asked.value.load(ordering: .relaxed) <= 1, "one write at a time")
            mayAnswer.happen()
            try await waitUntil { try await journal.unconfirmed(limit: 1).isEmpty }
            running.cancel()
            await running.value
        }
    }

    @Test("ends for a write of a deleted connection, but not of a connection that waits to be renewed")
    func deleted() async throws {
        try await withGateway { gateway in
            let journal = gateway.household.orders.journal
            let backends = try gateway.backends([])
            let link = KeptConnection(
                id: "closed", owner: alice, provider: .alpaca, environment: .sandbox, redirectURI: nil,
                label: nil, connectedAt: .now)
            _ = try await gateway.household.connections.add(link, Secret("token"), atMost: 20)
            let (gone, waiting) = (
                try await journal.lose("1", of: alice, by: "gone"),
                try await journal.lose("2", of: alice, by: "closed")
            )
            #expect(try await OrderReconciliation(backends).round())
            #expect(try await journal.unconfirmed(limit: 10).map(\.order) == [waiting.identity])
            let order = try #require(try await journal.order(gone.identity))
            #expect(order.order.state == .unconfirmed && order.isUndetermined)
            // Its connection is deleted too.
            #expect(try await gateway.household.connections.delete("closed", of: alice) == .deleted)
            #expect(try await !OrderReconciliation(backends).round())
            #expect(gateway.placings == 0)
        }
    }

    @Test("an order that was reported as missing gets the broker's state as soon as the broker lists it")
    func missing() async throws {
        try await withGateway { gateway in
            let backends = try gateway.backends([gateway.connection("demo", of: alice)])
            let journal = gateway.household.orders.journal
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
