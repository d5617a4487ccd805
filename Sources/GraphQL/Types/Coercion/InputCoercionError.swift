/// Why an input value does not fit its type.
struct InputCoercionError: Error {
    /// A whole sentence.
    let message: String
    /// Where in the document the culprit stands; nil for values of variables.
    var span: SourceSpan?
    /// The way from the value as a whole to the culprit in it.
    var path: [PathSegment] = []
}

/// What a walk through an input value finds, and where in the value it is.
///
/// Faults are kept, and worded, up to a limit, and one more, which tells that there are others: messages quote what they
/// refuse, so those of a long list would together be far longer than the list.
struct InputCoercionErrors {
    private(set) var found: [InputCoercionError] = []
    private let limit: Int
    /// The way to where the walk is.
    private var path: [PathSegment] = []

    init(limit: Int) {
        self.limit = limit
    }

    /// Goes into an item or a field.
    mutating func enter(_ segment: PathSegment) {
        path.append(segment)
    }

    /// Comes out of it again.
    mutating func exit() {
        path.removeLast()
    }

    /// Notes a fault of the value where the walk is.
    mutating func report(_ message: @autoclosure () -> String, _ span: SourceSpan? = nil) {
        guard found.count <= limit else { return }
        found.append(InputCoercionError(message: message(), span: span, path: path))
    }
}

extension [PathSegment] {
    /// ` at .orders[0].price`, as messages name a place in an input value; empty for the value as a whole.
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

/// How many lists and objects may stand in one another in an input value, as in a document (see `ParserLimits`).
let maximumInputDepth = 200
