import GraphQL

/// A text of a user's, without white space around it, that has some length.
///
/// Lengths count Unicode scalars, which is what takes room, and not characters, of which one may have any number.
protocol BoundedText: Input {
    static var lengths: ClosedRange<Int> { get }
    /// Whether it may have several lines.
    static var isMultiline: Bool { get }
    init(bounded text: String)
}

extension BoundedText {
    static func bindInput(to binder: inout Binder) -> BoundType { String.bindInput(to: &binder) }

    static var sample: Self { Self(bounded: "sample") }

    init(input: InputValue?) throws(InputError) {
        let text = try String(input: input).trimmed
        let length = text.unicodeScalars.count
        guard Self.lengths.contains(length) else {
            throw InputError(
                length == 0
                    ? "It is empty."
                    : "It has \(length) characters; at most \(Self.lengths.upperBound) are taken.")
        }
        let isPlain = text.unicodeScalars.allSatisfy { scalar in
            scalar.properties.generalCategory != .control
                || (Self.isMultiline && (scalar == "\n" || scalar == "\t"))
        }
        guard isPlain else { throw InputError("It has a control character.") }
        self.init(bounded: text)
    }
}

extension String {
    /// Without white space at both ends.
    fileprivate var trimmed: String {
        let start = drop(while: \.isWhitespace)
        let count = start.reversed().drop(while: \.isWhitespace).count
        return String(start.prefix(count))
    }
}
