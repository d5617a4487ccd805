import GraphQL
import PorticoCore

/// The arguments of a field, which determine its generated value.
///
/// `quote(symbol: "AAPL")` returns an object whose `symbol` is AAPL. `quotes(symbols: ["AAPL", "MSFT"])` returns a list
/// with an object for each symbol. `first`, `last` and `limit` are the length of the list, also of that in a connection.
struct MockArguments {
    /// The values of fields that have the name of an argument.
    private(set) var values: [String: InputValue] = [:]
    /// The values of fields whose plural is an argument's name, for each item of a list.
    private var lists: [(name: String, items: [InputValue])] = []
    /// The arguments that are lists, by their names.
    private var allLists: [String: [InputValue]] = [:]
    /// The values in the inputs of a mutation, by their names.
    private(set) var inputs: [String: InputValue] = [:]
    /// The requested number of items.
    private(set) var pageSize: Int?

    static let none = MockArguments(InputObject(), inheriting: nil)

    private static let maximumPageSize = 100

    init(_ arguments: InputObject, inheriting pageSize: Int?, ofMutation isMutation: Bool = false) {
        self.pageSize = pageSize
        for (name, value) in arguments.fields {
            switch value {
            case .int(let count) where ["first", "last", "limit"].contains(name):
                self.pageSize = max(0, min(count, MockArguments.maximumPageSize))
            case .list(let items) where name.hasSuffix("s"):
                lists.append((String(name.dropLast()), items))
                allLists[name] = items
            case .object(let input): if isMutation { collect(input) }
            case .null, .list: break
            default: values[name] = value
            }
        }
    }

    /// Adds the values of an input and of its inner inputs; the first one of a name counts.
    private mutating func collect(_ input: InputObject) {
        for (name, value) in input.fields where inputs[name] == nil {
            switch value {
            case .object(let inner): collect(inner)
            case .string, .enum, .int, .number: inputs[name] = value
            case .null, .boolean, .list: break
            }
        }
    }

    /// The value of a field that the arguments of an outer field determine: `symbol`, or `acceptedIds` by `ids`.
    func value(of field: SchemaField, isLeaf: Bool) -> InputValue? {
        guard isLeaf else { return nil }
        guard field.type.wrapping.item != nil else { return values[field.name] }
        let items = allLists[field.name] ?? (field.name.hasSuffix("Ids") ? allLists["ids"] : nil)
        return items.map { .list($0) }
    }

    /// Gives the object the id, unless an argument has one.
    mutating func identify(as id: String) {
        if values["id"] == nil { values["id"] = .string(id) }
    }

    /// Takes the id and the inputs of a mutation from an object without an id, such as its payload, for the object that it is of.
    mutating func inherit(_ outer: MockArguments, from payload: NamedType, to type: NamedType) {
        guard payload.field(named: "id") == nil else { return }
        inputs.merge(outer.inputs) { own, _ in own }
        guard case .string(let id)? = outer.values["id"] else { return }
        if type.field(named: "id") == nil || MockIdentity.typeName(of: id) == type.name { identify(as: id) }
    }

    /// True if a list of items was requested.
    var hasLists: Bool { !lists.isEmpty }

    /// The length of a list; nil if no argument determines it.
    var listLength: Int? { lists.first?.items.count ?? pageSize }

    /// Returns the arguments for an item of a list, or for an event of a subscription to several objects.
    func item(_ index: Int) -> MockArguments {
        var arguments = self
        for list in lists where !list.items.isEmpty {
            arguments.values[list.name] = list.items[index % list.items.count]
        }
        arguments.lists = []
        arguments.inputs = [:]
        arguments.pageSize = nil
        return arguments
    }
}

/// The identity of an object: `Type:number` if it has an `id`, or `Type:field:value` if an argument identifies it.
///
/// That of an object that a mutation has made has the values of its input, `Type:number?field=value&…`, and that of an item of a
/// list whose object is its `parent` has that object's id, `Type:number#list0`: the fields depend on the id alone.
struct MockIdentity {
    let id: String
    /// The values of the fields that the identity determines.
    let values: [String: InputValue]

    /// Returns the identity of an object; nil if its type has no `id` and no argument identifies it.
    init?(
        of type: NamedType, in schema: Schema, _ arguments: MockArguments, given: InputValue?,
        at seed: MockSeed, root: MockSeed
    ) {
        let key = MockIdentity.keys.first { type.field(named: $0) != nil && arguments.values[$0] != nil }
        if case .string(let id)? = given.flatMap({ MockIdentity.id(in: $0) }) ?? arguments.values["id"] {
            self.id = id
        } else if let key, let value = arguments.values[key]?.identityText {
            id = "\(type.name):\(key):\(value)"
        } else if type.field(named: "id") != nil {
            id = MockIdentity.newID(of: type, in: schema, from: arguments.inputs, at: seed, root: root)
        } else {
            return nil
        }
        var values: [String: InputValue] = ["id": .string(id)]
        for (name, value) in MockIdentity.inputs(in: id) {
            guard let field = type.field(named: name) else { continue }
            values[name] =
                schema[field.type.type].isNumber
                ? Int(value).map { .int($0) } ?? .number(value) : .string(value)
        }
        let parts = id.split(separator: ":", maxSplits: 2).map(String.init)
        if parts.count == 3, parts[0] == type.name, type.field(named: parts[1]) != nil {
            values[parts[1]] = .string(parts[2])
        }
        self.values = values
    }

    /// Between the id of an object and the name and number of an item of its list.
    static let itemMark: Character = "#"

    /// The id of the object whose list has this one; nil for an object that is in no such list.
    var parentID: String? { id.lastIndex(of: MockIdentity.itemMark).map { String(id[..<$0]) } }

    /// A new id, with the values of a mutation's input that are values of fields of the object.
    private static func newID(
        of type: NamedType, in schema: Schema, from inputs: [String: InputValue], at seed: MockSeed,
        root: MockSeed
    ) -> String {
        let pairs = inputs.compactMap { name, value -> String? in
            guard name != "id", let field = type.field(named: name), field.type.wrapping.item == nil,
                schema[field.type.type].isLeaf, let text = value.identityText
            else { return nil }
            return "\(name)=\(PercentEncoding.encode(text))"
        }
        if pairs.isEmpty { return "\(type.name):\(seed.number(below: 1_000_000))" }
        let query = pairs.sorted().joined(separator: "&")
        // The object is the same wherever the payload has it.
        return "\(type.name):\(root.field(query).number(below: 1_000_000))?\(query)"
    }

    /// The values of an input in an id.
    private static func inputs(in id: String) -> [(name: String, value: String)] {
        guard !id.contains(itemMark), let query = id.split(separator: "?", maxSplits: 1).dropFirst().first
        else { return [] }
        return query.split(separator: "&").compactMap { pair in
            let parts = pair.split(separator: "=", maxSplits: 1)
            guard parts.count == 2, let value = PercentEncoding.decode(parts[1]) else { return nil }
            return (String(parts[0]), value)
        }
    }

    /// The fields that identify an object in addition to `id`.
    private static let keys = ["symbol", "slug", "code", "key", "name"]

    /// The name of the type in an id.
    static func typeName(of id: String) -> String? {
        let name = id.prefix { $0 != ":" }
        return name.count == id.count ? nil : String(name)
    }

    private static func id(in given: InputValue) -> InputValue? {
        guard case .object(let object) = given else { return nil }
        return object["id"]
    }
}

extension InputValue {
    fileprivate var identityText: String? {
        switch self {
        case .string(let text), .enum(let text), .number(let text): text
        case .int(let number): "\(number)"
        case .null, .boolean, .list, .object: nil
        }
    }
}

extension NamedType {
    fileprivate var isNumber: Bool { name == "Int" || name == "Float" }
}
