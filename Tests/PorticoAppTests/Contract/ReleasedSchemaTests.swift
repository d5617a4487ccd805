import Contract
import Foundation
import GraphQL
import GraphQLTools
import TestSupport
import Testing

@Suite("The contract in comparison with the released one")
struct ReleasedSchemaTests {
    @Test("breaks no client of the released one")
    func breaksNothing() throws {
        let text = try String(contentsOf: Golden.url("schema/released.graphql"), encoding: .utf8)
        let released = try Schema.build(text)
        let breaking = try released.changes(to: Schema.build(Contract.schemaText))
            .filter { $0.impact == .breaking }
            .map(\.description)
        #expect(breaking.isEmpty)
    }
}
