import Brokerage
import PorticoCore
import ProviderTestSupport
import Saxo
import Testing
import Upstream

@Suite("A cancellation at Saxo")
struct OrderCancellationTests {
    /// A response to the cancellation of an order with its legs, and what it shows.
    struct Case: CustomTestStringConvertible, Sendable {
        let testDescription: String
        /// The order is one of a pair of which one cancels the other, and not an entry with two exits.
        var isPair = false
        var filled = 0
        var status = 200
        let body: String
        /// The states of the order and its legs; nil if the order is not cancelled.
        var states: [OrderState]?
        /// The reason of a rejection; without it and without states, the outcome is unknown.
        var reason: RejectionReason?
    }

    /// An entry with the id 1 and the exits 2 and 3, or a pair of the orders 1 and 2.
    private static func order(_ wanted: Case) throws -> Order {
        func order(_ id: String, _ side: OrderSide, _ state: OrderState) throws -> Order {
            var order = Order(
                id: id, symbol: try symbol("AAPL"), side: side, state: state,
                provenance: Provenance(source: .saxo, fetchedAt: .earliest))
            order.accountID = "account"
            return order
        }
        var entry = try order("1", wanted.isPair ? .sell : .buy, .open)
        entry.filledQuantity = Decimal(wanted.filled)
        entry.legs =
            wanted.isPair
            ? [try order("2", .sell, .open)]
            : [try order("2", .sell, .accepted), try order("3", .sell, .accepted)]
        return entry
    }

    private static func item(_ id: String? = nil, _ code: String? = nil) -> String {
        let members = [
            id.map { #""OrderId":"\#($0)""# },
            code.map { #""ErrorInfo":{"ErrorCode":"\#($0)","Message":"text"}"# },
        ]
        return "{\(members.compactMap(\.self).joined(separator: ","))}"
    }

    private static func list(_ items: String...) -> String {
        #"{"Orders":[\#(items.joined(separator: ","))]}"#
    }

    private static let late = "TooLateToCancelOrder"

    @Test(
        "has the result of each order",
        arguments: [
            Case(
                testDescription: "all orders", body: list(item("1"), item("2"), item("3")),
                states: [.pendingCancel, .pendingCancel, .pendingCancel]),
            Case(
                testDescription: "no body", status: 204, body: "",
                states: [.pendingCancel, .pendingCancel, .pendingCancel]),
            Case(
                testDescription: "an entry with which its exits end: Saxo's recorded response",
                body: list(item("1"), item("2", late), item("3", "None")),
                states: [.pendingCancel, .pendingCancel, .pendingCancel]),
            Case(
                testDescription: "an exit of a partly filled entry", filled: 1,
                body: list(item("1"), item("2"), item("3", late)),
                states: [.pendingCancel, .pendingCancel, .accepted]),
            Case(
                testDescription: "an entry that was filled",
                body: list(item("1", late), item("2", "None"), item("3", "None")), reason: .tooLate),
            Case(
                testDescription: "an entry that was filled, without its id beside the error",
                body: list(item(nil, late), item("2"), item("3")), reason: .tooLate),
            Case(
                testDescription: "an exit without its id beside the error", filled: 1,
                body: list(item("1"), item(nil, late), item("3")),
                states: [.pendingCancel, .accepted, .pendingCancel]),
            Case(
                testDescription: "orders in another order", filled: 1,
                body: list(item("3", late), item("2"), item("1")),
                states: [.pendingCancel, .pendingCancel, .accepted]),
            Case(
                testDescription: "the other order of a pair", isPair: true,
                body: list(item("1"), item("2", late)),
                states: [.pendingCancel, .open]),
            Case(
                testDescription: "an error without an id that may be of several orders",
                body: list(item(nil, late), item("2"))),
            Case(
                testDescription: "an error without an id at the place of another order",
                body: list(item("2"), item(nil, late), item("3"))),
            Case(testDescription: "all but the order", body: list(item("2"), item("3"))),
            Case(testDescription: "an order of which there was no request", body: list(item("9"))),
            Case(testDescription: "an empty list", body: list()),
            Case(
                testDescription: "an order of which Saxo does not know the outcome",
                body: list(item("1", "OrderCommandTimeout"), item("2", "None"), item("3", "None"))),
            Case(
                testDescription: "an error of the request", body: item(nil, "IllegalAccount"),
                reason: .tradingBlocked),
            Case(
                testDescription: "an error of the request with status 400", status: 400,
                body: item(nil, "IllegalAccount"), reason: .tradingBlocked),
            Case(
                testDescription: "errors of the orders with status 400", status: 400,
                body: list(item("1", late), item("2", "None"), item("3", "None")), reason: .tooLate),
            Case(
                testDescription: "a later result", status: 202,
                body: list(item("1", late), item("2"), item("3"))),
            Case(testDescription: "a proxy", status: 400, body: "<html>"),
        ])
    func results(_ wanted: Case) async throws {
        let order = try Self.order(wanted)
        try await withSaxo(answering: { _, _ in .text(wanted.body, status: wanted.status) }) { saxo, server in
            let result = await Result.of { () throws(ProviderFailure) in
                try await saxo.cancel(order, in: .patient)
            }
            switch result {
            case .success(.accepted(let cancelled)):
                #expect(([cancelled] + cancelled.legs).map(\.state) == wanted.states)
            case .success(.rejected(let rejection)):
                #expect(rejection.reason == wanted.reason)
            case .failure(let failure):
                #expect(failure == ProviderFailure(.saxo, .invalidResponse(nil)))
                #expect(wanted.states == nil && wanted.reason == nil)
            }
            #expect(server.requests.map(\.method) == ["DELETE"])
        }
    }
}
