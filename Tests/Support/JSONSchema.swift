/// A JSON Schema (2020-12) with the keywords that the schemas in `Tests/Golden/providers` use.
///
/// Any other keyword is refused when the schema is read, so that none is silently passed over.
package struct JSONSchema {
    private let definitions: [String: SchemaNode]
    private let root: SchemaNode

    /// A keyword or a value of one that is not understood, and where in the schema it stands.
    package struct Malformed: Error, Hashable, CustomStringConvertible {
        package let reason: String
        /// A JSON pointer (RFC 6901) into the schema.
        package let pointer: String

        package var description: String { "\(reason) at \(pointer.isEmpty ? "the root" : pointer)" }
    }

    /// Something in a document that the schema does not allow.
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

    /// The schema of one of the `$defs`; throws ``Malformed`` when there is none of that name.
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

    /// All that the schema does not allow in a document; empty when it is valid.
    package func violations(in document: JSONValue) -> [Violation] {
        SchemaCheck(definitions: definitions).check(document, against: root, at: "")
    }
}
