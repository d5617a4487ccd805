import Contract
import Gateway
import GraphQL
import GraphQLTools
import Testing

@Suite("A changed contract")
struct ChangedContractTests {
    /// The contract with a text in the place of another.
    private func contract(_ text: String, replacedBy other: String) throws -> String {
        try #require(Contract.schemaText.contains(text))
        return Contract.schemaText.replacing(text, with: other, maxReplacements: 1)
    }

    private static let field =
        "  \"\"\"The exchange, as the provider names it. Null if the provider does not report it.\"\"\"\n  exchange: String\n"

    @Test("is accepted without a change: each field that loads states its lifetime and cost")
    func loads() throws {
        let executable = try ExecutableSchema(contract: Contract.schemaText)
        #expect(executable.loadedFields.contains("Listing.exchange") == false)
        #expect(executable.loadedFields.contains("Instrument.quote"))
        #expect(LoadHints.missing(in: executable.schema, loading: executable.loadedFields).isEmpty)
    }

    @Test("is rejected with the field's name if a field has no binding")
    func withoutResolver() throws {
        let text = try contract(
            Self.field, replacedBy: Self.field + "  \"\"\"\n  New.\n  \"\"\"\n  unboundField: String\n")
        let error = #expect(throws: BindingError.self) { try ExecutableSchema(contract: text) }
        #expect(
            error?.differences.map(\.description) == [
                "Listing.unboundField: the schema has it, but nothing is bound to it"
            ])
    }

    @Test("is reported with the field's name if a field has no description")
    func withoutDescription() throws {
        let text = try contract(Self.field, replacedBy: "  exchange: String\n")
        let findings = try Schema.build(text).lint()
        #expect(findings.map(\.subject.description) == ["Listing.exchange"])
        #expect(findings.map(\.rule) == [.descriptions])
    }

    @Test(
        "is reported with the field's name if a field that loads does not state its lifetime",
        arguments: [
            (
                "  fundamentals: Fundamentals @cacheControl(maxAge: 86400)", "  fundamentals: Fundamentals",
                "Instrument.fundamentals loads without @cacheControl"
            ),
            (
                "  description: String @cost(weight: \"1\") @cacheControl(maxAge: 86400)",
                "  description: String @cacheControl(maxAge: 86400)",
                "Instrument.description loads a leaf without @cost"
            ),
            (
                "  listings: [Listing!]! @cacheControl(maxAge: 86400) @listSize(assumedSize: 5)",
                "  listings: [Listing!]! @cacheControl(maxAge: 86400)",
                "Instrument.listings loads a list without @listSize"
            ),
        ])
    func withoutHints(text: String, other: String, finding: String) throws {
        let executable = try ExecutableSchema(contract: contract(text, replacedBy: other))
        #expect(
            LoadHints.missing(in: executable.schema, loading: executable.loadedFields) == [finding])
    }
}
