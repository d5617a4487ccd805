/// The contract with front ends: the public schema, as this executable was built with it.
package enum Contract {
    /// `schema.graphql`, in SDL.
    package static let schemaText = String(decoding: PackageResources.schema_graphql, as: UTF8.self)

    /// `operations.json`: the documents of `operations/` by their ids, in JSON.
    package static let operationsManifest: [UInt8] = PackageResources.operations_json

    /// `providers.schema.json`: the JSON Schema of provider files.
    package static let providerFileSchema = String(
        decoding: PackageResources.providers_schema_json, as: UTF8.self)
}
