import CEmbeddedFiles

/// The contract with front ends and with authors of provider files, as this executable was built with it.
package enum Contract {
    /// `schema/schema.graphql`, in SDL.
    package static let schemaText = unsafe embedded_schema().text

    /// `schema/operations.json`: the documents of `schema/operations` by their ids, in JSON.
    package static let operationsManifest = unsafe embedded_operations().contents

    /// `schema/providers.schema.json`: the JSON Schema of provider files.
    package static let providerFileSchema = unsafe embedded_provider_schema().text
}

/// Recorded files that commands need.
package enum RecordedFiles {
    /// `examples.graphql` of `portico docs`: the operations of the schema reference.
    package static var examples: String { unsafe embedded_examples().text }

    /// `examples.json` of `portico docs`: the responses to them.
    package static var exampleResponses: [UInt8] { unsafe embedded_example_responses().contents }

    /// `known-members.json` of `portico providers verify`.
    package static var knownMembers: [UInt8] { unsafe embedded_known_members().contents }
}

extension embedded_file {
    private var buffer: UnsafeBufferPointer<UInt8> { unsafe UnsafeBufferPointer(start: bytes, count: count) }

    fileprivate var contents: [UInt8] { unsafe Array(buffer) }

    fileprivate var text: String { unsafe String(decoding: buffer, as: UTF8.self) }
}
