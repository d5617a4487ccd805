import Contract
import GraphQL
import TestSupport
import Testing

@Suite("The contract, subscription by subscription")
struct GeneratedSubscriptionTests {
    @Test("each begins with an event that is as the schema says, with arguments made from their types")
    func everySubscription() async throws {
        let schema = try Schema.build(Contract.schemaText)
        let root = schema[try #require(schema.subscriptionType)]
        try await withServer { server in
            for field in root.fields {
                var choices = Choices(0)
                let arguments = try #require(
                    InputExamples(schema).arguments(of: field, &choices, number: 0), "\(field.name)")
                let fields = schema[field.type.type].fields.filter { inner in
                    schema[inner.type.type].isLeaf && !inner.arguments.contains(where: \.isRequired)
                }
                let query =
                    "subscription { \(field.name)\(arguments) { __typename \(fields.map(\.name).joined(separator: " ")) } }"
                let valid = try validate(parse(SourceText(query)), against: schema)
                let event = try await firstEvent(of: query, server)
                #expect(AnswerCheck(event, to: valid).violations.isEmpty)
                #expect(event["data"]?[field.name]?.members != nil, "\(field.name)")
            }
        }
    }

    /// The first event of a subscription, told as server-sent events.
    private func firstEvent(of query: String, _ server: RunningServer) async throws -> JSONValue {
        let client = try RawClient(port: server.port)
        defer { client.close() }
        try await client.send(
            RawRequest.post(
                RawRequest.query(query),
                fields: [
                    "Accept: text/event-stream", "Authorization: Bearer \(RunningServer.sandboxToken)",
                ]))
        var text = ""
        while true {
            text += try await client.take(1)
            guard text.hasSuffix("\n\n") else { continue }
            if let event = text.firstMatch(of: /event: next\ndata: (.*)\n\n/) {
                return try JSONValue(parsing: String(event.1))
            }
        }
    }
}
