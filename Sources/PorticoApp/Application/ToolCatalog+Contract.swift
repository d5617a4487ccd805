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
    /// - Throws: `UsageError` for a name of `mutations` that no trusted mutation has.
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
    }

    /// The JSON forms of the schema's scalars: those that the gateway reads and writes.
    private static let scalars: [String: InputObject] = [
        "Date": ["type": .string("string"), "format": .string("date")],
        "DateTime": ["type": .string("string"), "format": .string("date-time")],
        "Decimal": ["type": .string("string"), "pattern": .string("^-?[0-9]+(\\.[0-9]+)?$")],
        "Number": ["type": .string("number")],
        "UnixTime": ["type": .string("integer")],
    ]
}
