import Brokerage
import GraphQL
import PorticoCore
import Upstream

extension Mutation {
    /// The acceptance of disclaimers.
    @FieldsBuilder<Mutation> static var disclaimers: [Field<Mutation>] {
        Field(
            "acceptDisclaimers", AcceptDisclaimersArguments.self,
            once: { arguments, context in
                try context.accept(arguments.ids, typing: arguments.typedText)
            })
    }
}

struct AcceptDisclaimersArguments: GraphQLArguments {
    let ids: [String]
    let typedText: String?

    init(_ arguments: ArgumentReader) throws {
        ids = try (arguments["ids"] as BoundedList<IDText>).elements.map(\.text)
        typedText = try (arguments["typedText"] as SentenceText?)?.text
    }
}

/// A sentence that a broker requires the user to type.
struct SentenceText: StoredText {
    static var lengths: ClosedRange<Int> { 0...2_000 }
    static var form: TextForm { .multiline }
    let text: String
}

/// `AcceptDisclaimersPayload` of the schema.
struct AcceptDisclaimersPayload: GraphQLObject {
    typealias Context = GatewayContext

    let acceptedIDs: [String]

    static let graphQL = ObjectType<AcceptDisclaimersPayload>("AcceptDisclaimersPayload") {
        Field("acceptedIds", \.acceptedIDs)
    }
}

/// A disclaimer, and the connection by which its broker named it.
struct ConnectedDisclaimer: Sendable {
    let disclaimer: OrderDisclaimer
    let connection: BrokerConnection

    /// The maximum number of disclaimers that are accepted at a time.
    static let maximumCount = 20

    private static func idPrefix(of connection: BrokerConnection) -> String { "Disclaimer:\(connection.id):" }

    /// The `id` that the schema gives a disclaimer: it names the broker's check of the order, so that the disclaimer can be
    /// accepted at any server.
    var globalID: String {
        let names = "\(disclaimer.reference.context) \(disclaimer.reference.token)"
        return Self.idPrefix(of: connection) + Base64.url.encoded(names.utf8)
    }

    /// The disclaimer of a connection that an `id` of the schema means; nil for the id of something else.
    static func reference(
        _ globalID: String, of connection: BrokerConnection
    ) -> OrderDisclaimer.Reference? {
        let prefix = idPrefix(of: connection)
        guard globalID.hasPrefix(prefix),
            let bytes = Base64.url.decoded(globalID.dropFirst(prefix.count).utf8),
            let names = String(validating: bytes, as: UTF8.self)?.split(separator: " "), names.count == 2
        else { return nil }
        return OrderDisclaimer.Reference(context: String(names[0]), token: String(names[1]))
    }
}

/// The disclaimers that a broker has named for an order.
struct PendingDisclaimers: Sendable {
    let references: [OrderDisclaimer.Reference]
    let connection: BrokerConnection
}

extension GatewayContext {
    /// The texts of the disclaimers of orders; an item that the broker does not return as a whole is an error.
    func disclaimers(
        of pending: [PendingDisclaimers?]
    ) -> MaybeAsync<BatchResults<BatchResults<ConnectedDisclaimer>?>> {
        .each(pending) { pending in
            guard let pending else { return .ready(nil) }
            guard !pending.references.isEmpty, let tradingAPI = pending.connection.orders else {
                return .ready([])
            }
            return .async {
                try await self.disclaimers(pending.references, at: tradingAPI, by: pending.connection)
            }
        }
    }

    private func disclaimers(
        _ references: [OrderDisclaimer.Reference], at tradingAPI: any TradingAPI,
        by connection: BrokerConnection
    ) async throws(FieldError) -> BatchResults<ConnectedDisclaimer> {
        let found: KeyedResults<OrderDisclaimer.Reference, OrderDisclaimer>
        do throws(ProviderFailure) {
            found = try await tradingAPI.disclaimers(references, in: call)
        } catch {
            throw FieldError(error)
        }
        return references.map { reference in
            if let disclaimer = found[reference] {
                return .success(ConnectedDisclaimer(disclaimer: disclaimer, connection: connection))
            }
            let failure = found.failures[reference] ?? ProviderFailure(connection.provider, .notFound)
            return .failure(FieldError(failure))
        }
    }

    /// Accepts disclaimers at the brokers that named them: none, unless each of them can be accepted.
    ///
    /// - Throws: `FieldError` UNSUPPORTED for a call of a tool, BAD_USER_INPUT for too many ids or a wrong text, NOT_FOUND
    ///   for an id that the user's brokers do not know, CONFLICT for a disclaimer that blocks the order.
    func accept(_ ids: [String], typing text: String?) throws -> MaybeAsync<AcceptDisclaimersPayload?> {
        guard !isToolCall else { throw FieldError.notByTools }
        guard ids.count <= ConnectedDisclaimer.maximumCount else {
            throw FieldError.argument(
                "ids",
                "It has \(ids.count) entries; at most \(ConnectedDisclaimer.maximumCount) are accepted at a time."
            )
        }
        let connections = try connections(with: nil)
        let named = try ids.enumerated().map { index, id in
            for connection in connections {
                if let reference = ConnectedDisclaimer.reference(id, of: connection) {
                    return (connection, reference)
                }
            }
            throw FieldError.noDisclaimer(index)
        }
        return .async {
            var accepted: [ConnectedDisclaimer] = []
            for (index, (connection, reference)) in named.enumerated() {
                accepted.append(
                    try await self.acceptable(reference, of: connection, typing: text, at: index))
            }
            // A separate task, so that the others are accepted if the client disconnects.
            try await Task { try await self.send(accepted, typing: text) }.value
            return AcceptDisclaimersPayload(acceptedIDs: ids)
        }
    }

    /// A disclaimer that the user can accept with a text.
    private func acceptable(
        _ reference: OrderDisclaimer.Reference, of connection: BrokerConnection, typing text: String?,
        at index: Int
    ) async throws -> ConnectedDisclaimer {
        guard let tradingAPI = connection.orders else { throw FieldError.noDisclaimer(index) }
        let connected: ConnectedDisclaimer
        do {
            let found = try await disclaimers([reference], at: tradingAPI, by: connection)
            guard let first = try found.first?.get() else { throw FieldError.noDisclaimer(index) }
            connected = first
        } catch let error as FieldError where [.notFound, .unsupported].contains(error.code) {
            throw FieldError.noDisclaimer(index)
        }
        guard !connected.disclaimer.isBlocking else {
            throw FieldError.argument(
                "ids[\(index)]", code: .conflict,
                "\(connection.provider.name.text) blocks the order with this disclaimer, which cannot be accepted. Do not place the order.",
                provider: connection.provider)
        }
        if let required = connected.disclaimer.requiredText, required != text {
            throw FieldError.argument(
                "typedText",
                "It is not the `requiredText` of ids[\(index)], which the user must type exactly.",
                provider: connection.provider)
        }
        return connected
    }

    private func send(_ disclaimers: [ConnectedDisclaimer], typing text: String?) async throws(FieldError) {
        for (index, connected) in disclaimers.enumerated() {
            do throws(ProviderFailure) {
                try await connected.connection.orders?.accept(
                    connected.disclaimer.reference,
                    typing: connected.disclaimer.requiredText == nil ? nil : text, in: call)
            } catch {
                var failure = FieldError(error)
                if error.cause == .unsupported { failure = .noDisclaimer(index) }
                failure.argument = "ids[\(index)]"
                throw failure
            }
        }
    }
}

extension FieldError {
    fileprivate static let notByTools = FieldError(
        .unsupported,
        "A tool cannot accept a disclaimer, because the person who trades must read it. Show it to the person."
    )

    fileprivate static func noDisclaimer(_ index: Int) -> FieldError {
        .argument(
            "ids[\(index)]", code: .notFound,
            "None of the user's brokers requires this disclaimer. Preview the order again, and use the new ids."
        )
    }
}

extension ConnectedDisclaimer: GraphQLObject {
    typealias Context = GatewayContext

    static let graphQL = ObjectType<ConnectedDisclaimer>("Disclaimer") {
        Field("id") { $0.globalID }
        Field("title", \.disclaimer.title)
        Field("body", \.disclaimer.body)
        Field("isBlocking", \.disclaimer.isBlocking)
        Field("confirmations", \.disclaimer.confirmations)
        Field("requiredText", \.disclaimer.requiredText)
    }
}
