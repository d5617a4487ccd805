/// What `@listSize` says of a field (IBM cost specification, chapter 8).
struct ListSizeDirective: Sendable {
    /// How long the list gets where no slicing argument tells; nil where that is not said.
    var assumedSize: Int?
    /// The arguments that tell how long the list gets.
    var slicingArguments: [SlicingArgument] = []
    /// Whether exactly one of them must be given; of no meaning where there are none (8.4).
    var requiresOneSlicingArgument = false
    /// The fields of the returned object that are the list; empty where the field is it itself.
    var sizedFields: Set<String> = []

    /// Says nothing.
    static let unsaid = ListSizeDirective()
}

/// An argument whose value tells how long a list gets.
///
/// The specification has arguments of type `Int`. Two things are taken beyond it: a path with dots into an input
/// object, `"page.first"`, as IBM's own gateway has it; and an argument that is a list itself, such as
/// `quotes(symbols: [String!]!)`, which gets as many answers as it has items.
struct SlicingArgument: Sendable {
    /// As written, for messages.
    let path: String
    /// The argument's position in the field's definition.
    let argument: Int
    /// The names of input fields on the way into the argument's value.
    let inputFields: [String]

    /// How long a value makes the list; nil where nothing is given, or null.
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

/// How long the list of one selected field may get.
struct ListSizeEstimate: Sendable {
    /// What is said of it, of several the longest counts; empty where nothing is said.
    private let sizes: [Size]
    /// The length where nothing is said.
    private let assumed: Int
    /// Whether it is the same whatever the variables.
    let isConstant: Bool

    private struct Size: Sendable {
        let size: ListSizeDirective
        /// What the slicing arguments are given.
        let given: [ArgumentSource]
    }

    /// What is said of a list; `given` tells what an argument of the field is given, by its position.
    init(_ sizes: [ListSizeDirective], assumed: Int, given: (Int) -> ArgumentSource) {
        self.sizes = sizes.map { size in
            Size(size: size, given: size.slicingArguments.map { given($0.argument) })
        }
        self.assumed = assumed
        isConstant = self.sizes.allSatisfy { $0.given.allSatisfy(\.isConstant) }
    }

    /// The greatest length.
    ///
    /// - Throws: That the field is not given exactly one slicing argument although it must be.
    func items(_ literals: LiteralCoercion) throws(SlicingArgumentError) -> Int {
        if sizes.isEmpty { return assumed }
        var most = 0
        for size in sizes { most = max(most, try items(size, literals)) }
        return most
    }

    private func items(_ size: Size, _ literals: LiteralCoercion) throws(SlicingArgumentError) -> Int {
        var most: Int?
        var given: [String] = []
        for (slicing, value) in zip(size.size.slicingArguments, size.given) {
            guard let length = slicing.size(in: value.read(literals)) else { continue }
            given.append(slicing.path)
            most = max(most ?? 0, length)
        }
        if size.size.requiresOneSlicingArgument, given.count != 1 {
            throw SlicingArgumentError(arguments: size.size.slicingArguments.map(\.path), given: given)
        }
        return most ?? size.size.assumedSize ?? assumed
    }
}

/// A field is not given exactly one of its slicing arguments (IBM cost specification, 8.4).
struct SlicingArgumentError: Error {
    let arguments: [String]
    let given: [String]
}

/// The different `sizedFields` of a schema, and the types on whose fields each may bear.
///
/// What a selection set costs depends on which of its fields get their length from the field around it, and so does
/// what a fragment costs. There are one or two such sets of names for a type as a rule (`edges` and `nodes` of a
/// connection), so a fragment is priced once for each that may hold for its type.
struct SizedFieldSets: Sendable {
    /// No field gets its length from the field around it.
    static let none = 0

    /// By number, from 1: the names of the fields.
    private var names: [Set<String>] = []
    /// By `TypeID.index`: the numbers that may hold for its fields.
    private var numbers: [[Int]]

    init(typeCount: Int) {
        numbers = Array(repeating: [SizedFieldSets.none], count: typeCount)
    }

    /// Whether the length of a field's list is told by the field around its selection set.
    func sizes(_ field: String, in sizing: Int) -> Bool {
        sizing != SizedFieldSets.none && names[sizing - 1].contains(field)
    }

    /// What may hold for the fields of a type.
    func all(on type: TypeID) -> [Int] { numbers[type.index] }

    /// The number for these names on the fields of a type; it may hold for every type that has values in common.
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
