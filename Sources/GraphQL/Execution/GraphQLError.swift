/// An error as a response carries it (specification, section 7.1.2).
public struct GraphQLError: Error, Hashable, Sendable {
    /// For people: what is wrong, where, and what would be right.
    public var message: String
    /// The places in the document, first cause first; empty where none can be named.
    public var locations: [SourceLocation]
    /// Where in the response the error belongs; nil for errors of the request as a whole.
    public var path: [PathSegment]?
    /// What is said for code: at least `code` where there is one.
    public var extensions: InputObject

    /// An error of a request where there is no `path`, of a field where there is.
    public init(
        _ message: String, locations: [SourceLocation] = [], path: [PathSegment]? = nil,
        extensions: InputObject = InputObject()
    ) {
        self.message = message
        self.locations = locations
        self.path = path
        self.extensions = extensions
    }
}

/// One step from the response's root to a value in it.
public enum PathSegment: Hashable, Sendable {
    /// A response key.
    case key(String)
    /// A position in a list, from 0.
    case index(Int)
}

extension GraphQLError {
    /// What a response says of a text that is no document.
    public init(_ error: SyntaxError) {
        self.init(error.message, locations: [error.location])
    }
}

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
