/// The `@listSize` of a field (IBM cost specification, chapter 8).
struct ListSizeDirective: Sendable {
    /// The length of the list if no slicing argument determines it; nil if unspecified.
    var assumedSize: Int?
    /// The arguments that determine the length of the list.
    var slicingArguments: [SlicingArgument] = []
    /// True if exactly one slicing argument is required; ignored if there are none (8.4).
    var requiresOneSlicingArgument = false
    /// The fields of the returned object that are the sized lists; empty if the field itself is the list.
    var sizedFields: Set<String> = []

    /// A directive that specifies nothing.
    static let unspecified = ListSizeDirective()
}

/// An argument whose value determines the length of a list.
///
/// The specification has arguments of type `Int`. There are two extensions. A dotted path into an input
/// object, `"page.first"`, is accepted as in IBM's gateway. An argument may also be a list, as in
/// `quotes(symbols: [String!]!)`; the result then has one item per item of the argument.
struct SlicingArgument: Sendable {
    /// The path as written, for messages.
    let path: String
    /// The argument's position in the field's definition.
    let argument: Int
    /// The names of the input fields on the path into the argument's value.
    let inputFields: [String]
    /// Whether the argument is non-null: without a value its coercion fails, and there is no list.
    let isNonNull: Bool

    /// Creates it with the type of the argument.
    init(path: String, argument: Int, inputFields: [String], _ type: GraphQLType) {
        self.path = path
        self.argument = argument
        self.inputFields = inputFields
        isNonNull = type.wrapping.isNonNull
    }

    /// Returns the list length for a value; nil if it is missing or null.
    func size(in value: InputValue?) -> Int? {
        var value = value
        for name in inputFields {
            guard case .object(let object) = value else { return nil }
            value = object[name]
        }
        switch value {
        case .int(let count): return max(0, count)
        case .list(let items): return items.count
        case nil, .null, .boolean, .number, .string, .enum, .object: return nil
        }
    }
}

/// The maximum length of the list of one selected field.
struct ListSizeEstimate: Sendable {
    /// The applicable directives, of which the longest length is used; empty if there are none.
    private let sizes: [Size]
    /// The length without directives.
    private let assumed: Int
    /// True if the length is independent of the variables.
    let isConstant: Bool

    private struct Size: Sendable {
        let size: ListSizeDirective
        /// The values of the slicing arguments.
        let given: [ArgumentSource]
    }

    /// Creates an estimate; `given` returns the value of an argument of the field by its position.
    init(_ sizes: [ListSizeDirective], assumed: Int, given: (Int) -> ArgumentSource) {
        self.sizes = sizes.map { size in
            Size(size: size, given: size.slicingArguments.map { given($0.argument) })
        }
        self.assumed = assumed
        isConstant = self.sizes.allSatisfy { $0.given.allSatisfy(\.isConstant) }
    }

    /// Returns the maximum length.
    ///
    /// - Throws: An error if the field does not have exactly one slicing argument but requires it.
    func items(_ literals: LiteralCoercion) throws(SlicingArgumentError) -> Int {
        if sizes.isEmpty { return assumed }
        var maximum = 0
        for size in sizes { maximum = max(maximum, try items(size, literals)) }
        return maximum
    }

    private func items(_ size: Size, _ literals: LiteralCoercion) throws(SlicingArgumentError) -> Int {
        var maximum: Int?
        var given: [String] = []
        for (slicing, value) in zip(size.size.slicingArguments, size.given) {
            let value = value.read(literals)
            if slicing.isNonNull, value == nil || value == .null { return 0 }
            guard let length = slicing.size(in: value) else { continue }
            given.append(slicing.path)
            maximum = max(maximum ?? 0, length)
        }
        if size.size.requiresOneSlicingArgument, given.count != 1 {
            throw SlicingArgumentError(arguments: size.size.slicingArguments.map(\.path), given: given)
        }
        return maximum ?? size.size.assumedSize ?? assumed
    }
}

/// The error that a field does not have exactly one of its slicing arguments (IBM cost specification, 8.4).
struct SlicingArgumentError: Error {
    let arguments: [String]
    let given: [String]
}

/// The distinct `sizedFields` of a schema, and the types to whose fields they may apply.
///
/// The cost of a selection set or fragment depends on which of its fields the parent field sizes. A type
/// usually has one or two of these sets (`edges` and `nodes` of a connection). The cost of a fragment is
/// computed once for each set that may apply to its type.
struct SizedFieldSets: Sendable {
    /// The parent field sizes no field.
    static let none = 0

    /// The names of the fields, by number from 1.
    private var names: [Set<String>] = []
    /// The numbers that may apply to the fields of a type, by `TypeID.index`.
    private var numbers: [[Int]]

    init(typeCount: Int) {
        numbers = Array(repeating: [SizedFieldSets.none], count: typeCount)
    }

    /// Returns true if the parent field determines the length of a field's list.
    func sizes(_ field: String, in sizing: Int) -> Bool {
        sizing != SizedFieldSets.none && names[sizing - 1].contains(field)
    }

    /// Returns the numbers that may apply to the fields of a type.
    func all(on type: TypeID) -> [Int] { numbers[type.index] }

    /// Returns the number of these names on the fields of a type; it may apply to every overlapping type.
    mutating func id(of sized: Set<String>, below type: TypeID, _ schema: Schema) -> Int {
        if sized.isEmpty { return SizedFieldSets.none }
        let number: Int
        if let known = names.firstIndex(of: sized) {
            number = known + 1
        } else {
            names.append(sized)
            number = names.count
        }
        for other in schema.types where other.isComposite && !numbers[other.id.index].contains(number) {
            if schema.overlap(type, other.id) { numbers[other.id.index].append(number) }
        }
        return number
    }
}
