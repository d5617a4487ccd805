import Contract
import Foundation
import GraphQL

/// The pages of the schema: a page for each kind of definition, with an operation for a field of a root type.
///
/// The operations are those of `schema/operations`, to which the sandbox responds in the tests; for a field that none of them
/// has, a document of its leaves.
struct SchemaPages {
    private let schema: Schema
    private let operations: [String]
    /// The page of each type, for links.
    private let places: [String: String]

    /// - Parameter schema: The contract.
    /// - Throws: An error if the manifest of operations is not JSON.
    init(_ schema: Schema) throws {
        self.schema = schema
        let manifest = try JSONDecoder().decode(Manifest.self, from: Data(Contract.operationsManifest))
        operations = manifest.operations.map(\.body).filter { !$0.contains("__typename") }
            .sorted { ($0.utf8.count, $0) < ($1.utf8.count, $1) }
        var places: [String: String] = [:]
        for type in schema.types where !type.name.hasPrefix("__") {
            places[type.name] = SchemaPages.place(of: type)
        }
        self.places = places
    }

    var pages: [GeneratedPage] {
        let roots = [
            ("queries.md", "Queries", OperationType.query), ("mutations.md", "Mutations", .mutation),
            ("subscriptions.md", "Subscriptions", .subscription),
        ]
        let operationPages = roots.map { name, title, operation in
            let fields = schema.rootType(for: operation).map { schema[$0].fields } ?? []
            let intro =
                "The fields of a \(operation.rawValue), each with a document that the sandbox answers."
            return page(name, title, intro, fields.map { rootField($0, operation) })
        }
        return operationPages + [
            page(
                "types.md", "Objects, interfaces and unions", "What responses consist of.",
                definitions("types.md")),
            page("inputs.md", "Inputs", "What arguments consist of.", definitions("inputs.md")),
            page("values.md", "Enums and scalars", "The values of leaves.", definitions("values.md")),
        ]
    }

    private func page(_ name: String, _ title: String, _ intro: String, _ sections: [String]) -> GeneratedPage
    {
        let notice = "`make docs` generates this page from `schema/schema.graphql`."
        return GeneratedPage(
            name: "schema/\(name)",
            text: "# \(title)\n\n\(intro) \(notice)\n\n" + sections.joined(separator: "\n"))
    }

    // MARK: - Definitions

    private static func place(of type: NamedType) -> String {
        switch type.kind {
        case .object where ["Query", "Mutation", "Subscription"].contains(type.name):
            type.name == "Query" ? "queries.md" : "\(type.name.lowercased())s.md"
        case .object, .interface, .union: "types.md"
        case .inputObject: "inputs.md"
        case .enum, .scalar: "values.md"
        }
    }

    private func definitions(_ place: String) -> [String] {
        schema.types.filter { places[$0.name] == place }.sorted { $0.name < $1.name }.map(definition)
    }

    private func definition(_ type: NamedType) -> String {
        let head = "## \(type.name)\n\n" + text(type.description)
        switch type.kind {
        case .object, .interface:
            return head + interfaces(of: type)
                + MarkdownTable(columns: ["Field", "Type", ""], rows: type.fields.map(row)).text
        case .union(let union):
            return head + "One of " + union.members.map { link(schema[$0].name) }.joined(separator: ", ")
                + ".\n"
        case .inputObject(let input):
            return head + (input.isOneOf ? "Exactly one of:\n\n" : "") + inputs(input.fields)
        case .enum(let definition):
            return head
                + MarkdownTable(
                    columns: ["Value", ""],
                    rows: definition.values.map {
                        ["`\($0.name)`", line($0.description, $0.deprecationReason)]
                    }
                ).text
        case .scalar: return head
        }
    }

    private func interfaces(of type: NamedType) -> String {
        guard !type.interfaces.isEmpty else { return "" }
        return "Implements " + type.interfaces.map { link(schema[$0].name) }.joined(separator: ", ") + ".\n\n"
    }

    private func row(_ field: SchemaField) -> [String] {
        let arguments = field.arguments.map { "`\($0.name)`: \(reference($0.type))" }.joined(separator: ", ")
        let name = "`\(field.name)`" + (arguments.isEmpty ? "" : " (\(arguments))")
        return [name, reference(field.type), line(field.description, field.deprecationReason)]
    }

    private func inputs(_ values: [SchemaInputValue]) -> String {
        MarkdownTable(
            columns: ["Name", "Type", "Default", ""],
            rows: values.map {
                [
                    "`\($0.name)`", reference($0.type), $0.defaultValue.map { "`\($0.literal)`" } ?? "",
                    line($0.description, $0.deprecationReason),
                ]
            }
        ).text
    }

    // MARK: - Root fields

    private func rootField(_ field: SchemaField, _ operation: OperationType) -> String {
        var section = "## \(field.name)\n\n\(text(field.description))Returns \(reference(field.type)).\n"
        if let reason = field.deprecationReason { section += "\nDeprecated: \(reason)\n" }
        if !field.arguments.isEmpty { section += "\n\(inputs(field.arguments))" }
        let example = example(field.name, operation) ?? leaves(of: field, operation)
        return section + "\n<!-- check: valid -->\n```graphql\n\(example)```\n"
    }

    /// A document with the required arguments and the first leaves of a field.
    private func leaves(of field: SchemaField, _ operation: OperationType) -> String {
        let required = field.arguments.filter(\.isRequired)
        func list(_ texts: [String]) -> String { texts.isEmpty ? "" : "(\(texts.joined(separator: ", ")))" }
        let name = field.name.prefix(1).uppercased() + field.name.dropFirst()
        let variables = list(required.map { "$\($0.name): \(schema.describe($0.type))" })
        let arguments = list(required.map { "\($0.name): $\($0.name)" })
        var members = selection(of: field.type, indent: "  ", includesObjects: operation == .mutation)
        // A connection has no leaf.
        if members.isEmpty { members = selection(of: field.type, indent: "  ", includesObjects: true) }
        return "\(operation.rawValue) \(name)\(variables) {\n  \(field.name)\(arguments)\(members)\n}\n"
    }

    /// The first leaves of an object, and of the objects in a payload; empty for a leaf.
    private func selection(of type: GraphQLType, indent: String, includesObjects: Bool) -> String {
        let fields = schema[type.type].fields.filter { field in
            !field.arguments.contains(where: \.isRequired) && field.deprecationReason == nil
        }
        let selected = fields.compactMap { field -> String? in
            switch schema[field.type.type].kind {
            case .scalar, .enum: return field.name
            case .object where includesObjects:
                let inner = selection(of: field.type, indent: "\(indent)  ", includesObjects: false)
                return inner.isEmpty ? nil : field.name + inner
            case .object, .interface, .union, .inputObject: return nil
            }
        }
        if selected.isEmpty { return "" }
        let lines = selected.prefix(8).map { "\(indent)  \($0)\n" }.joined()
        return " {\n\(lines)\(indent)}"
    }

    /// The shortest document with one operation whose selection, at the first level, has the field.
    private func example(_ name: String, _ operation: OperationType) -> String? {
        let selection = #/^  (?:\w+: )?(\w+)/#.anchorsMatchLineEndings()
        let begin = "\(operation.rawValue) "
        return operations.first { document in
            let lines = document.split(separator: "\n", omittingEmptySubsequences: false)
            guard let start = lines.firstIndex(where: { $0.hasPrefix(begin) }) else { return false }
            let body = lines[start...].prefix { $0 != "}" }.joined(separator: "\n")
            return body.matches(of: selection).contains { String($0.1) == name }
        }
    }

    // MARK: - Texts

    private func text(_ description: String?) -> String {
        description.map { "\($0)\n\n" } ?? ""
    }

    private func line(_ description: String?, _ deprecation: String?) -> String {
        [description, deprecation.map { "Deprecated: \($0)" }].compactMap(\.self).joined(separator: " ")
    }

    /// A type as in a document, with a link to its definition.
    private func reference(_ type: GraphQLType) -> String {
        let name = schema[type.type].name
        let written = schema.describe(type)
        guard let place = places[name] else { return "`\(written)`" }
        return "[`\(written)`](\(place)#\(name.lowercased()))"
    }

    private func link(_ name: String) -> String {
        places[name].map { "[`\(name)`](\($0)#\(name.lowercased()))" } ?? "`\(name)`"
    }

    private struct Manifest: Decodable {
        let operations: [Operation]
        struct Operation: Decodable { let body: String }
    }
}
