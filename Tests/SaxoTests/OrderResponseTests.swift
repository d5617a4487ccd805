import Brokerage
import PorticoCore
import ProviderTestSupport
import Saxo
import Testing
import Upstream

@Suite("Saxo's responses to orders with several parts")
struct OrderResponseTests {
    private static let instruments =
        #"{"Data":[{"Identifier":211,"AssetType":"Stock","Symbol":"AAPL:xnas","CurrencyCode":"USD"}]}"#

    private static let details =
        #"{"Uic":211,"AssetType":"Stock","Symbol":"AAPL:xnas","CurrencyCode":"USD","#
        + #""SupportedOrderTypes":["Limit","Market","Stop","StopIfTraded","StopLimit"]}"#

    /// An entry with two exits, or a pair that closes a position.
    private static func ticket(isPair: Bool) throws -> OrderTicket {
        var ticket = OrderTicket(
            clientOrderID: "portico-1", accountID: "account", symbol: try symbol("AAPL"),
            side: isPair ? .sell : .buy, size: .quantity(4), price: .limit(isPair ? 240 : 225),
            timeInForce: .goodTillCanceled)
        ticket.exits = OrderExits(
            takeProfit: 240, stopLoss: .init(stop: 215), closesExistingPosition: isPair)
        return ticket
    }

    private static func place(
        isPair: Bool, _ response: CannedServer.Reply,
        _ check: (Result<OrderResult, ProviderFailure>) throws -> Void
    ) async throws {
        let ticket = try Self.ticket(isPair: isPair)
        try await withSaxo(answering: { request, _ in
            switch request.path {
            case "/trade/v2/orders": response
            case "/ref/v1/instruments": .text(instruments)
            case "/ref/v1/instruments/details/211/Stock": .text(details)
            default: .text("", status: 404)
            }
        }) { saxo, server in
            try check(await .of { () throws(ProviderFailure) in try await saxo.place(ticket, in: .patient) })
            #expect(server.requests.filter { $0.path == "/trade/v2/orders" }.count == 1)
        }
    }

    /// A response, and the orders that it shows.
    struct Case: CustomTestStringConvertible, Sendable {
        let testDescription: String
        var isPair = false
        let body: String
        /// The id, type and state of the order and of its legs; a refused part has no id.
        let orders: [Part]

        struct Part: Equatable, Sendable {
            let id: String
            let type: OrderType
            var state = OrderState.accepted
        }
    }

    private static let refusal = #"{"ErrorInfo":{"ErrorCode":"TooCloseToMarket","Message":"too close"}}"#

    @Test(
        "name the order and its legs",
        arguments: [
            Case(
                testDescription: "a pair, one of which is named", isPair: true,
                body: #"{"Orders":[{"OrderId":"11"}]}"#, orders: [.init(id: "11", type: .limit)]),
            Case(
                testDescription: "a pair in a list", isPair: true,
                body: #"{"Orders":[{"OrderId":"11"},{"OrderId":"12"}]}"#,
                orders: [.init(id: "11", type: .limit), .init(id: "12", type: .stop)]),
            Case(
                testDescription: "a pair whose first order was refused", isPair: true,
                body: #"{"Orders":[\#(refusal),{"OrderId":"12"}]}"#,
                orders: [.init(id: "12", type: .stop), .init(id: "", type: .limit, state: .rejected)]),
            Case(
                testDescription: "a pair whose first order is named apart", isPair: true,
                body: #"{"OrderId":"11","Orders":[{"OrderId":"12"}]}"#,
                orders: [.init(id: "11", type: .limit), .init(id: "12", type: .stop)]),
            Case(
                testDescription: "an entry, with its exits in a list",
                body: #"{"OrderId":"11","Orders":[{"OrderId":"12"},{"OrderId":"13"}]}"#,
                orders: [
                    .init(id: "11", type: .limit), .init(id: "12", type: .limit),
                    .init(id: "13", type: .stop),
                ]),
            Case(
                testDescription: "an entry, one of whose exits was refused",
                body: #"{"OrderId":"11","Orders":[{"OrderId":"12"},\#(refusal)]}"#,
                orders: [
                    .init(id: "11", type: .limit), .init(id: "12", type: .limit),
                    .init(id: "", type: .stop, state: .rejected),
                ]),
            Case(
                testDescription: "an entry in a list of three with its exits",
                body: #"{"Orders":[{"OrderId":"11"},{"OrderId":"12"},{"OrderId":"13"}]}"#,
                orders: [
                    .init(id: "11", type: .limit), .init(id: "12", type: .limit),
                    .init(id: "13", type: .stop),
                ]),
        ])
    func parts(_ wanted: Case) async throws {
        try await Self.place(isPair: wanted.isPair, .text(wanted.body)) { result in
            guard case .success(.accepted(let order)) = result else {
                Issue.record("not accepted: \(result)")
                return
            }
            let parts = ([order] + order.legs).map { order in
                Case.Part(id: order.id, type: order.type ?? .market, state: order.state)
            }
            #expect(parts == wanted.orders)
            #expect(order.clientOrderID == "portico-1" && order.parentID == nil)
            #expect(order.legs.allSatisfy { $0.parentID == order.id })
        }
    }

    @Test(
        "leave the outcome open if Saxo stopped to wait for the exchange, also with status 400",
        arguments: [
            #"{"ErrorInfo":{"ErrorCode":"OrderCommandTimeout","Message":"Timeout"}}"#,
            #"{"ErrorCode":"OrderCommandTimeout","Message":"Timeout"}"#,
            #"{"Orders":[{"ErrorInfo":{"ErrorCode":"OrderCommandTimeout","Message":"Timeout"}}]}"#,
        ], [200, 400])
    func timeout(body: String, status: Int) async throws {
        try await Self.place(isPair: false, .text(body, status: status)) { result in
            // The order may exist: it is neither accepted nor rejected, and is looked up.
            #expect(throws: ProviderFailure(.saxo, .invalidResponse(nil))) { try result.get() }
        }
    }

    @Test("refuse the order with a code that is final", arguments: [200, 400])
    func rejected(status: Int) async throws {
        let body = #"{"ErrorInfo":{"ErrorCode":"WouldExceedMargin","Message":"Insufficient funds"}}"#
        try await Self.place(isPair: false, .text(body, status: status)) { result in
            let rejection = OrderRejection(.insufficientFunds, message: "Insufficient funds")
            #expect(result == .success(.rejected(rejection)))
        }
    }
}
