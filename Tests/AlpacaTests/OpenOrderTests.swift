import Alpaca
import Brokerage
import ProviderTestSupport
import Sandbox
import Testing
import Upstream

/// Whether Alpaca's lists of open orders have the exits of a filled entry is known from users only
/// (alpaca-trade-api-js 80 and 87, alpaca-trade-api-python 322), so both are tested.
@Suite("The open orders of Alpaca")
struct OpenOrderTests {
    private static let lists = "GET /v2/orders"

    /// A bracket for two of AMD's shares: far below the market, or at the market.
    private func bracket(at price: OrderPricing, id: String) throws -> OrderTicket {
        var ticket = OrderTicket(
            clientOrderID: id, accountID: "any", symbol: try symbol("AMD"), side: .buy, size: .quantity(2),
            price: price, timeInForce: .goodTillCanceled)
        ticket.exits = OrderExits(takeProfit: 900, stopLoss: .init(stop: 2))
        return ticket
    }

    private func placed(_ ticket: OrderTicket, at alpaca: AlpacaClient) async throws -> Order {
        guard case .accepted(let order) = try await alpaca.place(ticket, in: .patient) else {
            throw Unexpected()
        }
        return order
    }

    private struct Unexpected: Error {}

    /// The open orders, with their legs: type and state of each.
    private func open(_ alpaca: AlpacaClient) async throws -> [Order] {
        let page = try await alpaca.orders(OrderQuery(isOpen: true), in: .patient)
        #expect(!page.hasMore && page.unreadable.isEmpty)
        return page.orders
    }

    @Test(
        "have both exits of a bracket before and after its entry is filled; one is changed, and all are cancelled",
        arguments: [false, true])
    func bracket(hasAllExits: Bool) async throws {
        try await withSandbox({ $0.alpaca.openListHasAllExits = hasAllExits }) { alpaca, sandbox, _ in
            let waiting = try await placed(bracket(at: .limit(3), id: "waiting"), at: alpaca)
            let before = try await open(alpaca)
            #expect(before.map(\.id) == [waiting.id])
            #expect(before.first?.legs.map(\.type) == [.limit, .stop])
            #expect(before.first?.legs.map(\.providerState) == ["held", "held"])
            #expect(sandbox.calls[.alpaca, Self.lists] == 2)
            _ = try await alpaca.cancel(waiting, in: .patient)
            #expect(try await open(alpaca).isEmpty)
            // No order of a group is open, so one call is enough.
            #expect(sandbox.calls[.alpaca, Self.lists] == 3)

            let filled = try await placed(bracket(at: .market, id: "filled"), at: alpaca)
            let exits = try await open(alpaca).sorted { $0.type == .limit && $1.type != .limit }
            #expect(exits.map(\.type) == [.limit, .stop])
            #expect(exits.map(\.providerState) == ["new", "held"])
            #expect(exits.map(\.parentID) == [filled.id, filled.id])
            #expect(Set(exits.map(\.id)) == Set(filled.legs.map(\.id)))

            let loss = try #require(exits.last)
            let answer = try await alpaca.replace(
                loss, by: OrderReplacement(price: .stop(3)), clientOrderID: "changed", in: .patient)
            guard case .accepted(let changed) = answer else { throw Unexpected() }
            let now = try await open(alpaca)
            #expect(now.first { $0.type == .stop }?.id == changed.id)
            #expect(now.first { $0.type == .stop }?.stopPrice == 3 && now.count == 2)

            let profit = try #require(exits.first)
            _ = try await alpaca.cancel(profit, in: .patient)
            #expect(try await open(alpaca).isEmpty)
            let entry = try await alpaca.order(filled.id, of: nil, in: .patient)
            #expect(entry.state == .filled)
            #expect(entry.legs.allSatisfy { $0.state == .canceled || $0.state == .replaced })
        }
    }

    @Test("have each exit once, whose parent is the entry that replaced others", arguments: [false, true])
    func replaced(hasAllExits: Bool) async throws {
        try await withSandbox({ $0.alpaca.openListHasAllExits = hasAllExits }) { alpaca, _, _ in
            var entry = try await placed(bracket(at: .limit(3), id: "entry"), at: alpaca)
            for (number, price) in [OrderPricing.limit(4), .limit(900)].enumerated() {
                let result = try await alpaca.replace(
                    entry, by: OrderReplacement(price: price), clientOrderID: "entry-\(number)", in: .patient)
                guard case .accepted(let changed) = result else { throw Unexpected() }
                entry = changed
            }
            let exits = try await open(alpaca)
            #expect(exits.map(\.type).count == 2 && Set(exits.map(\.type)) == [.limit, .stop], "\(exits)")
            #expect(exits.map(\.parentID) == [entry.id, entry.id])
        }
    }

    @Test("have the exits of a position (OCO) below its take profit", arguments: [false, true])
    func oneCancelsOther(hasAllExits: Bool) async throws {
        try await withSandbox({ $0.alpaca.openListHasAllExits = hasAllExits }) { alpaca, _, _ in
            var ticket = OrderTicket(
                clientOrderID: "oco", accountID: "any", symbol: try symbol("KO"), side: .sell,
                size: .quantity(5), price: .limit(900), timeInForce: .goodTillCanceled)
            ticket.exits = OrderExits(
                takeProfit: 900, stopLoss: .init(stop: 1), closesExistingPosition: true)
            let order = try await placed(ticket, at: alpaca)
            let listed = try await open(alpaca)
            #expect(listed.map(\.id) == [order.id] && listed.first?.legs.map(\.type) == [.stop])
        }
    }

    @Test("come in pages by the time of their submission, with the exits of a filled entry among them")
    func pages() async throws {
        try await withSandbox { alpaca, _, _ in
            var ids: [String] = []
            for number in 0..<2 {
                let ticket = OrderTicket(
                    clientOrderID: "ko-\(number)", accountID: "any", symbol: try symbol("KO"), side: .buy,
                    size: .quantity(1), price: .limit(1), timeInForce: .goodTillCanceled)
                ids.insert(try await placed(ticket, at: alpaca).id, at: 0)
            }
            let filled = try await placed(bracket(at: .market, id: "filled"), at: alpaca)
            var told: [String] = []
            // Both exits have the time of their entry.
            var query = OrderQuery(isOpen: true, limit: 2)
            for _ in 0..<6 {
                let page = try await alpaca.orders(query, in: .patient)
                told += page.orders.map(\.id)
                guard page.hasMore, let last = page.orders.last?.listTime else { break }
                query.before = last
            }
            #expect(Set(told.prefix(2)) == Set(filled.legs.map(\.id)))
            #expect(Array(told.dropFirst(2)) == ids)
        }
    }

    @Test("of a group older than the latest 500 orders are found from the submission of the known exit on")
    func oldGroup() async throws {
        let old = "2026-08-03T15:00:00Z"
        func order(_ id: String, _ type: String, _ status: String, _ rest: String = "") -> String {
            #"{"id":"\#(id)","symbol":"AMD","side":"sell","type":"\#(type)","status":"\#(status)","qty":"2","#
                + #""filled_qty":"0","order_class":"bracket","submitted_at":"\#(old)"\#(rest)}"#
        }
        let profit = order("profit", "limit", "new")
        let legs = #","legs":[\#(profit),\#(order("loss", "stop", "held"))]"#
        let group = order("entry", "market", "filled", legs)
        let recent = (0..<500).map {
            #"{"id":"r\#($0)","symbol":"KO","side":"buy","status":"filled","qty":"1","filled_qty":"1"}"#
        }
        try await withAlpaca(answering: { request, _ in
            if request.target.contains("status=open") { return .text("[\(profit)]") }
            return .text(
                request.target.contains("after=") ? "[\(group)]" : "[\(recent.joined(separator: ","))]")
        }) { alpaca, server in
            let page = try await alpaca.orders(OrderQuery(isOpen: true), in: .patient)
            #expect(Set(page.orders.map(\.id)) == ["profit", "loss"])
            #expect(page.orders.allSatisfy { $0.parentID == "entry" })
            #expect(
                server.requests.map(\.target) == [
                    "/trading/v2/orders?status=open&limit=500&direction=desc",
                    "/trading/v2/orders?status=all&limit=500&direction=desc&nested=true",
                    "/trading/v2/orders?status=all&limit=500&after=2026-08-03T14%3A59%3A59Z&direction=asc&nested=true",
                ])
        }
    }

    @Test("have an exit whose group cannot be read alone, and the error of the group")
    func unreadableGroup() async throws {
        let profit =
            #"{"id":"profit","symbol":"AMD","side":"sell","type":"limit","status":"new","order_class":"bracket"}"#
        try await withAlpaca(answering: { request, _ in
            .text(request.target.contains("status=open") ? "[\(profit)]" : #"[{"id":7},{"id":"x"}]"#)
        }) { alpaca, _ in
            let page = try await alpaca.orders(OrderQuery(isOpen: true), in: .patient)
            #expect(page.orders.map(\.id) == ["profit"])
            #expect(page.unreadable.count == 2)
            #expect(
                page.unreadable.first?.hasPrefix("orders[0].id: expected a string, found a number") == true)
        }
    }
}
