import GraphQL
import Web

/// The files that connect a client library with a server of a schema.
struct ClientKit {
    let schema: Schema
    /// The module of a decimal library for TypeScript; nil for none.
    let decimalLibrary: String?

    /// A file of the kit.
    struct File {
        /// The name in the directory of the kit.
        let name: String
        /// With the hash of the rest in the second line, if the file can have a comment.
        let text: String

        init(name: String, text: String) {
            let rest = text.dropFirst(ClientKit.header.count)
            self.name = name
            self.text =
                text.hasPrefix(ClientKit.header) ? ClientKit.header + Self.stamp(of: rest) + rest : text
        }

        /// Whether a text is as the command has written it, for this schema or another one.
        func isUnchanged(_ text: String) -> Bool {
            guard text != self.text, text.hasPrefix(ClientKit.header) else { return text == self.text }
            let rest = text.dropFirst(ClientKit.header.count)
            guard let end = rest.firstIndex(of: "\n") else { return false }
            let content = rest[rest.index(after: end)...]
            return rest.hasPrefix(Self.stamp(of: content))
        }

        private static func stamp(of text: Substring) -> String {
            "// SHA-256 of the lines below: \(DocumentHash(of: String(text)))\n"
        }
    }

    init(_ schema: Schema, decimalLibrary: String?) {
        self.schema = schema
        self.decimalLibrary = decimalLibrary
    }

    func files(for client: ClientLibrary) -> [File] {
        switch client {
        case .apollo: [apolloCache, apolloClient, session, socket, scalarTypes]
        case .urql: [urqlCache, urqlClient, urqlSchema, session, scalarTypes]
        case .relay: [relayConfiguration, relayEnvironment, session, socket, scalarTypes]
        case .apolloIOS: [apolloIOSConfiguration, apolloIOSScalars, apolloIOSCache, apolloIOSClient]
        case .codegen: [codegenConfiguration, scalarTypes]
        }
    }

    /// The first line of every file that can have a comment.
    static let header =
        "// Written by `portico client-kit`. Run the command again to update it; do not edit it.\n"
}

// MARK: - Facts of the schema

extension ClientKit {
    /// The types of each interface and union, by name.
    var possibleTypes: [(name: String, types: [String])] {
        schema.types.filter(\.isAbstract).map { type in
            (type.name, schema.possibleTypes(of: type.id).map { schema[$0].name }.sorted())
        }.sorted { $0.name < $1.name }
    }

    /// The object types without an id: their objects belong to the object that contains them.
    ///
    /// The root types have no id either, and are not among them.
    var embeddedTypes: [String] {
        let roots = [schema.queryType, schema.mutationType, schema.subscriptionType]
        return schema.types.filter { type in
            guard case .object = type.kind, !type.name.hasPrefix("__") else { return false }
            return type.field(named: "id") == nil && !roots.contains(type.id)
        }.map(\.name).sorted()
    }

    /// A field whose value is a connection: a list that is read in pages.
    struct Connection {
        let type: String
        let field: String
        /// The arguments that select a list; the others select a page of it.
        let keyArguments: [String]
    }

    /// The connections, by type and field (Relay's "GraphQL Cursor Connections Specification").
    var connections: [Connection] {
        schema.types.filter { !$0.name.hasPrefix("__") }.flatMap { type in
            type.fields.filter { field in
                let value = schema[field.type.type]
                return value.isComposite && value.field(named: "edges") != nil
                    && value.field(named: "pageInfo") != nil
            }.map { field in
                let pages: Set = ["first", "after", "last", "before"]
                return Connection(
                    type: type.name, field: field.name,
                    keyArguments: field.arguments.map(\.name).filter { !pages.contains($0) })
            }
        }.sorted { ($0.type, $0.field) < ($1.type, $1.field) }
    }

    /// A scalar that GraphQL does not define itself.
    struct Scalar {
        let name: String
        /// The first sentence of the description.
        let summary: String
        let isNumber: Bool
    }

    /// The scalars of the schema, by name.
    var scalars: [Scalar] {
        let standard: Set = ["Boolean", "Float", "ID", "Int", "String"]
        return schema.types.filter { type in
            guard case .scalar = type.kind else { return false }
            return !standard.contains(type.name)
        }.map { type in
            let description = (type.description ?? "").split(whereSeparator: \.isNewline).joined(
                separator: " ")
            return Scalar(
                name: type.name, summary: description.replacing("*/", with: "* /"),
                // Their values are JSON numbers; those of all others are strings.
                isNumber: ["Number", "UnixTime"].contains(type.name))
        }.sorted { $0.name < $1.name }
    }
}

// MARK: - TypeScript

extension ClientKit {
    /// The types of the scalars: a string with a brand, so that a Decimal is not added up as a number by mistake.
    var scalarTypes: File {
        var text = Self.header + "\n"
        if let decimalLibrary { text += "import DecimalNumber from \"\(decimalLibrary)\";\n\n" }
        text += "declare const scalar: unique symbol;\n"
        for type in scalars {
            let base = type.isNumber ? "number" : "string"
            text += "\n/** \(type.summary) */\n"
            text += "export type \(type.name) = \(base) & { readonly [scalar]: \"\(type.name)\" };\n"
        }
        if decimalLibrary != nil {
            text += """

                /** Converts a decimal for calculations. All digits are preserved. */
                export function toDecimal(value: Decimal): InstanceType<typeof DecimalNumber> {
                  return new DecimalNumber(value);
                }

                """
        }
        return File(name: "scalars.ts", text: text)
    }

    /// A list of string literals.
    static func literals(_ values: [String]) -> String {
        "[" + values.map { "\"\($0)\"" }.joined(separator: ", ") + "]"
    }

    /// The fields of each type that are connections, as properties of an object literal.
    ///
    /// - Parameters:
    ///   - wrap: Writes the fields of a type.
    ///   - value: Writes the value of a field.
    /// - Returns: The text of all types.
    func connectionFields(
        _ wrap: (_ type: String, _ fields: String) -> String, _ value: (Connection) -> String
    ) -> String {
        let types = Dictionary(grouping: connections, by: \.type).sorted { $0.key < $1.key }
        return types.map { type, fields in
            wrap(type, fields.map { "\($0.field): \(value($0))" }.joined(separator: ", "))
        }.joined()
    }
}
