import Contract
import Gateway
import GraphQL
import GraphQLTools
import Testing

@Suite("A contract that was changed")
struct ChangedContractTests {
    /// The contract with a text in the place of another.
    private func contract(_ text: String, replacedBy other: String) throws -> String {
        try #require(Contract.schemaText.contains(text))
        return Contract.schemaText.replacing(text, with: other, maxReplacements: 1)
    }

    private static let field =
        "  \"\"\"\n  The exchange, as the provider names it.\n  \"\"\"\n  exchange: String\n"

    @Test("as it is, tells of each field that loads how long it may be kept and what it costs")
    func loads() throws {
        let executable = try ExecutableSchema(contract: Contract.schemaText)
        #expect(executable.loadedFields.contains("Listing.exchange") == false)
        #expect(executable.loadedFields.contains("Instrument.quote"))
        #expect(LoadHints.missing(in: executable.schema, loading: executable.loadedFields).isEmpty)
    }

    @Test("with a field that nothing is bound to, is refused by the field's name")
    func withoutResolver() throws {
        let text = try contract(
            Self.field, replacedBy: Self.field + "  \"\"\"\n  New.\n  \"\"\"\n  unboundField: String\n")
        let error = #expect(throws: BindingError.self) { try ExecutableSchema(contract: text) }
        #expect(
            error?.differences.map(\.description) == [
                "Listing.unboundField: the schema has it, but nothing is bound to it"
            ])
    }

    @Test("with a field that has no description, is found wanting by the field's name")
    func withoutDescription() throws {
        let text = try contract(Self.field, replacedBy: "  exchange: String\n")
        let findings = try Schema.build(text).lint()
        #expect(findings.map(\.subject.description) == ["Listing.exchange"])
        #expect(findings.map(\.rule) == [.descriptions])
    }

    @Test(
        "with a field that loads and does not say so, is found wanting by the field's name",
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
