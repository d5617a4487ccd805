/// A Swift type that an argument or input field may have.
public protocol GraphQLInput: Sendable {
    /// Tells the binder what type this is in a schema.
    static func bindInput(to binder: inout SchemaBinder) -> BoundType

    /// Some value of the type, with which the binder tries out the initialisers that read arguments.
    static var sample: Self { get }

    /// The value of an argument that has been coerced to its type in the schema; nil for one that was not given.
    ///
    /// - Throws: `InputError` for what the type itself forbids.
    init(input: InputValue?) throws(InputError)
}

/// A value that a Swift type refuses, although it is of the schema's type.
///
/// The message goes to the client.
public struct InputError: ClientVisibleError, Hashable {
    /// What is wrong with the value.
    public let reason: String
    /// Where in the arguments the value stands.
    public private(set) var path: [PathSegment] = []

    /// An error of the value itself; where it stands is added on the way out.
    public init(_ reason: String) {
        self.reason = reason
    }

    /// The same error, seen from one level further out.
    @usableFromInline
    func below(_ segment: PathSegment) -> InputError {
        var error = self
        error.path.insert(segment, at: 0)
        return error
    }

    /// Names the argument, and the field or element in it, then the reason.
    public var message: String { "Argument \"\(path.dotted)\": \(reason)" }

    /// `code` BAD_USER_INPUT, and under `argument` where the value stands.
    public var extensions: InputObject {
        ["code": .string("BAD_USER_INPUT"), "argument": .string(path.dotted)]
    }
}

extension [PathSegment] {
    /// The path as people write it: `filter.words[1]`.
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
    /// The name of the Swift type, where no other is given.
    public static var graphQLName: String { String(describing: Self.self) }

    /// Compares the fields that are read with those of the schema's type, and names it.
    public static func bindInput(to binder: inout SchemaBinder) -> BoundType {
        binder.bind(inputObject: Self.self)
        return BoundType(names: [graphQLName])
    }

    /// Reads the fields of a coerced input object.
    ///
    /// - Throws: `InputError` that names the field where one is refused.
    public init(input: InputValue?) throws(InputError) {
        guard case .object(let fields) = input else { throw InputError("Expected an object.") }
        do {
            self = try Self(ArgumentReader(fields))
        } catch let error as InputError {
            throw error
        } catch {
            throw InputError("It cannot be used.")
        }
    }
}

// MARK: - Built-in types

extension String: GraphQLInput {
    /// `String`, or `ID`, whose values are strings too.
    public static func bindInput(to binder: inout SchemaBinder) -> BoundType {
        BoundType(names: graphQLNames)
    }
    /// An empty string.
    public static var sample: String { "" }

    /// Reads a string or a name of an enum value, and an integer as its digits, as an `ID` may come.
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
    /// `Int`, which the schema has checked to have 32 bits.
    public static func bindInput(to binder: inout SchemaBinder) -> BoundType {
        BoundType(names: graphQLNames)
    }
    /// Zero.
    public static var sample: Int { 0 }

    /// Reads an integer.
    ///
    /// - Throws: `InputError` for any other value.
    public init(input: InputValue?) throws(InputError) {
        guard case .int(let number) = input else { throw InputError("Expected an integer.") }
        self = number
    }
}

extension Double: GraphQLInput {
    /// `Float`.
    public static func bindInput(to binder: inout SchemaBinder) -> BoundType {
        BoundType(names: graphQLNames)
    }
    /// Zero.
    public static var sample: Double { 0 }

    /// Reads the double nearest to a number.
    ///
    /// - Throws: `InputError` for a number beyond the doubles, and for any other value.
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
    /// `Boolean`.
    public static func bindInput(to binder: inout SchemaBinder) -> BoundType {
        BoundType(names: graphQLNames)
    }
    /// False.
    public static var sample: Bool { false }

    /// Reads true or false.
    ///
    /// - Throws: `InputError` for any other value.
    public init(input: InputValue?) throws(InputError) {
        guard case .boolean(let value) = input else { throw InputError("Expected true or false.") }
        self = value
    }
}

extension GraphQLInput where Self: GraphQLEnum {
    /// The enum type of this name.
    public static func bindInput(to binder: inout SchemaBinder) -> BoundType {
        BoundType(names: graphQLNames)
    }

    /// Reads the name of a value; a string of that name does as well.
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
    /// The wrapped type, which may be null in the schema.
    public static func bindInput(to binder: inout SchemaBinder) -> BoundType {
        Wrapped.bindInput(to: &binder).nullable
    }
    /// Nothing: an optional reads nothing below it to tell.
    public static var sample: Wrapped? { nil }

    /// Reads null and a value that was not given as nil.
    ///
    /// - Throws: `InputError` where the wrapped type refuses the value.
    public init(input: InputValue?) throws(InputError) {
        switch input {
        case .null, nil: self = nil
        case .some(let value): self = try Wrapped(input: value)
        }
    }
}

extension Array: GraphQLInput where Element: GraphQLInput {
    /// A list of the element's type.
    public static func bindInput(to binder: inout SchemaBinder) -> BoundType {
        Element.bindInput(to: &binder).list
    }
    /// An empty list.
    public static var sample: [Element] { [] }

    /// Reads each element; coercion has made a list of a single value already.
    ///
    /// - Throws: `InputError` that names the index of the element that is refused.
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
