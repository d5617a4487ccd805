/// The reason why an input value does not fit its type.
struct InputCoercionError: Error {
    /// A complete sentence.
    let message: String
    /// The position of the invalid part in the document; nil for values of variables.
    var span: SourceSpan?
    /// The path from the whole value to the invalid part.
    var path: [PathSegment] = []
}

/// The errors in an input value, collected with the current path during a traversal.
///
/// At most `limit` + 1 errors are formatted and stored; the additional one shows that there are more.
/// Messages quote the invalid values, so all messages of a long list could be far longer than the list.
struct InputCoercionErrors {
    private(set) var found: [InputCoercionError] = []
    private let limit: Int
    /// The path to the current position.
    private var path: [PathSegment] = []

    init(limit: Int) {
        self.limit = limit
    }

    /// Enters a list item or an input field.
    mutating func enter(_ segment: PathSegment) {
        path.append(segment)
    }

    /// Leaves the current list item or input field.
    mutating func exit() {
        path.removeLast()
    }

    /// Adds an error about the value at the current position.
    mutating func report(_ message: @autoclosure () -> String, _ span: SourceSpan? = nil) {
        guard found.count <= limit else { return }
        found.append(InputCoercionError(message: message(), span: span, path: path))
    }
}

extension [PathSegment] {
    /// The path in the wording of messages, such as ` at .orders[0].price`; empty for the whole value.
    var inputPath: String {
        if isEmpty { return "" }
        let steps = map { segment in
            switch segment {
            case .key(let name): ".\(name)"
            case .index(let index): "[\(index)]"
            }
        }
        return " at " + steps.joined()
    }
}

/// The maximum nesting depth of lists and objects in an input value, the same as in a document (see
/// `ParserLimits`).
let maximumInputDepth = 200
