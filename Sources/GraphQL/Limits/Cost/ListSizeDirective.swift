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
