import Brokerage
import GraphQL
import PorticoCore

extension Mutation {
    /// The acceptance of disclaimers.
    @FieldsBuilder<Mutation> static var disclaimers: [Field<Mutation>] {
        Field(
            "acceptDisclaimers", AcceptDisclaimersArguments.self,
            once: { arguments, scope in
                try DisclaimerService(scope).accept(arguments.ids, typing: arguments.typedText)
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

extension ConnectedDisclaimer: GraphQLObject {
    static let graphQL = ObjectType<ConnectedDisclaimer>("Disclaimer") {
        Field("id") { $0.globalID }
        Field("title", \.disclaimer.title)
        Field("body", \.disclaimer.body)
        Field("isBlocking", \.disclaimer.isBlocking)
        Field("confirmations", \.disclaimer.confirmations)
        Field("requiredText", \.disclaimer.requiredText)
    }
}
