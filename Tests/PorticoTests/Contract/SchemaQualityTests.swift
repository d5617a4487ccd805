import Contract
import GraphQL
import Testing

@Suite("The contract's text")
struct SchemaQualityTests {
    @Test("has names in their styles, descriptions everywhere, and says what nulls in lists mean")
    func lint() throws {
        let findings = try Schema.build(Contract.schemaText).lint().map { finding in
            "\(finding.location.line):\(finding.location.column) \(finding.message)"
        }
        #expect(findings.isEmpty)
    }
}
