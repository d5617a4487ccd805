/// A Swift type that an argument or input field may have.
public protocol Input: Sendable {
    /// Tells the binder what type this is in a schema.
    static func bindInput(to binder: inout Binder) -> BoundType

    /// Some value of the type, with which the binder tries out the initialisers that read arguments.
    static var sample: Self { get }

    /// The value of an argument that has been coerced to its type in the schema; nil for one that was not given.
    ///
    /// - Throws: `InputError` for what the type itself forbids.
    init(input: InputValue?) throws(InputError)
}

/// A value that a Swift type refuses, although it is of the schema's type. The message goes to the client.
public struct InputError: PublicError, Hashable {
    /// What is wrong with the value.
    public let reason: String
    /// Where in the arguments the value stands.
    public private(set) var path: [PathSegment] = []

    public init(_ reason: String) {
        self.reason = reason
    }

    /// The same error, seen from one level further out.
    func below(_ segment: PathSegment) -> InputError {
        var error = self
        error.path.insert(segment, at: 0)
        return error
    }

    public var message: String { "Argument \"\(path.dotted)\": \(reason)" }

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
public protocol GraphQLInputObject: Input, GraphQLArguments {
    /// The name in the schema.
    static var graphQLName: String { get }
}

extension GraphQLInputObject {
    public static var graphQLName: String { String(describing: Self.self) }

    public static func bindInput(to binder: inout Binder) -> BoundType {
        binder.bind(inputObject: Self.self)
        return BoundType(names: [graphQLName])
    }

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

extension String: Input {
    public static func bindInput(to binder: inout Binder) -> BoundType { BoundType(names: graphQLNames) }
    public static var sample: String { "" }

    public init(input: InputValue?) throws(InputError) {
        switch input {
        case .string(let text), .enum(let text): self = text
        case .int(let number): self = String(number)
        case .number, .boolean, .list, .object, .null, nil: throw InputError("Expected a string.")
        }
    }
}

extension Int: Input {
    public static func bindInput(to binder: inout Binder) -> BoundType { BoundType(names: graphQLNames) }
    public static var sample: Int { 0 }

    public init(input: InputValue?) throws(InputError) {
        guard case .int(let number) = input else { throw InputError("Expected an integer.") }
        self = number
    }
}

extension Double: Input {
    public static func bindInput(to binder: inout Binder) -> BoundType { BoundType(names: graphQLNames) }
    public static var sample: Double { 0 }

    public init(input: InputValue?) throws(InputError) {
        switch input {
        case .int(let number): self = Double(number)
        case .number(let text):
            guard let number = Double(text), number.isFinite else { throw InputError("Expected a finite number.") }
            self = number
        case .string, .enum, .boolean, .list, .object, .null, nil: throw InputError("Expected a number.")
        }
    }
}

extension Bool: Input {
    public static func bindInput(to binder: inout Binder) -> BoundType { BoundType(names: graphQLNames) }
    public static var sample: Bool { false }

    public init(input: InputValue?) throws(InputError) {
        guard case .boolean(let value) = input else { throw InputError("Expected true or false.") }
        self = value
    }
}

extension Input where Self: GraphQLEnum {
    public static func bindInput(to binder: inout Binder) -> BoundType { BoundType(names: graphQLNames) }

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

extension Optional: Input where Wrapped: Input {
    public static func bindInput(to binder: inout Binder) -> BoundType { Wrapped.bindInput(to: &binder).nullable }
    public static var sample: Wrapped? { nil }

    public init(input: InputValue?) throws(InputError) {
        switch input {
        case .null, nil: self = nil
        case .some(let value): self = try Wrapped(input: value)
        }
    }
}

extension Array: Input where Element: Input {
    public static func bindInput(to binder: inout Binder) -> BoundType { Element.bindInput(to: &binder).list }
    public static var sample: [Element] { [] }

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
