import Contract
import GraphQL
import PorticoCore
import Web

extension ToolCatalog {
    /// Reads the tools of the trusted documents.
    ///
    /// - Parameters:
    ///   - policy: The trusted documents.
    ///   - mutations: The names of the mutations that are tools.
    ///   - schema: The schema that executes them.
    /// - Throws: `UsageError` for a name of `mutations` that no trusted mutation has, or whose mutation places orders.
    init(trusting policy: DocumentPolicy, mutations: Set<String>, schema: Schema) throws {
        self.init(
            documents: policy.trusted.values, mutations: mutations, schema: schema,
            schemaText: Contract.schemaText, scalars: Self.scalars, version: Version.current)
        let known = Set(tools.filter { $0.operationType == .mutation }.map(\.name))
        if let unknown = mutations.subtracting(known).sorted().first {
            throw UsageError(
                """
                \(Settings.http.mcpMutations) has "\(unknown)", which is the name of no trusted mutation. \
                \(Settings.http.documents) sets the trusted documents.
                """)
        }
        if let tool = tools.first(where: { !$0.rootFields.isDisjoint(with: Self.orderFields) }) {
            throw UsageError(
                """
                \(Settings.http.mcpMutations) has "\(tool.name)", which places or replaces orders. A tool cannot do so, \
                because no limit of value applies to it. Remove the name.
                """)
        }
    }

    /// The mutations that a language model must not execute.
    private static let orderFields: Set<String> = ["placeOrder", "replaceOrder"]

    /// The JSON forms of the schema's scalars: those that the gateway reads and writes.
    private static let scalars: [String: InputObject] = [
        "Date": ["type": .string("string"), "format": .string("date")],
        "DateTime": ["type": .string("string"), "format": .string("date-time")],
        "Decimal": ["type": .string("string"), "pattern": .string("^-?[0-9]+(\\.[0-9]+)?$")],
        "Number": ["type": .string("number")],
        "UnixTime": ["type": .string("integer")],
    ]
}
