/// Everything that is wrong with a schema, a document or the variables of a request, found together.
public struct GraphQLErrors: Error, Hashable, Sendable {
    /// At least one, in the order of the document.
    public let errors: [GraphQLError]

    /// The errors that were found, at least one.
    public init(_ errors: [GraphQLError]) {
        self.errors = errors
    }
}

extension GraphQLErrors: CustomStringConvertible {
    /// One error a line, each with its first place.
    public var description: String {
        errors.map { error in
            guard let place = error.locations.first else { return error.message }
            return "\(place.line):\(place.column): \(error.message)"
        }
        .joined(separator: "\n")
    }
}
