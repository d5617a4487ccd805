/// A value that goes into an operation: a variable of the request, a literal of the document, or what either became
/// when it was coerced to its type.
///
/// Numbers keep their digits: one that is no 64-bit integer stays text, so that a `Decimal` scalar reads it exactly.
public enum InputValue: Hashable, Sendable {
    case null
    case boolean(Bool)
    case int(Int)
    /// A number that is no 64-bit integer, as written: `1.50`, `1e400`. Its syntax is JSON's.
    case number(String)
    case string(String)
    /// The name of an enum value. In JSON these are strings; coercion makes names of them.
    case `enum`(String)
    case list([InputValue])
    case object(InputObject)
}

/// The fields of an input object, in order.
///
/// A field that was not given is not there; one given as null is `.null`.
public struct InputObject: Hashable, Sendable {
    /// Names and values in the order in which they came.
    public private(set) var fields: [(name: String, value: InputValue)]

    /// An object of these fields.
    ///
    /// Where a name comes twice, its first value counts.
    public init(_ fields: [(name: String, value: InputValue)] = []) {
        self.fields = fields
    }

    /// The value of a field.
    ///
    /// Setting one that is there replaces it in its place.
    public subscript(name: String) -> InputValue? {
        get { fields.first { $0.name == name }?.value }
        set {
            guard let position = fields.firstIndex(where: { $0.name == name }) else {
                if let newValue { fields.append((name, newValue)) }
                return
            }
            if let newValue { fields[position].value = newValue } else { fields.remove(at: position) }
        }
    }

    /// The same fields in the same order.
    public static func == (one: InputObject, other: InputObject) -> Bool {
        one.fields.elementsEqual(other.fields) { $0.name == $1.name && $0.value == $1.value }
    }

    /// As `==`: the order of the fields counts.
    public func hash(into hasher: inout Hasher) {
        for field in fields {
            hasher.combine(field.name)
            hasher.combine(field.value)
        }
    }
}

extension InputObject: ExpressibleByDictionaryLiteral {
    /// The fields in the order of the literal.
    public init(dictionaryLiteral elements: (String, InputValue)...) {
        self.init(elements.map { (name: $0.0, value: $0.1) })
    }
}
