/// A response: the JSON text of `data`, `errors` and `extensions` (specification, section 7.1).
public struct GraphQLResponse: Sendable {
    /// The response as JSON in UTF-8.
    public let body: [UInt8]
    /// The result of the operation; a server may choose the HTTP status by it.
    public let outcome: Outcome
    /// True if the text ends with `extensions`.
    let hasExtensions: Bool

    /// The result of an operation.
    public enum Outcome: Hashable, Sendable {
        /// All fields succeeded.
        case complete
        /// `data` is present, and `errors` lists the failed fields.
        case partial
        /// The request could not be run: there is no `data` (specification, section 7.1.3, request errors).
        case requestError
        /// The kind of operation is not allowed.
        case notAllowed
    }

    package init(body: [UInt8], outcome: Outcome, hasExtensions: Bool = false) {
        self.body = body
        self.outcome = outcome
        self.hasExtensions = hasExtensions
    }

    /// Creates the response to a request that could not be run.
    ///
    /// - Parameter errors: The errors; at least one.
    public init(requestErrors errors: [GraphQLError]) {
        self.init(errors, .requestError)
    }

    /// Creates the response to an operation whose kind is not allowed.
    ///
    /// - Parameters:
    ///   - kind: The kind of the operation.
    ///   - more: The members of the error's extensions in addition to its code.
    package init(notAllowing kind: OperationType, extensions more: InputObject = [:]) {
        var extensions = RequestErrorCode.operationNotAllowed.extensions
        for (name, value) in more.fields { extensions[name] = value }
        let refusal = GraphQLError(
            "A \(kind.rawValue) operation cannot be run by this kind of request.", extensions: extensions)
        self.init([refusal], .notAllowed)
    }

    private init(_ errors: [GraphQLError], _ outcome: Outcome) {
        let body = ResponseWriter.bytes(expecting: 512) { writer in
            writer.write(json: "{\"errors\":")
            writer.write(errors)
            writer.write(byte: UInt8(ascii: "}"))
        }
        self.init(body: body, outcome: outcome)
    }
}

extension GraphQLResponse {
    /// Returns the same response with additional `extensions` (specification, section 7.1).
    ///
    /// - Parameter more: The additions, with names that the response's extensions do not contain yet; the
    ///   engine itself writes `cost`.
    /// - Returns: This response, unchanged if nothing is added.
    public func adding(extensions more: InputObject) -> GraphQLResponse {
        guard !more.fields.isEmpty, body.last == UInt8(ascii: "}") else { return self }
        // The dropped braces, of the response and of its extensions if present, are appended again below.
        var extended = Array(body.dropLast(hasExtensions ? 2 : 1))
        extended += hasExtensions ? ",".utf8 : ",\"extensions\":{".utf8
        extended += InputValue.object(more).json.dropFirst()
        extended.append(UInt8(ascii: "}"))
        return GraphQLResponse(body: extended, outcome: outcome, hasExtensions: true)
    }
}
