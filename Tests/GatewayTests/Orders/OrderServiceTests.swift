import Brokerage
import Gateway
import GraphQL
import Testing
import Upstream

@Suite("The services of orders")
struct OrderServiceTests {
    private let broker = FakeBroker()

    private func scope(of owner: OwnerID? = alice, _ state: OrderState) throws -> RequestScope {
        let order = Order(
            id: "7", symbol: .example, side: .buy, state: state, provenance: broker.provenance)
        broker.set { $0.orders = ["7": order] }
        return try requestScope(of: owner, connections: [broker.connection("a")])
    }

    @Test("reads an order of the broker once, and then from memory")
    func order() async throws {
        let orders = OrderService(try scope(.open))
        for _ in 0..<2 {
            let order = try await orders.order(id: "Order:a:7").value()
            #expect(order.order.id == "7")
            #expect(order.order.state == .open)
        }
        #expect(broker.calls == ["order": 1])
    }

    @Test(
        "finds no order of another user, and none that the broker does not know",
        arguments: [(bob, "Order:a:7"), (alice, "Order:a:8"), (alice, "Order:b:7")])
    func unknown(_ user: OwnerID, _ id: String) async throws {
        let orders = OrderService(try scope(of: user, .open))
        let error = await #expect(throws: FieldError.self) { try await orders.order(id: id).value() }
        #expect(error?.code == .notFound)
        #expect(error?.message.contains(id) == true)
    }

    @Test("does not send the cancellation of an order that has ended")
    func endedOrder() async throws {
        let entry = OrderEntryService(try scope(.filled))
        let error = await #expect(throws: FieldError.self) { try await entry.cancel("Order:a:7").value() }
        #expect(error?.code == .conflict)
        #expect(error?.rejection == .tooLate)
        #expect(broker.calls == ["order": 1])
    }
}
