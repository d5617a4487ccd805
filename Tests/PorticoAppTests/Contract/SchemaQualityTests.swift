import Contract
import GraphQL
import GraphQLTools
import Testing

@Suite("The text of the contract")
struct SchemaQualityTests {
    @Test("has names in the standard styles, descriptions everywhere, and the meaning of nulls in lists")
    func lint() throws {
        let findings = try Schema.build(Contract.schemaText).lint().map { finding in
            "\(finding.location.line):\(finding.location.column) \(finding.message)"
        }
        #expect(findings.isEmpty)
    }

    @Test("shares no response for which a scope was required")
    func privacy() throws {
        let schema = try Schema.build(Contract.schemaText)
        for type in schema.types where type.id != schema.subscriptionType && type.id != schema.mutationType {
            for field in type.fields where field.appliedDirectives.first(named: "requires") != nil {
                let hint = field.appliedDirectives.first(named: "cacheControl")
                #expect(hint?.arguments["scope"] == .enum("PRIVATE"), "\(type.name).\(field.name)")
            }
        }
    }
}
