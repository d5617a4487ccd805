import Brokerage
import GraphQL
import Testing
import Upstream

@testable import Gateway

@Suite("The service of disclaimers")
struct DisclaimerServiceTests {
    private let broker = FakeBroker(.saxo)
    private let connection: BrokerConnection

    init() throws {
        connection = broker.connection("a")
        var typed = try Self.disclaimer("typed")
        typed.requiredText = "I understand"
        let known = [
            try Self.disclaimer("plain"), typed, try Self.disclaimer("blocking", isBlocking: true),
        ]
        broker.set { [known] in $0.disclaimers = known }
    }

    private static func disclaimer(
        _ token: String, isBlocking: Bool = false
    ) throws -> OrderDisclaimer {
        let reference = try #require(OrderDisclaimer.Reference(context: "check", token: token))
        return OrderDisclaimer(reference: reference, title: token, body: nil, isBlocking: isBlocking)
    }

    private func id(_ token: String) throws -> String {
        ConnectedDisclaimer(disclaimer: try Self.disclaimer(token), connection: connection).globalID
    }

    private func accept(
        _ tokens: [String], typing text: String? = nil, of owner: OwnerID = alice,
        byTool isToolCall: Bool = false
    ) async throws -> [String]? {
        let scope = try requestScope(of: owner, connections: [connection])
        let service = DisclaimerService(
            RequestScope(
                session: scope.session, services: scope.services, call: scope.call, isToolCall: isToolCall))
        return try await service.accept(tokens.map { try id($0) }, typing: text).value()?.acceptedIDs
    }

    @Test("accepts each disclaimer once, with the text only if the disclaimer requires one")
    func accept() async throws {
        let ids = try await accept(["plain", "typed"], typing: "I understand")
        #expect(try ids == [id("plain"), id("typed")])
        #expect(
            broker.acceptances == [
                .init(token: "plain", text: nil), .init(token: "typed", text: "I understand"),
            ])
    }

    @Test(
        "accepts none if one of them cannot be accepted",
        arguments: [
            (
                "blocking", alice, ErrorCode.conflict, "ids[1]",
                "saxo blocks the order with this disclaimer, which cannot be accepted. Do not place the order."
            ),
            (
                "typed", alice, .badUserInput, "typedText",
                "It is not the `requiredText` of ids[1], which the user must type exactly."
            ),
            (
                "unknown", alice, .notFound, "ids[1]",
                "None of the user's brokers requires this disclaimer. Preview the order again, and use the new ids."
            ),
            (
                "plain", bob, .notFound, "ids[0]",
                "None of the user's brokers requires this disclaimer. Preview the order again, and use the new ids."
            ),
        ])
    func refusals(
        _ token: String, _ user: OwnerID, _ code: ErrorCode, _ argument: String, _ reason: String
    ) async throws {
        let error = await #expect(throws: FieldError.self) {
            try await accept(["plain", token], typing: "I Understand", of: user)
        }
        #expect(error?.code == code)
        #expect(error?.argument == argument)
        #expect(error?.message == "Argument \"\(argument)\": \(reason)")
        #expect(broker.acceptances.isEmpty)
    }

    @Test("refuses a call of a tool, and more ids than one request may have")
    func limits() async throws {
        let byTool = FieldError(
            .unsupported,
            "A tool cannot accept a disclaimer, because the person who trades must read it. Show it to the person."
        )
        await #expect(throws: byTool) { try await accept(["plain"], byTool: true) }
        let tooMany = FieldError.argument("ids", "It has 21 entries; at most 20 are accepted at a time.")
        await #expect(throws: tooMany) { try await accept(Array(repeating: "plain", count: 21)) }
        #expect(broker.calls.isEmpty)
    }

    @Test("has a text or an error for each disclaimer of an order, in the order in which they were named")
    func texts() async throws {
        let references = try ["unknown", "plain"].map { try Self.disclaimer($0).reference }
        let pending = [
            nil, PendingDisclaimers(references: [], connection: connection),
            PendingDisclaimers(references: references, connection: connection),
        ]
        let lists = try await DisclaimerService(requestScope(connections: [connection]))
            .disclaimers(of: pending).value().map { try $0.get() }
        #expect(lists.map { $0?.count } == [nil, 0, 2])
        let texts = try #require(lists.last ?? nil)
        #expect(throws: FieldError(ProviderFailure(.saxo, .notFound))) { try texts[0].get() }
        #expect(try texts[1].get().disclaimer.title == "plain")
        #expect(broker.calls == ["disclaimers": 1])
    }
}
