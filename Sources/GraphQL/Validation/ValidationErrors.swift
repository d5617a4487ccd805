/// What is wrong with a document: at least one error, in the order of the text.
public struct ValidationErrors: Error, Hashable, Sendable {
    /// The errors, with their places in the document.
    public let errors: [GraphQLError]

    init(_ errors: [GraphQLError]) {
        self.errors = errors
    }
}
