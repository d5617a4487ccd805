public import Foundation
public import GraphQL

/// The files of `Tests/Benchmarks/Workload`, and the schema with its types bound.
public struct Workload: Sendable {
    /// The folder of the workload's files.
    public let folder: URL

    /// - Parameter folder: nil for the one in this checkout.
    public init(folder: URL? = nil) {
        let here = URL(filePath: #filePath).deletingLastPathComponent()
        self.folder = folder ?? here.appending(path: "../../Workload").standardizedFileURL
    }

    /// The content of a file.
    public func text(_ name: String) throws -> String {
        try String(contentsOf: folder.appending(path: name), encoding: .utf8)
    }

    /// The data that resolvers read.
    public func store() throws -> WorkloadStore {
        try JSONDecoder().decode(
            WorkloadStore.self, from: Data(contentsOf: folder.appending(path: "data.json")))
    }

    /// The workload's schema, its types bound.
    public func schema(options: ExecutionOptions = ExecutionOptions()) throws -> ExecutableSchema<
        WorkloadStore
    > {
        let schema = try Schema.build(try text("schema.graphql"), name: "schema.graphql")
        return try ExecutableSchema(schema, query: Query(), context: WorkloadStore.self, options: options)
    }
}
