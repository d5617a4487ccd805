extension SourceText {
    /// Errors with their places in the text, which is read once for all of them.
    func locate(_ faults: [(message: String, spans: [SourceSpan])]) -> [GraphQLError] {
        var rest = locations(of: faults.flatMap(\.spans))[...]
        return faults.map { message, spans in
            defer { rest = rest.dropFirst(spans.count) }
            return GraphQLError(message, locations: Array(rest.prefix(spans.count)))
        }
    }
}
