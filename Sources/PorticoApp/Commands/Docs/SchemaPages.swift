import Foundation
import GraphQL

/// The pages of the schema: a page for each kind of definition, with an example for each field of a root type.
struct SchemaPages {
    private let schema: Schema
    private let examples: [String: SchemaExample]
    /// The page of each type, for links.
    private let places: [String: String]

    /// - Parameter schema: The contract.
    /// - Throws: An error if the file of responses is not JSON.
    init(_ schema: Schema) throws {
        self.schema = schema
        let examples = try SchemaExample.all(in: schema)
        self.examples = Dictionary(uniqueKeysWithValues: examples.map { ($0.coordinate, $0) })
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
            let root = schema.rootType(for: operation).map { schema[$0] }
            let intro =
                """
                The fields of a \(operation.rawValue), each with a document and \(Self.responses[operation] ?? ""). Ids, tokens, \
                cursors and Portico's own times are placeholders: use those of your server. Of each list, a response \
                shows the first three items. Send the token of a session as `Authorization: Bearer …`; that of the \
                sandbox is `sandbox`.
                """
            let sections = root.map { root in root.fields.map { rootField($0, of: root.name) } } ?? []
            return page(name, title, intro, sections)
        }
        return operationPages + [
            page(
                "types.md", "Objects, interfaces and unions", "What responses consist of.",
                definitions("types.md")),
            page("inputs.md", "Inputs", "What arguments consist of.", definitions("inputs.md")),
            page("values.md", "Enums and scalars", "The values of leaves.", definitions("values.md")),
        ]
    }

    private static let responses: [OperationType: String] = [
        .query: "the sandbox's response to it", .mutation: "the sandbox's response to it",
        .subscription: "one of its events; [HTTP clients](../clients/http.md) subscribe by three transports",
    ]

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

    private func rootField(_ field: SchemaField, of root: String) -> String {
        var section = "## \(field.name)\n\n\(text(field.description))Returns \(reference(field.type)).\n"
        if let reason = field.deprecationReason { section += "\nDeprecated: \(reason)\n" }
        if case .enum(let scope)? = field.appliedDirectives.first(named: "requires")?.arguments["scope"] {
            section += "\nIt needs a session with the scope \(scope).\n"
        }
        if !field.arguments.isEmpty { section += "\n\(inputs(field.arguments))" }
        guard let example = examples["\(root).\(field.name)"] else { return section }
        section += "\n<!-- check: valid -->\n```graphql\n\(example.document)```\n"
        if !example.variables.isEmpty { section += "\nVariables:\n\n\(code(example.variables))" }
        if !example.response.isEmpty { section += "\nResponse:\n\n\(code(example.response))" }
        return section
    }

    private func code(_ lines: [String]) -> String {
        """
        <!-- check: skip, SchemaExampleTests compares it -->
        ```json
        \(lines.joined(separator: "\n"))
        ```

        """
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
}
