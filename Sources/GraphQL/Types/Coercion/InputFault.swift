/// Why an input value does not fit its type.
struct InputFault: Error {
    /// A whole sentence.
    let message: String
    /// Where in the document the culprit stands; nil for values of variables.
    var span: SourceSpan?
    /// The way from the value as a whole to the culprit in it.
    var path: [PathSegment] = []
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
