import Contract
import GraphQL
import TestSupport
import Testing

@Suite("The contract, subscription by subscription")
struct GeneratedSubscriptionTests {
    @Test("each begins with an event that conforms to the schema, with arguments generated from their types")
    func everySubscription() async throws {
        let schema = try Schema.build(Contract.schemaText)
        let root = schema[try #require(schema.subscriptionType)]
        try await withServer { server in
            let created = try await server.ask(
                """
                mutation { createAlert(input: {
                    condition: { priceBelow: { symbol: "AAPL" price: "0.01" } } }) { alert { id } } }
                """)
            #expect(created.failures.isEmpty, "\(created.body)")
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
                let told = try #require(await server.events(1, of: RawRequest.query(query)).first)
                let event = try JSONValue(parsing: told)
                #expect(AnswerCheck(event, to: valid).violations.isEmpty)
                #expect(event["data"]?[field.name]?.members != nil, "\(field.name)")
            }
        }
    }
}
