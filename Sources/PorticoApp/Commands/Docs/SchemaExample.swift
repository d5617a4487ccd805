import Contract
import Foundation
package import GraphQL

/// An example of a field of a root type: a document, its variables, and the sandbox's response.
///
/// The document is one of `schema/operations` if it begins with the field; otherwise it has the leaves of the field. The
/// variables and the response are in the file `examples.json`, which a test records with a stopped clock (`make golden`).
package struct SchemaExample: Sendable {
    /// The field's schema coordinate, as in `Query.chart`.
    package let coordinate: String
    package let document: String
    /// The JSON of the variables in lines; empty if there are none.
    package let variables: [String]
    /// The JSON of the response in lines, of each list its first items; empty if none was recorded.
    package let response: [String]

    /// What `examples.json` has for a coordinate.
    package struct Recorded: Codable, Equatable {
        package let variables: [String]
        package let response: [String]

        package init(variables: [String], response: [String]) {
            (self.variables, self.response) = (variables, response)
        }
    }

    /// The examples of all fields of the root types.
    ///
    /// - Parameter schema: The contract.
    /// - Returns: The examples, in the order of the schema.
    /// - Throws: An error if the manifest of operations or the file of responses is not JSON.
    package static func all(in schema: Schema) throws -> [SchemaExample] {
        let decoder = JSONDecoder()
        let manifest = try decoder.decode(Manifest.self, from: Data(Contract.operationsManifest))
        let recorded = try decoder.decode([String: Recorded].self, from: Data(PackageResources.examples_json))
        let documents = ExampleDocuments(
            schema: schema,
            operations: manifest.operations.map(\.body).filter { !$0.contains("__typename") }
                .sorted { ($0.utf8.count, $0) < ($1.utf8.count, $1) })
        return OperationType.allCases.flatMap { operation -> [SchemaExample] in
            guard let root = schema.rootType(for: operation).map({ schema[$0] }) else { return [] }
            return root.fields.map { field in
                let coordinate = "\(root.name).\(field.name)"
                let known = recorded[coordinate]
                return SchemaExample(
                    coordinate: coordinate, document: documents.document(for: field, operation),
                    variables: known?.variables ?? [], response: known?.response ?? [])
            }
        }
    }

    private struct Manifest: Decodable {
        let operations: [Operation]
        struct Operation: Decodable { let body: String }
    }
}

/// Chooses or writes a document for a field of a root type.
private struct ExampleDocuments {
    let schema: Schema
    /// The documents of `schema/operations`, the shortest first.
    let operations: [String]

    func document(for field: SchemaField, _ operation: OperationType) -> String {
        recorded(field.name, operation) ?? leaves(of: field, operation)
    }

    /// The shortest document with one operation whose first field is this one.
    private func recorded(_ name: String, _ operation: OperationType) -> String? {
        let field = #/^  (?:\w+: )?(\w+)/#
        return operations.first { document in
            let lines = document.split(separator: "\n", omittingEmptySubsequences: false)
            guard let start = lines.firstIndex(where: { $0.hasPrefix("\(operation.rawValue) ") }) else {
                return false
            }
            let first = lines[start...].lazy.compactMap { $0.prefixMatch(of: field) }.first
            return first.map { $0.1 == name } ?? false
        }
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
}
