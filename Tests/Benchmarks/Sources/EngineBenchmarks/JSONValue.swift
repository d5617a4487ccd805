import Foundation

/// A JSON value that answers are compared as: objects are without order, as JSON has them.
enum JSONValue: Hashable, Decodable {
    case null
    case boolean(Bool)
    case number(Double)
    case string(String)
    case list([JSONValue])
    case object([String: JSONValue])

    init(text: String) throws {
        self = try JSONDecoder().decode(JSONValue.self, from: Data(text.utf8))
    }

    init(bytes: [UInt8]) throws {
        self = try JSONDecoder().decode(JSONValue.self, from: Data(bytes))
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let value = try? container.decode(Bool.self) {
            self = .boolean(value)
        } else if let value = try? container.decode(Double.self) {
            self = .number(value)
        } else if let value = try? container.decode(String.self) {
            self = .string(value)
        } else if let value = try? container.decode([JSONValue].self) {
            self = .list(value)
        } else {
            self = .object(try container.decode([String: JSONValue].self))
        }
    }

    subscript(key: String) -> JSONValue? {
        guard case .object(let members) = self else { return nil }
        return members[key]
    }
}

// MARK: - What right engines may differ in

extension JSONValue {
    /// The lists of introspection, whose order the specification leaves open.
    private static let unordered: Set = [
        "types", "fields", "args", "inputFields", "interfaces", "enumValues", "possibleTypes",
    ]
    private static let builtInScalars: Set = ["String", "Int", "Float", "Boolean", "ID"]

    /// The answer in the form of the expected ones (Workload/README.md): introspection without directives and
    /// built-in types, its lists sorted by name, and null for the interfaces of a type that has none.
    func comparable() -> JSONValue {
        guard case .object(var root) = self, case .object(var schema) = root["__schema"],
            case .list(let types) = schema["types"]
        else { return self }
        schema["directives"] = nil
        schema["types"] = .list(types.filter { !$0.isBuiltInType })
        root["__schema"] = .object(schema)
        return JSONValue.object(root).sorted(under: nil)
    }

    private var isBuiltInType: Bool {
        name.hasPrefix("__") || JSONValue.builtInScalars.contains(name)
    }

    private var name: String {
        guard case .string(let name) = self["name"] else { return "" }
        return name
    }

    private func sorted(under key: String?) -> JSONValue {
        switch self {
        case .null, .boolean, .number, .string:
            return self
        case .list(let items):
            if key == "interfaces", items.isEmpty { return .null }
            let items = items.map { $0.sorted(under: nil) }
            guard let key, JSONValue.unordered.contains(key) else { return .list(items) }
            return .list(items.sorted { $0.name < $1.name })
        case .object(let members):
            return .object(Dictionary(uniqueKeysWithValues: members.map { ($0, $1.sorted(under: $0)) }))
        }
    }
}
