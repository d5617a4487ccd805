import Contract
import Foundation
package import GraphQL

/// An example of a field of a root type in the schema reference: a document, its variables, and the sandbox's response.
///
/// The documents are the operations of `examples.graphql`. The variables and the responses are in `examples.json`, which a test
/// records with a stopped clock (`make golden`).
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

    /// The examples of the fields of the root types.
    ///
    /// - Parameter schema: The contract.
    /// - Returns: The examples, in the order of `examples.graphql`.
    /// - Throws: An error if the responses are not JSON.
    package static func all(in schema: Schema) throws -> [SchemaExample] {
        let documents = RecordedFiles.examples
        let recorded = try JSONDecoder().decode(
            [String: Recorded].self, from: Data(RecordedFiles.exampleResponses))
        // An operation ends with a brace at the beginning of a line; a comment is above its operation.
        return documents.split(separator: "\n}\n").compactMap { text in
            let document = text.drop { $0 == "\n" } + "\n}\n"
            guard let coordinate = coordinate(ofFirstFieldIn: document, schema) else { return nil }
            let known = recorded[coordinate]
            return SchemaExample(
                coordinate: coordinate, document: String(document), variables: known?.variables ?? [],
                response: known?.response ?? [])
        }
    }

    private static func coordinate(ofFirstFieldIn document: Substring, _ schema: Schema) -> String? {
        let operation = #/^(query|mutation|subscription) .*\n  (\w+)/#.anchorsMatchLineEndings()
        guard let match = document.firstMatch(of: operation),
            let type = OperationType(rawValue: String(match.1)), let root = schema.rootType(for: type)
        else { return nil }
        return "\(schema[root].name).\(match.2)"
    }
}
