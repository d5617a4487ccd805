import Contract
import GraphQL

/// The contract, as tests look things up in it.
enum PublicSchema {
    /// The values of an enum.
    static func values(of name: String) throws -> [String]? {
        guard case .enum(let type)? = try schema().type(named: name)?.kind else { return nil }
        return type.values.map(\.name)
    }

    /// `@cacheControl(maxAge:)` of a field, in seconds.
    static func maxAge(of field: String, on type: String) throws -> Int? {
        let directive = try schema().type(named: type)?.field(named: field)?.appliedDirectives
            .first(named: "cacheControl")
        guard case .int(let seconds)? = directive?.arguments["maxAge"] else { return nil }
        return Int(seconds)
    }

    static func schema() throws -> Schema {
        try Schema.build(Contract.schemaText, name: "schema.graphql")
    }
}
