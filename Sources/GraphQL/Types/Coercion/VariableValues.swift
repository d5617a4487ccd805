/// The variables of a request, coerced to their types (specification, section 6.1.2).
///
/// A nullable variable that was not given and has no default has no value at all, which differs from null.
public final class VariableValues: Sendable {
    /// One variable of the operation.
    struct Entry: Sendable {
        let name: Name
        let text: String
        /// Nil where it was not given and has no default.
        let value: InputValue?
        let isGiven: Bool
    }

    let entries: [Entry]
    /// By `Name.id`; only for operations with so many variables that looking through them would be slow.
    private let index: [UInt32: Int]?

    /// No variable at all.
    public static let empty = VariableValues([])

    init(_ entries: [Entry]) {
        self.entries = entries
        index =
            entries.count <= 16
            ? nil
            : Dictionary(
                entries.enumerated().map { ($1.name.id, $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// The value of a variable, by a name of the document that the values were coerced for; nil where it has none.
    public subscript(name: Name) -> InputValue? { entry(name.id)?.value }

    /// The value of a variable by its name without the dollar sign; nil where it has none.
    public subscript(name: String) -> InputValue? { entries.first { $0.text.hasSameBytes(as: name) }?.value }

    /// Whether the request gave the variable a value, be it null.
    public func isGiven(_ name: Name) -> Bool { entry(name.id)?.isGiven ?? false }

    private func entry(_ id: UInt32) -> Entry? {
        if let index { return index[id].map { entries[$0] } }
        return entries.first { $0.name.id == id }
    }
}
