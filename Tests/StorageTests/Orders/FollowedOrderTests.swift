import Brokerage
import EngineTestSupport
import Storage
import Testing
import Upstream

@Suite("Orders of the journal that have not ended")
struct FollowedOrderTests {
    private typealias Journal = OrderJournalTests

    @Test("are found by their connections until their end is recorded", arguments: TestEngine.allCases)
    func found(engine: TestEngine) async throws {
        try await engine.with { folder in
            let journal = try Journal.journal(folder)
            let owner = try Journal.owner()
            // Without an id of the broker, an order is reconciled instead.
            _ = try await journal.begin(Journal.placing("unsent"))
            #expect(try await journal.followedConnections().isEmpty)
            for (id, key) in [("P1", "k1"), ("P2", "k2")] {
                _ = try await Journal.placed(journal, id, key: key)
            }
            let connection = try #require(try await journal.followedConnections().first)
            #expect(connection.owner == owner && connection.connection == "alpaca")
            func followed() async throws -> Set<String> {
                Set(try await journal.followedOrders(of: owner, "alpaca", limit: 10).map(\.order.id))
            }
            #expect(try await followed() == ["P1", "P2"])
            #expect(try await journal.followedOrders(of: owner, "alpaca", limit: 1).count == 1)
            #expect(try await journal.followedOrders(of: Journal.owner("bob"), "alpaca", limit: 10).isEmpty)
            #expect(try await journal.receive([Journal.order("P1", .filled)], of: owner, "alpaca"))
            // The same again changes nothing.
            #expect(try await !journal.receive([Journal.order("P1", .filled)], of: owner, "alpaca"))
            #expect(try await followed() == ["P2"])
            let left = try #require(try await journal.followedOrders(of: owner, "alpaca", limit: 1).first)
            #expect(try await journal.markUnknown([left.identity.id], of: owner, "alpaca"))
            #expect(try await !journal.markUnknown([left.identity.id], of: owner, "alpaca"))
            #expect(try await journal.followedConnections().isEmpty)
            #expect(try await journal.order(left.identity)?.order.state == .unknown)
            // The broker reports it after all.
            #expect(try await journal.receive([Journal.order("P2", .partiallyFilled)], of: owner, "alpaca"))
            #expect(try await followed() == ["P2"])
        }
    }

    @Test("stay as they are while a change of them has no outcome", arguments: TestEngine.allCases)
    func changing(engine: TestEngine) async throws {
        try await engine.with { folder in
            let journal = try Journal.journal(folder)
            let placing = try await Journal.placed(journal)
            let start = try await journal.begin(
                .cancel, of: Journal.order("P1"), placing.identity, isConnectionStored: false, at: .alpaca)
            guard case .begun = start else {
                Issue.record("\(start)")
                return
            }
            #expect(try await !journal.markUnknown([placing.identity.id], of: placing.owner, "alpaca"))
            #expect(try await journal.order(placing.identity)?.order.state == .open)
        }
    }

    @Test(
        "make the activities of their account expire with each fill, and are awaited among them for a week",
        arguments: TestEngine.allCases)
    func activities(engine: TestEngine) async throws {
        try await engine.with { folder in
            let file = try folder.open()
            let owner = try Journal.owner()
            try UserStore(in: file).ensure(owner)
            let (journal, store) = (OrderJournal(in: file), ActivityStore(in: file))
            let account = ActivityAccount(
                owner: owner, connection: "alpaca", account: "A1", isConnectionStored: false)
            let other = ActivityAccount(
                owner: owner, connection: "alpaca", account: "A2", isConnectionStored: false)
            let query = ActivityQuery()
            for account in [account, other] {
                _ = try await store.save(
                    ActivityPage(activities: []), for: query, of: account, now: Journal.now)
            }
            _ = try await Journal.placed(journal)
            func coverage(_ account: ActivityAccount, after days: Int = 0) async throws -> ActivityCoverage {
                let now = Journal.now + .seconds(days * 86_400)
                return try #require(try await store.coverage(of: account, now: now))
            }
            #expect(try await coverage(account).readAt == Journal.now)
            func report(_ state: OrderState, filled: Decimal) async throws {
                var order = Journal.order("P1", state)
                (order.filledQuantity, order.updatedAt) = (filled, Journal.now)
                try await journal.receive([order], of: owner, "alpaca")
            }
            try await report(.open, filled: 0)
            #expect(try await coverage(account).readAt == Journal.now)
            for (state, filled) in [(OrderState.partiallyFilled, Decimal(1)), (.filled, 2)] {
                try await report(state, filled: filled)
                let known = try await coverage(account)
                #expect(known.readAt == nil && known.awaitsTrades)
                _ = try await store.save(
                    ActivityPage(activities: []), for: query, of: account, now: Journal.now)
                let read = try await coverage(account)
                #expect(read.readAt == Journal.now && read.awaitsTrades)
                // The same fill again is no other one.
                try await report(state, filled: filled)
                #expect(try await coverage(account).readAt == Journal.now)
            }
            #expect(try await coverage(other) == coverage(other, after: 3))
            let untouched = try await coverage(other)
            #expect(untouched.readAt == Journal.now && !untouched.awaitsTrades)
            #expect(try await coverage(account, after: 6).awaitsTrades)
            #expect(try await !coverage(account, after: 8).awaitsTrades)
            var trade = Activity(id: "1", kind: .trade, providerKind: "FILL", date: Journal.now.dateInUTC)
            trade.orderID = "P1"
            _ = try await store.save(
                ActivityPage(activities: [trade]), for: query, of: account, now: Journal.now)
            #expect(try await !coverage(account).awaitsTrades)
        }
    }
}
