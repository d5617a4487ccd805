/// An error of a response (specification, section 7.1.2).
public struct GraphQLError: Error, Hashable, Sendable {
    /// The message for people: the problem, its location and a remedy.
    public var message: String
    /// The positions in the document, first cause first; empty if there are none.
    public var locations: [SourceLocation]
    /// The path in the response; nil for errors of the request as a whole.
    public var path: [PathSegment]?
    /// The machine-readable data: at least `code` if there is one.
    public var extensions: InputObject

    /// Creates a request error if there is no `path`, otherwise a field error.
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

/// A segment of a path in a response.
public enum PathSegment: Hashable, Sendable {
    /// A response key.
    case key(String)
    /// A position in a list, from 0.
    case index(Int)
}

extension GraphQLError {
    /// Creates the response error for a syntax error.
    public init(_ error: SyntaxError) {
        self.init(error.message, locations: [error.location])
    }
}

extension SourceText {
    /// Returns errors with their positions in the text, which is read once for all of them.
    func locate(_ faults: [(message: String, spans: [SourceSpan])]) -> [GraphQLError] {
        var rest = locations(of: faults.flatMap(\.spans))[...]
        return faults.map { message, spans in
            defer { rest = rest.dropFirst(spans.count) }
            return GraphQLError(message, locations: Array(rest.prefix(spans.count)))
        }
    }
}

extension String {
    /// Returns the text with at most `limit` bytes, and an ellipsis in place of the rest.
    ///
    /// Bytes are counted, because a single character can have any number of them.
    package func shortened(toBytes limit: Int = 256) -> String {
        guard utf8.count > limit else { return self }
        var end = utf8.index(utf8.startIndex, offsetBy: limit)
        while end.samePosition(in: unicodeScalars) == nil { utf8.formIndex(before: &end) }
        return String(self[..<end]) + "…"
    }
}

/// All errors of a schema, a document or the variables of a request, reported together.
public struct GraphQLErrors: Error, Hashable, Sendable {
    /// The errors in source order, at least one.
    public let errors: [GraphQLError]

    /// Creates the error from its parts, at least one.
    public init(_ errors: [GraphQLError]) {
        self.errors = errors
    }
}

extension GraphQLErrors: CustomStringConvertible {
    /// One line for each error, with its first position.
    public var description: String {
        errors.map { error in
            guard let location = error.locations.first else { return error.message }
            return "\(location.line):\(location.column): \(error.message)"
        }
        .joined(separator: "\n")
    }
}
