import Contract
import GraphQL

/// A page of the documentation that is made from the code.
struct GeneratedPage {
    /// The file's name.
    let name: String
    let text: String

    /// All of them.
    ///
    /// - Throws: `GraphQLErrors` where the contract is no schema.
    static func all() throws -> [GeneratedPage] {
        let schema = try Schema.build(Contract.schemaText)
        return [ConfigurationPage().page, ErrorsPage(schema).page]
    }
}
