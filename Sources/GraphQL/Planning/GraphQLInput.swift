/// A Swift type of an argument or input field.
public protocol GraphQLInput: Sendable {
    /// Returns the schema type to which this type is bound.
    static func bindInput(to binder: inout SchemaBinder) -> BoundType

    /// A sample value, with which the binder calls initialisers that read arguments.
    ///
    /// An input object has the samples of the fields that its initialiser reads.
    ///
    /// - Throws: The error of an initialiser that rejects sample values.
    static var sample: Self { get throws(InputError) }

    /// Creates a value from an argument that is coerced to its schema type; nil if the argument is missing.
    ///
    /// - Throws: `InputError` for a value that this type rejects.
    init(input: InputValue?) throws(InputError)
}

/// A value that a Swift type rejects, although it is valid for the schema type.
///
/// Clients see the message.
public struct InputError: ClientVisibleError, Hashable {
    /// The reason for the rejection.
    public let reason: String
    /// The path of the value in the arguments.
    public private(set) var path: [PathSegment] = []

    /// Creates an error of the value itself; its path is added while the error propagates.
    public init(_ reason: String) {
        self.reason = reason
    }

    /// Returns the same error with its path extended by an outer segment.
    @usableFromInline
    func below(_ segment: PathSegment) -> InputError {
        var error = self
        error.path.insert(segment, at: 0)
        return error
    }

    /// The argument with the path of the field or element in it, followed by the reason.
    public var message: String { "Argument \"\(path.dotted)\": \(reason)" }

    /// `code` BAD_USER_INPUT, and the path of the value in `argument`.
    public var extensions: InputObject {
        ["code": .string("BAD_USER_INPUT"), "argument": .string(path.dotted)]
    }
}

extension [PathSegment] {
    /// The path in dotted notation: `filter.words[1]`.
    var dotted: String {
        reduce(into: "") { text, segment in
            switch segment {
            case .key(let key): text += text.isEmpty ? key : "." + key
            case .index(let index): text += "[\(index)]"
            }
        }
    }
}

/// An input object type as a Swift value (specification, section 3.10).
public protocol GraphQLInputObject: GraphQLInput, GraphQLArguments {
    /// The name in the schema.
    static var graphQLName: String { get }
}

extension GraphQLInputObject {
    /// The name of the Swift type, by default.
    public static var graphQLName: String { String(describing: Self.self) }

    /// Compares the fields that the initialiser reads with those of the schema type, and returns the type.
    public static func bindInput(to binder: inout SchemaBinder) -> BoundType {
        binder.bind(inputObject: Self.self)
        return BoundType(names: [graphQLName])
    }

    /// The value that the initialiser makes of the samples of its fields.
    public static var sample: Self {
        get throws(InputError) { try Self(reading: .samples) }
    }

    /// Creates a value from a coerced input object.
    ///
    /// - Throws: `InputError` with the name of a rejected field.
    public init(input: InputValue?) throws(InputError) {
        guard case .object(let fields) = input else { throw InputError("Expected an object.") }
        try self.init(reading: ArgumentReader(fields))
    }

    private init(reading fields: ArgumentReader) throws(InputError) {
        do {
            self = try Self(fields)
        } catch let error as InputError {
            throw error
        } catch {
            throw InputError("It cannot be used.")
        }
    }
}

// MARK: - Built-in types

extension String: GraphQLInput {
    /// Returns `String`, or `ID`, whose values are also strings.
    public static func bindInput(to binder: inout SchemaBinder) -> BoundType {
        BoundType(names: graphQLNames)
    }
    /// An empty string.
    public static var sample: String { "" }

    /// Creates a string from a string, the name of an enum value, or the digits of an integer (valid for an
    /// `ID`).
    ///
    /// - Throws: `InputError` for any other value.
    @inlinable
    public init(input: InputValue?) throws(InputError) {
        switch input {
        case .string(let text), .enum(let text): self = text
        case .int(let number): self = String(number)
        case .number, .boolean, .list, .object, .null, nil: throw InputError("Expected a string.")
        }
    }
}

extension Int: GraphQLInput {
    /// Returns `Int`; coercion has checked that its values have 32 bits.
    public static func bindInput(to binder: inout SchemaBinder) -> BoundType {
        BoundType(names: graphQLNames)
    }
    /// Zero.
    public static var sample: Int { 0 }

    /// Creates an integer.
    ///
    /// - Throws: `InputError` for any other value.
    public init(input: InputValue?) throws(InputError) {
        guard case .int(let number) = input else { throw InputError("Expected an integer.") }
        self = number
    }
}

extension Double: GraphQLInput {
    /// Returns `Float`.
    public static func bindInput(to binder: inout SchemaBinder) -> BoundType {
        BoundType(names: graphQLNames)
    }
    /// Zero.
    public static var sample: Double { 0 }

    /// Creates the double nearest to a number.
    ///
    /// - Throws: `InputError` for a number out of range, and for any other value.
    public init(input: InputValue?) throws(InputError) {
        switch input {
        case .int(let number): self = Double(number)
        case .number(let text):
            guard let number = Double(text), number.isFinite else {
                throw InputError("Expected a finite number.")
            }
            self = number
        case .string, .enum, .boolean, .list, .object, .null, nil: throw InputError("Expected a number.")
        }
    }
}

extension Bool: GraphQLInput {
    /// Returns `Boolean`.
    public static func bindInput(to binder: inout SchemaBinder) -> BoundType {
        BoundType(names: graphQLNames)
    }
    /// False.
    public static var sample: Bool { false }

    /// Creates a Boolean.
    ///
    /// - Throws: `InputError` for any other value.
    public init(input: InputValue?) throws(InputError) {
        guard case .boolean(let value) = input else { throw InputError("Expected true or false.") }
        self = value
    }
}

extension GraphQLInput where Self: GraphQLEnum {
    /// Returns the enum type of this name.
    public static func bindInput(to binder: inout SchemaBinder) -> BoundType {
        BoundType(names: graphQLNames)
    }

    /// Creates a case from the name of an enum value, or from a string with this name.
    ///
    /// - Throws: `InputError` for a name that the Swift enum does not have.
    public init(input: InputValue?) throws(InputError) {
        switch input {
        case .enum(let name), .string(let name):
            guard let value = Self(rawValue: name) else {
                throw InputError("\(name) is no value of \(Self.graphQLName).")
            }
            self = value
        case .int, .number, .boolean, .list, .object, .null, nil:
            throw InputError("Expected a value of \(Self.graphQLName).")
        }
    }
}

extension Optional: GraphQLInput where Wrapped: GraphQLInput {
    /// Returns the wrapped type as a nullable type.
    public static func bindInput(to binder: inout SchemaBinder) -> BoundType {
        Wrapped.bindInput(to: &binder).nullable
    }
    /// Nil.
    ///
    /// The binder does not read the wrapped type.
    public static var sample: Wrapped? { nil }

    /// Creates nil for null and for a missing value.
    ///
    /// - Throws: `InputError` if the wrapped type rejects the value.
    public init(input: InputValue?) throws(InputError) {
        switch input {
        case .null, nil: self = nil
        case .some(let value): self = try Wrapped(input: value)
        }
    }
}

extension Array: GraphQLInput where Element: GraphQLInput {
    /// Returns a list of the element's type.
    public static func bindInput(to binder: inout SchemaBinder) -> BoundType {
        Element.bindInput(to: &binder).list
    }
    /// An empty list.
    public static var sample: [Element] { [] }

    /// Reads each element; coercion has already wrapped a single value in a list.
    ///
    /// - Throws: `InputError` with the index of a rejected element.
    @inlinable
    public init(input: InputValue?) throws(InputError) {
        guard case .list(let items) = input else { throw InputError("Expected a list.") }
        self = []
        reserveCapacity(items.count)
        for (position, item) in items.enumerated() {
            do {
                append(try Element(input: item))
            } catch {
                throw error.below(.index(position))
            }
        }
    }
}
