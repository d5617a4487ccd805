/// An input of an operation: a variable of the request, a literal of the document, or the coerced value of
/// either.
///
/// Numbers keep their digits: a number that is not a 64-bit integer is stored as text, so that a `Decimal`
/// scalar reads it exactly.
///
/// Values are equal if their texts have the same bytes, while Swift's strings are equal if they are
/// canonically equivalent.
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

    /// Whether the values are equal; texts are compared by their bytes.
    public static func == (one: InputValue, other: InputValue) -> Bool {
        switch (one, other) {
        case (.null, .null): true
        case (.boolean(let one), .boolean(let other)): one == other
        case (.int(let one), .int(let other)): one == other
        case (.number(let one), .number(let other)), (.string(let one), .string(let other)),
            (.enum(let one), .enum(let other)):
            one.hasSameBytes(as: other)
        case (.list(let one), .list(let other)): one == other
        case (.object(let one), .object(let other)): one == other
        case (.null, _), (.boolean, _), (.int, _), (.number, _), (.string, _), (.enum, _), (.list, _),
            (.object, _):
            false
        }
    }

    /// Hashes the bytes of texts, as `==` compares them.
    public func hash(into hasher: inout Hasher) {
        switch self {
        case .null: hasher.combine(0)
        case .boolean(let value): hasher.combine(value ? 1 : 2)
        case .int(let number):
            hasher.combine(3)
            hasher.combine(number)
        case .number(let text), .string(let text), .enum(let text):
            hasher.combine(4)
            text.hashBytes(into: &hasher)
        case .list(let items):
            hasher.combine(5)
            hasher.combine(items)
        case .object(let object):
            hasher.combine(6)
            hasher.combine(object)
        }
    }

    /// The number of items of all lists in the value together.
    var itemCount: Int {
        switch self {
        case .null, .boolean, .int, .number, .string, .enum: 0
        case .list(let items): items.reduce(items.count) { $0 + $1.itemCount }
        case .object(let object): object.fields.reduce(0) { $0 + $1.value.itemCount }
        }
    }

    /// The memory that the value takes in bytes, what it refers to included.
    package var weight: Int {
        switch self {
        case .null, .boolean, .int: MemoryLayout<InputValue>.stride
        case .number(let text), .string(let text), .enum(let text):
            MemoryLayout<InputValue>.stride + text.heapWeight
        case .list(let items): items.reduce(MemoryLayout<InputValue>.stride + 32) { $0 + $1.weight }
        case .object(let object):
            object.fields.reduce(MemoryLayout<InputValue>.stride + 32) {
                $0 + MemoryLayout<String>.stride + $1.name.heapWeight + $1.value.weight
            }
        }
    }
}

extension String {
    /// The memory of the text in bytes without the string itself, which stores up to 15 bytes.
    package var heapWeight: Int { utf8.count > 15 ? utf8.count + 32 : 0 }
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
        get { fields.first { $0.name.hasSameBytes(as: name) }?.value }
        set {
            guard let position = fields.firstIndex(where: { $0.name.hasSameBytes(as: name) }) else {
                if let newValue { fields.append((name, newValue)) }
                return
            }
            if let newValue { fields[position].value = newValue } else { fields.remove(at: position) }
        }
    }

    /// The same fields in the same order.
    public static func == (one: InputObject, other: InputObject) -> Bool {
        one.fields.elementsEqual(other.fields) {
            $0.name.hasSameBytes(as: $1.name) && $0.value == $1.value
        }
    }

    /// As `==`: the order of the fields counts.
    public func hash(into hasher: inout Hasher) {
        for field in fields {
            field.name.hashBytes(into: &hasher)
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
