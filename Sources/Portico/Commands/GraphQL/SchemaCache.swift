import GraphQL

/// The schemas that cases of a batch named last, by their text: many cases share one.
struct SchemaCache {
    private struct Entry {
        let text: String
        let result: Result<Schema, GraphQLErrors>
    }

    /// The latest first.
    private var entries: [Entry] = []
    private static let capacity = 16
    /// The reference implementation reports all errors of a schema; so many keep memory safe, and nobody reads more.
    private static let maximumErrors = 10_000

    /// The schema that a text defines.
    ///
    /// - Throws: The errors of its syntax, or those of the schema.
    mutating func schema(_ text: String) throws(GraphQLErrors) -> Schema {
        if let position = entries.firstIndex(where: { $0.text.utf8.elementsEqual(text.utf8) }) {
            let entry = entries.remove(at: position)
            entries.insert(entry, at: 0)
            return try entry.result.get()
        }
        let result = Result { () throws(GraphQLErrors) in
            try Schema.build(
                Document.read(SourceText(text), within: LargeStackThread.schemaLimits),
                errorLimit: SchemaCache.maximumErrors)
        }
        let entry = Entry(text: text, result: result)
        if entries.count == SchemaCache.capacity { entries.removeLast() }
        entries.insert(entry, at: 0)
        return try entry.result.get()
    }
}
