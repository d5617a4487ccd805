import Foundation
import GraphQLTools

/// `schema/schema.graphql`, the contract.
enum SchemaFile {
    static var text: String {
        get throws {
            let tests = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
                .deletingLastPathComponent()
            let file = tests.deletingLastPathComponent().appending(path: "schema/schema.graphql")
            return try String(contentsOf: file, encoding: .utf8)
        }
    }

    /// The values of its `enum ErrorCode`.
    static var errorCodes: Set<String> {
        get throws {
            let lines = try text.split(separator: "\n").drop { $0 != "enum ErrorCode {" }.prefix { $0 != "}" }
            return Set(lines.compactMap { $0.wholeMatch(of: /\ \ ([A-Z_]+)/).map { String($0.1) } })
        }
    }
}
