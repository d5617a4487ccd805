import Brokerage
import EngineTestSupport
import Storage
import Testing
import Upstream

@Suite("The legs of an order in the journal")
struct OrderLegTests {
    private static let exits = OrderExits(takeProfit: 3, stopLoss: .init(stop: 1))

    private static func ticket(_ exits: OrderExits? = exits) -> OrderTicket {
        var ticket = OrderJournalTests.ticket(.limit(2))
        ticket.exits = exits
        return ticket
    }

    /// An order as its broker reports it, with legs under some ids.
    private static func order(_ id: String, legs: [String], _ state: OrderState = .open) -> Order {
        var order = OrderJournalTests.order(id, state)
        order.legs = legs.map { OrderJournalTests.order($0, $0.isEmpty ? .rejected : .accepted) }
        return order
    }

    /// A sent write for an order with exits.
    private static func sent(_ journal: OrderJournal) async throws -> OrderPlacement {
        let placing = try OrderJournalTests.placing(ticket: ticket())
        _ = try await journal.begin(placing)
        #expect(try await journal.markSent(placing.id))
        return placing
    }

    private static func legs(_ journal: OrderJournal, of placing: OrderPlacement) async throws
        -> [JournalOrder]
    {
        try await journal.legs(of: [placing.id], placing.owner, placing.connection)[placing.id, default: []]
    }

    @Test(
        "are orders with the broker's ids, which stay when the broker reports the order again",
        arguments: TestEngine.allCases)
    func stored(engine: TestEngine) async throws {
        try await engine.with { database in
            let journal = try OrderJournalTests.journal(database)
            let placing = try await Self.sent(journal)
            let known = try await journal.recordOutcome(
                .accepted(Self.order("P", legs: ["L1", "L2"])), of: placing.id)
            #expect(known?.order.legs.map(\.id) == ["L1", "L2"])
            let legs = try await Self.legs(journal, of: placing)
            #expect(legs.map(\.order.id) == ["L1", "L2"] && legs.map(\.parent) == [placing.id, placing.id])
            #expect(legs.map(\.identity.id) == ["L1", "L2"])
            try await journal.receive(
                [
                    Self.order("P", legs: ["L1", "L2"], .partiallyFilled),
                    OrderJournalTests.order("L2", .filled),
                ],
                of: placing.owner, placing.connection)
            let again = try await Self.legs(journal, of: placing)
            #expect(again.map(\.identity) == legs.map(\.identity))
            #expect(again.map(\.order.state) == [.accepted, .filled])
            // One write for all of them.
            #expect(try await journal.unconfirmed().isEmpty)
        }
    }

    @Test(
        "stay legs of their entry when the broker reports one as the leg of the other",
        arguments: TestEngine.allCases)
    func pairAfterFill(engine: TestEngine) async throws {
        try await engine.with { database in
            let journal = try OrderJournalTests.journal(database)
            let placing = try await Self.sent(journal)
            try await journal.recordOutcome(.accepted(Self.order("P", legs: ["L1", "L2"])), of: placing.id)
            try await journal.receive(
                [OrderJournalTests.order("P", .filled), Self.order("L1", legs: ["L2"])],
                of: placing.owner, placing.connection)
            let legs = try await Self.legs(journal, of: placing)
            #expect(legs.map(\.order.id) == ["L1", "L2"] && legs.map(\.parent) == [placing.id, placing.id])
        }
    }

    @Test(
        "are known after a lost response, and after a leg was changed before that",
        arguments: TestEngine.allCases)
    func reconciled(engine: TestEngine) async throws {
        try await engine.with { database in
            let journal = try OrderJournalTests.journal(database)
            let placing = try await Self.sent(journal)
            try await journal.recordOutcome(.responseLost, of: placing.id)
            #expect(try await Self.legs(journal, of: placing).isEmpty)
            // A leg that is changed is recorded as an order that was placed elsewhere.
            let identity = OrderIdentity(owner: placing.owner, connection: placing.connection, id: "L1")
            let start = try await journal.begin(
                .cancel, of: OrderJournalTests.order("L1"), identity, isConnectionStored: false, at: .alpaca)
            guard case .begun = start else {
                Issue.record("not begun: \(start)")
                return
            }
            try await journal.recordOutcome(.found(Self.order("P", legs: ["L1", "L2"])), of: placing.id)
            let legs = try await Self.legs(journal, of: placing)
            #expect(legs.map(\.order.id) == ["L1", "L2"] && legs.map(\.parent) == [placing.id, placing.id])
            #expect(legs.first?.identity == identity)
        }
    }

    @Test(
        "are stored with the response also if the broker's stream reported the order before, without them",
        arguments: TestEngine.allCases)
    func afterEvent(engine: TestEngine) async throws {
        try await engine.with { database in
            let journal = try OrderJournalTests.journal(database)
            let placing = try await Self.sent(journal)
            var event = OrderJournalTests.order("P", .filled)
            event.clientOrderID = JournalWrite.clientOrderID(of: placing.id)
            // A leg can be reported before the journal knows that it is one.
            try await journal.receive(
                [event, OrderJournalTests.order("L1")], of: placing.owner, placing.connection)
            #expect(try await Self.legs(journal, of: placing).isEmpty)
            let known = try await journal.recordOutcome(
                .accepted(Self.order("P", legs: ["L1", "L2"])), of: placing.id)
            // The event is later than the response.
            #expect(known?.order.state == .filled && known?.latestWriteState == .done)
            #expect(known?.order.legs.map(\.id) == ["L1", "L2"])
            let legs = try await Self.legs(journal, of: placing)
            #expect(legs.map(\.parent) == [placing.id, placing.id])
        }
    }

    @Test(
        "show the end of an order that the broker no longer lists, which keeps its values",
        arguments: TestEngine.allCases)
    func withoutParent(engine: TestEngine) async throws {
        try await engine.with { database in
            let journal = try OrderJournalTests.journal(database)
            let placing = try await Self.sent(journal)
            try await journal.recordOutcome(.responseLost, of: placing.id)
            let known = try await journal.recordOutcome(
                .found(Self.order("", legs: ["L1", "L2"], .filled)), of: placing.id)
            #expect(known?.order.state == .filled && known?.providerOrderID == nil)
            #expect(known?.order.limitPrice == 2 && known?.order.quantity == 1)
            #expect(known?.order.legs.map(\.id) == ["L1", "L2"])
        }
    }

    @Test(
        "that the broker refused are stored once, and are in no list of orders without a broker's id",
        arguments: TestEngine.allCases)
    func refused(engine: TestEngine) async throws {
        try await engine.with { database in
            let journal = try OrderJournalTests.journal(database)
            let placing = try await Self.sent(journal)
            let order = Self.order("P", legs: ["", "L2"])
            try await journal.recordOutcome(.accepted(order), of: placing.id)
            try await journal.receive([order], of: placing.owner, placing.connection)
            let legs = try await Self.legs(journal, of: placing)
            #expect(legs.map(\.order.state) == [.rejected, .accepted])
            let unknown = try await journal.orders(
                .unknownToBroker, of: placing.owner, placing.connection, before: nil, limit: 10)
            #expect(unknown.isEmpty)
        }
    }

    @Test(
        "belong to the key of the order: other exits are another order",
        arguments: [
            nil, OrderExits(takeProfit: 3, stopLoss: nil),
            OrderExits(takeProfit: 4, stopLoss: .init(stop: 1)),
            OrderExits(takeProfit: 3, stopLoss: .init(stop: 1, limit: 1)),
            OrderExits(takeProfit: 3, stopLoss: .init(stop: 1), closesExistingPosition: true),
        ])
    func otherExits(_ exits: OrderExits?) async throws {
        try await TestEngine.each { database in
            let journal = try OrderJournalTests.journal(database)
            let placing = try await Self.sent(journal)
            guard case .known = try await journal.begin(OrderJournalTests.placing(ticket: Self.ticket()))
            else {
                Issue.record("the same order is another")
                return
            }
            #expect(
                try await journal.begin(OrderJournalTests.placing(ticket: Self.ticket(exits))) == .otherOrder)
            #expect(try await journal.order(placing.identity)?.order.state == .pending)
        }
    }

    @Test(
        "are exported as they were requested, also if the broker has reported none of them",
        arguments: [
            (nil, #""takeProfit":null,"stopLoss":null,"stopLossLimit":null,"closesPosition":null"#),
            (
                OrderExits(takeProfit: 3, stopLoss: nil),
                #""takeProfit":"3","stopLoss":null,"stopLossLimit":null,"closesPosition":null"#
            ),
            (
                OrderExits(
                    takeProfit: 3, stopLoss: .init(stop: 2, limit: 1), closesExistingPosition: true),
                #""takeProfit":"3","stopLoss":"2","stopLossLimit":"1","closesPosition":"true""#
            ),
        ] as [(OrderExits?, String)])
    func export(_ exits: OrderExits?, members: String) async throws {
        try await TestEngine.each { database in
            let journal = try OrderJournalTests.journal(database)
            let placing = try OrderJournalTests.placing(ticket: Self.ticket(exits))
            _ = try await journal.begin(placing)
            #expect(try await journal.markSent(placing.id))
            let exporter = UserDataExport(of: try database.open())
            let export = try #require(try await exporter.json(of: placing.owner))
            #expect(export.contains(members), "\(export)")
        }
    }
}
