/// A JSON Schema (2020-12), limited to the keywords of the schemas in `Tests/Golden/providers`.
///
/// Any other keyword is an error when the schema is read, so that no keyword is ignored.
package struct JSONSchema {
    private let definitions: [String: SchemaNode]
    private let root: SchemaNode

    /// An unsupported keyword or value, and its position in the schema.
    package struct Malformed: Error, Hashable, CustomStringConvertible {
        package let reason: String
        /// A JSON pointer (RFC 6901) into the schema.
        package let pointer: String

        package var description: String { "\(reason) at \(pointer.isEmpty ? "the root" : pointer)" }
    }

    /// A part of a document that the schema does not allow.
    package struct Violation: Sendable, Hashable, CustomStringConvertible {
        package let reason: String
        /// A JSON pointer (RFC 6901) into the document.
        package let pointer: String

        package var description: String { "\(pointer.isEmpty ? "the root" : pointer): \(reason)" }
    }

    /// Reads a schema; throws ``Malformed``.
    package init(_ document: JSONValue) throws {
        var reader = SchemaReader()
        root = try reader.node(document, at: "")
        definitions = reader.definitions
        for (name, pointer) in reader.references where definitions[name] == nil {
            throw Malformed(reason: "no definition \"\(name)\"", pointer: pointer)
        }
    }

    /// Returns the schema of one of the `$defs`; throws ``Malformed`` for an unknown name.
    package func definition(_ name: String) throws -> JSONSchema {
        guard let root = definitions[name] else {
            throw Malformed(reason: "no definition \"\(name)\"", pointer: "/$defs")
        }
        return JSONSchema(definitions: definitions, root: root)
    }

    private init(definitions: [String: SchemaNode], root: SchemaNode) {
        self.definitions = definitions
        self.root = root
    }

    /// Returns the violations in a document; empty if it is valid.
    package func violations(in document: JSONValue) -> [Violation] {
        SchemaCheck(definitions: definitions).check(document, against: root, at: "")
    }
}
