/// A response: the JSON text of `data`, `errors` and `extensions` (specification, section 7.1).
public struct GraphQLResponse: Sendable {
    /// The response as UTF-8 bytes of JSON.
    public let body: [UInt8]
    /// Whether `data` is there and whole; a server may choose the HTTP status by it.
    public let outcome: Outcome
    /// Whether the text ends with `extensions`.
    let hasExtensions: Bool

    /// How an operation ended.
    public enum Outcome: Hashable, Sendable {
        /// Every field was answered.
        case complete
        /// There is `data`, and `errors` say which of its nulls are failures.
        case partial
        /// The request could not be run: there is no `data` (specification, section 7.1.3, request errors).
        case requestError
        /// The operation is of a kind that may not be run here.
        case notAllowed
    }

    init(body: [UInt8], outcome: Outcome, hasExtensions: Bool = false) {
        self.body = body
        self.outcome = outcome
        self.hasExtensions = hasExtensions
    }

    /// The response to a request that could not be run.
    ///
    /// - Parameter errors: why; at least one.
    public init(requestErrors errors: [GraphQLError]) {
        self.init(errors, .requestError)
    }

    /// The response to an operation of a kind that may not be run here.
    package init(notAllowing kind: OperationType) {
        let refusal = GraphQLError("A \(kind.rawValue) operation cannot be run by this kind of request.")
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
    /// The same response with more in `extensions` (specification, section 7.1).
    ///
    /// - Parameter more: what is added, under names that the response's extensions do not have yet; the engine itself
    ///   writes `cost`.
    /// - Returns: the response itself where nothing is added.
    public func adding(extensions more: InputObject) -> GraphQLResponse {
        guard !more.fields.isEmpty, body.last == UInt8(ascii: "}") else { return self }
        // What is closed again by what follows: the response, and its extensions where there are some.
        var extended = Array(body.dropLast(hasExtensions ? 2 : 1))
        extended += hasExtensions ? ",".utf8 : ",\"extensions\":{".utf8
        extended += InputValue.object(more).json.dropFirst()
        extended.append(UInt8(ascii: "}"))
        return GraphQLResponse(body: extended, outcome: outcome, hasExtensions: true)
    }
}
