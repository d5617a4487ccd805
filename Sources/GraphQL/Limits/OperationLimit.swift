/// The limited quantities of an operation.
public enum OperationLimit: Sendable, CaseIterable {
    case tokens, depth, introspectionDepth, aliases, rootFields, selections, fields, directives
    case fieldCost, typeCost
    /// Only known after the operation has run.
    case responseBytes

    /// The `extensions.code` of an error if an operation exceeds the limit.
    public var code: String {
        switch self {
        case .tokens: "TOKEN_LIMIT_EXCEEDED"
        case .depth: "DEPTH_LIMIT_EXCEEDED"
        case .introspectionDepth: "INTROSPECTION_DEPTH_LIMIT_EXCEEDED"
        case .aliases: "ALIAS_LIMIT_EXCEEDED"
        case .rootFields: "ROOT_FIELD_LIMIT_EXCEEDED"
        case .selections: "SELECTION_LIMIT_EXCEEDED"
        case .fields: "FIELD_LIMIT_EXCEEDED"
        case .directives: "DIRECTIVE_LIMIT_EXCEEDED"
        case .fieldCost, .typeCost: "COST_LIMIT_EXCEEDED"
        case .responseBytes: "RESPONSE_TOO_LARGE"
        }
    }

    /// Returns the wording of an exceeded limit, with the value as text.
    fileprivate func excess(_ value: String) -> String {
        switch self {
        case .tokens: "The document has \(value) tokens"
        case .depth: "The operation nests fields \(value) levels deep"
        case .introspectionDepth: "The operation nests fields of introspection \(value) levels deep"
        case .aliases: "The operation has \(value) aliases"
        case .rootFields: "The operation has \(value) root fields"
        case .selections: "A selection set has \(value) fields"
        case .fields: "The operation has \(value) fields"
        case .directives: "One place has \(value) directives"
        case .fieldCost: "The operation has a field cost of \(value)"
        case .typeCost: "The operation has a type cost of \(value)"
        case .responseBytes: "The response has \(value) bytes"
        }
    }

    fileprivate var remedy: String {
        switch self {
        case .tokens: "Send a shorter document."
        case .depth, .introspectionDepth: "Select less deep, or send several operations."
        case .aliases: "Use fewer aliases, or send several operations."
        case .rootFields, .selections, .fields: "Select fewer fields, or send several operations."
        case .directives: "Use fewer directives there."
        case .fieldCost, .typeCost: "Ask for shorter lists, or for fewer fields within them."
        case .responseBytes: "Select fewer fields, or request fewer items."
        }
    }
}

/// The reason why an operation is rejected before execution, with its position.
struct LimitExceededError: Error {
    let cause: Cause
    /// The first node that exceeds the limit.
    let span: SourceSpan

    enum Cause {
        /// A quantity of the operation exceeds its limit.
        case exceeded(OperationLimit, by: Amount, limit: Int)
        /// `@listSize` requires exactly one of these arguments (IBM cost specification, 8.4).
        case slicingArguments(of: String, among: [String], given: [String])
    }

    enum Amount {
        case count(Int)
        case cost(Cost)
    }

    /// The code of errors about slicing arguments.
    static let slicingArgumentCode = "SLICING_ARGUMENT_REQUIRED"

    /// Returns the error for the response.
    func error(in source: SourceText) -> GraphQLError {
        switch cause {
        case .exceeded(let limit, let amount, let maximum):
            GraphQLError(
                "\(limit.excess(amount.text)); the limit is \(maximum). \(limit.remedy)",
                locations: [source.location(of: span)],
                extensions: ["code": .string(limit.code), "limit": .int(maximum), "value": amount.inputValue])
        case .slicingArguments(let field, let arguments, let given):
            GraphQLError(
                "Field \"\(field)\" requires \(requirement(arguments)), \(finding(given)). "
                    + "Give exactly one, which tells how long the list may get.",
                locations: [source.location(of: span)],
                extensions: ["code": .string(LimitExceededError.slicingArgumentCode)])
        }
    }

    private func requirement(_ arguments: [String]) -> String {
        arguments.count == 1
            ? "the argument \(arguments.quotedList("or"))"
            : "one of the arguments \(arguments.quotedList("or"))"
    }

    private func finding(_ given: [String]) -> String {
        given.isEmpty ? "but it has none" : "but it has \(given.quotedList("and"))"
    }
}

extension LimitExceededError.Amount {
    fileprivate var text: String {
        switch self {
        // A saturated count is a lower bound.
        case .count(let count): count == .max ? "more than \(count)" : "\(count)"
        case .cost(let cost): cost == .highest ? "more than \(cost)" : "\(cost)"
        }
    }

    fileprivate var inputValue: InputValue {
        switch self {
        case .count(let count): .int(count)
        case .cost(let cost): cost.inputValue
        }
    }
}

extension [String] {
    fileprivate func quotedList(_ conjunction: String) -> String {
        Suggestions.list(map { "\"\($0)\"" }, conjunction: conjunction)
    }
}

extension GraphQLError {
    /// Creates the error that replaces a response with more bytes than the limit.
    ///
    /// - Parameters:
    ///   - operation: The kind of operation that was run; for a mutation, the message states this.
    ///   - limit: The maximum number of bytes.
    package init(tooLargeResponseTo operation: OperationType, limit: Int) {
        let kind = OperationLimit.responseBytes
        let remark = operation == .mutation ? " The mutation was run." : ""
        self.init(
            "\(kind.excess("more than \(limit)")), which is the limit. \(kind.remedy)\(remark)",
            extensions: ["code": .string(kind.code), "limit": .int(limit)])
    }
}
