import Brokerage
import Upstream

/// The items of a response, and what it has beside them.
struct ItemList<Item: Sendable>: Sendable {
    /// Nil without a list.
    var rows: JSONRows<Item>?
    /// The errors of the items that could not be read, with their places in the response.
    var failures: [JSONError] = []
    /// Of a response with a status.
    var timeliness: Timeliness?
    /// The mark of the next page, or any text if there is more.
    var next: String?

    var items: [Item] { rows?.elements ?? [] }
    var unreadable: [String] { failures.map(\.description) }
}

/// How the items of a response are read.
struct ItemListReader<Item: Sendable>: Sendable {
    private let fields: JSONPathFields<ItemList<Item>>
    private let path: JSONPath
    /// Whether a response without items is an error: one without a status could be anything.
    private let needsItems: Bool

    /// - Parameters:
    ///   - items: The path of the items: a list, or one object.
    ///   - isKeyed: Whether they are the members of an object.
    ///   - status: The member that says that the response is a success; nil if the HTTP status is enough.
    ///   - next: The path of the mark of the next page; nil if there is none.
    ///   - maximum: The largest number of items.
    ///   - read: Reads an item, with its key if they have keys; nil leaves it out.
    init(
        at items: JSONPath, isKeyed: Bool = false, status: StatusMember?, next: JSONPath? = nil, maximum: Int,
        _ read: @escaping @Sendable (String?, inout JSONReader) throws(JSONError) -> Item?
    ) {
        needsItems = status == nil
        path = items
        fields = JSONPathFields(ItemList<Item>()) { builder in
            if let status { builder.required(status: status) }
            builder.optional(items, \.rows) { reader throws(JSONError) in
                var (rows, index) = (JSONRows<Item>(), 0)
                func add(
                    _ key: String?, at step: JSONError.PathStep, _ reader: inout JSONReader
                ) throws(JSONError) {
                    guard index < maximum else { throw reader.failure(.tooMany(limit: maximum)) }
                    index += 1
                    switch try reader.row({ reader throws(JSONError) in try read(key, &reader) }) {
                    case .success(nil): break
                    case .success(let item?): rows.elements.append(item)
                    case .failure(let error): try rows.add(.failure(error), at: step)
                    }
                }
                if isKeyed {
                    try reader.object { key, reader throws(JSONError) in
                        let name = key.string
                        try add(name, at: .key(name), &reader)
                    }
                } else if try reader.kind() == .array {
                    try reader.array { reader throws(JSONError) in
                        try add(nil, at: .index(index), &reader)
                    }
                } else {
                    rows.elements = [try read(nil, &reader)].compactMap(\.self)
                }
                return rows
            }
            if let next {
                builder.optional(next, \.next) { reader throws(JSONError) in
                    switch try reader.kind() {
                    case .string: return try reader.string()
                    case .false:
                        _ = try reader.bool()
                        return nil
                    case .number, .true, .null, .array, .object:
                        try reader.skip()
                        return ""
                    }
                }
            }
        }
    }

    /// Reads items without keys by a table.
    init(
        at items: JSONPath, status: StatusMember?, next: JSONPath? = nil, maximum: Int,
        _ table: JSONPathFields<Item>
    ) {
        self.init(at: items, status: status, next: next, maximum: maximum) {
            _, reader throws(JSONError) in try table.read(from: &reader)
        }
    }

    func read(_ reader: inout JSONReader) throws(JSONError) -> ItemList<Item> {
        var list = try fields.read(from: &reader)
        guard list.rows != nil || !needsItems else { throw reader.failure(.missing(key: "items")) }
        list.failures = (list.rows?.failures ?? []).map { failure in
            path.steps.reversed().reduce(failure) { $0.inside(JSONError.PathStep($1)) }
        }
        return list
    }

    /// Reads items that must all be readable: those of an example.
    func readAll(_ reader: inout JSONReader) throws(JSONError) -> ItemList<Item> {
        let list = try read(&reader)
        if let failure = list.failures.first { throw failure }
        return list
    }
}

extension JSONError.PathStep {
    fileprivate init(_ step: JSONPath.Step) {
        self =
            switch step {
            case .key(let key): .key(key)
            case .index(let index): .index(index)
            }
    }
}

extension JSONPathFields.Builder {
    /// Adds the status, whose value must be one of the choices.
    fileprivate mutating func required<Item>(status: StatusMember) where Object == ItemList<Item> {
        let names = status.choices.keys.sorted().joined(separator: ", ")
        required(status.path, \.timeliness) { reader throws(JSONError) in
            guard let timeliness = status.choices[try reader.string()] else {
                throw reader.failure(.unreadable(.oneOf(names)))
            }
            return timeliness
        }
    }
}
