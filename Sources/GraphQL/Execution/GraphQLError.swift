/// An error of a response (specification, section 7.1.2).
public struct GraphQLError: Error, Hashable, Sendable {
    /// The message for people: the problem, its location and a remedy; at most 2,000 bytes and an ellipsis.
    public var message: String
    /// The positions in the document, first cause first, at most 100; empty if there are none.
    public var locations: [SourceLocation]
    /// The path in the response; nil for errors of the request as a whole.
    public var path: [PathSegment]?
    /// The machine-readable data: at least `code` if there is one.
    public var extensions: InputObject

    /// Creates a request error if there is no `path`, otherwise a field error.
    ///
    /// A longer message is shortened, and further locations are omitted: both repeat the text of a client, and a response
    /// of request errors has no other limit than their number.
    public init(
        _ message: String, locations: [SourceLocation] = [], path: [PathSegment]? = nil,
        extensions: InputObject = InputObject()
    ) {
        self.message = message.shortened(toBytes: GraphQLError.maximumMessageBytes)
        self.locations = Array(locations.prefix(GraphQLError.maximumLocations))
        self.path = path
        self.extensions = extensions
    }

    private static let maximumMessageBytes = 2_000
    private static let maximumLocations = 100
}

/// `extensions.code` of a request whose document, variables or operation name is not valid, as other servers use it.
public enum RequestErrorCode: String, Sendable, CaseIterable {
    /// The document has a syntax error.
    case parseFailed = "GRAPHQL_PARSE_FAILED"
    /// The document violates a rule of validation.
    case validationFailed = "GRAPHQL_VALIDATION_FAILED"
    /// The value of a variable does not have its type.
    case badUserInput = "BAD_USER_INPUT"
    /// The document does not have the operation to run, or the request does not state which one.
    case operationNotResolved = "OPERATION_RESOLUTION_FAILURE"
    /// The kind of operation cannot be run by this kind of request, such as a mutation with GET.
    case operationNotAllowed = "METHOD_NOT_ALLOWED"

    /// The `extensions` of an error with this code.
    var extensions: InputObject { ["code": .string(rawValue)] }
}

/// A segment of a path in a response.
public enum PathSegment: Hashable, Sendable {
    /// A response key.
    case key(String)
    /// A position in a list, from 0.
    case index(Int)
}

extension GraphQLError {
    /// Creates the response error for a syntax error, or for a text that exceeds a limit of the parser.
    public init(_ error: SyntaxError) {
        self.init(
            error.message, locations: [error.location], extensions: RequestErrorCode.parseFailed.extensions)
        guard case .tooManyTokens(let limit) = error.cause else { return }
        extensions = ["code": .string(OperationLimit.tokens.code), "limit": .int(limit)]
    }
}

extension SourceText {
    /// Returns errors with their positions in the text, which is read once for all of them.
    ///
    /// - Parameters:
    ///   - faults: The messages with the positions of each.
    ///   - extensions: The `extensions` of all errors.
    /// - Returns: The errors in the same order.
    func locate(
        _ faults: [(message: String, spans: [SourceSpan])], extensions: InputObject = InputObject()
    ) -> [GraphQLError] {
        var rest = locations(of: faults.flatMap(\.spans))[...]
        return faults.map { message, spans in
            defer { rest = rest.dropFirst(spans.count) }
            return GraphQLError(
                message, locations: Array(rest.prefix(spans.count)), extensions: extensions)
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
