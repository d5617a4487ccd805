import GraphQL

/// A file that defines a schema.
struct SchemaFile {
    let source: SourceText
    let result: Result<Schema, GraphQLErrors>

    /// - Throws: `UsageError` where the file cannot be read.
    init(path: String) throws {
        let source = try InputFile(path: path).source
        self.source = source
        result = Result { () throws(GraphQLErrors) in
            try Schema.build(Document.read(source, within: LargeStackThread.schemaLimits))
        }
    }
}
