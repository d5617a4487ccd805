import Brokerage
import Upstream

/// The items of a response, and what it has beside them.
struct ItemList<Item: Sendable>: Sendable {
    var items: [Item]?
    /// Of a response with a status.
    var timeliness: Timeliness?
    /// The mark of the next page, or any text if there is more.
    var next: String?
}

/// How the items of a response are read.
struct ItemListReader<Item: Sendable>: Sendable {
    private let fields: JSONPathFields<ItemList<Item>>
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
        fields = JSONPathFields(ItemList<Item>()) { builder in
            if let status { builder.required(status: status) }
            builder.optional(items, \.items) { reader throws(JSONError) in
                var list: [Item] = []
                func add(_ key: String?, _ reader: inout JSONReader) throws(JSONError) {
                    guard list.count < maximum else { throw reader.failure(.tooMany(limit: maximum)) }
                    if let item = try read(key, &reader) { list.append(item) }
                }
                if isKeyed {
                    try reader.object { key, reader throws(JSONError) in try add(key.string, &reader) }
                } else if try reader.kind() == .array {
                    try reader.array { reader throws(JSONError) in try add(nil, &reader) }
                } else {
                    try add(nil, &reader)
                }
                return list
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
        let list = try fields.read(from: &reader)
        guard list.items != nil || !needsItems else { throw reader.failure(.missing(key: "items")) }
        return list
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
