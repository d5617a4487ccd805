import GraphQL

/// The arguments of a field, which determine its generated value.
///
/// `quote(symbol: "AAPL")` returns an object whose `symbol` is AAPL. `quotes(symbols: ["AAPL", "MSFT"])` returns a list
/// with an object for each symbol. `first`, `last` and `limit` are the length of the list, also of that in a connection.
struct MockArguments {
    /// The values of fields that have the name of an argument.
    private(set) var values: [String: InputValue] = [:]
    /// The values of fields whose plural is an argument's name, for each item of a list.
    private var lists: [(name: String, items: [InputValue])] = []
    /// The requested number of items.
    private(set) var pageSize: Int?

    static let none = MockArguments(InputObject(), inheriting: nil)

    private static let maximumPageSize = 100

    init(_ arguments: InputObject, inheriting pageSize: Int?) {
        self.pageSize = pageSize
        for (name, value) in arguments.fields {
            switch value {
            case .int(let count) where ["first", "last", "limit"].contains(name):
                self.pageSize = max(0, min(count, MockArguments.maximumPageSize))
            case .list(let items) where name.hasSuffix("s"): lists.append((String(name.dropLast()), items))
            case .null, .list, .object: break
            default: values[name] = value
            }
        }
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
        arguments.pageSize = nil
        return arguments
    }
}

/// The identity of an object: `Type:number` if it has an `id`, or `Type:field:value` if an argument identifies it.
struct MockIdentity {
    let id: String
    /// The values of the fields that the identity determines.
    let values: [String: InputValue]

    /// Returns the identity of an object; nil if its type has no `id` and no argument identifies it.
    init?(of type: NamedType, _ arguments: MockArguments, given: InputValue?, at seed: MockSeed) {
        let key = MockIdentity.keys.first { type.field(named: $0) != nil && arguments.values[$0] != nil }
        if case .string(let id)? = given.flatMap({ MockIdentity.id(in: $0) }) ?? arguments.values["id"] {
            self.id = id
        } else if let key, let value = arguments.values[key]?.identityText {
            id = "\(type.name):\(key):\(value)"
        } else if type.field(named: "id") != nil {
            id = "\(type.name):\(seed.number(below: 1_000_000))"
        } else {
            return nil
        }
        var values: [String: InputValue] = ["id": .string(id)]
        let parts = id.split(separator: ":", maxSplits: 2).map(String.init)
        if parts.count == 3, parts[0] == type.name, type.field(named: parts[1]) != nil {
            values[parts[1]] = .string(parts[2])
        }
        self.values = values
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
