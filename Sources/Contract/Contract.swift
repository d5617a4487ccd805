package import CEmbeddedFiles

/// The contract with front ends: the public schema, as this executable was built with it.
package enum Contract {
    /// `schema.graphql`, in SDL.
    package static let schemaText = unsafe embedded_schema().text

    /// `operations.json`: the documents of `operations/` by their ids, in JSON.
    package static let operationsManifest = unsafe embedded_operations().contents

    /// `providers.schema.json`: the JSON Schema of provider files.
    package static let providerFileSchema = unsafe embedded_provider_schema().text
}

extension embedded_file {
    /// The contents of the file, in a new array.
    package var contents: [UInt8] {
        unsafe Array(UnsafeBufferPointer(start: bytes, count: count))
    }

    /// The contents of a file of text.
    package var text: String { unsafe String(decoding: contents, as: UTF8.self) }
}
