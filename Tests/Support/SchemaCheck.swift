/// Validates a document against a schema.
struct SchemaCheck {
    let definitions: [String: SchemaNode]

    func check(_ value: JSONValue, against node: SchemaNode, at pointer: String) -> [JSONSchema.Violation] {
        node.demands.flatMap { check(value, $0, at: pointer) }
    }

    private func check(
        _ value: JSONValue, _ demand: SchemaNode.Demand, at pointer: String
    ) -> [JSONSchema.Violation] {
        func violation(unless holds: Bool, _ reason: @autoclosure () -> String) -> [JSONSchema.Violation] {
            holds ? [] : [.init(reason: reason(), pointer: pointer)]
        }
        switch demand {
        case .never: return violation(unless: false, "nothing is allowed here")
        case .reference(let name):
            // References were resolved when the schema was read.
            return definitions[name].map { check(value, against: $0, at: pointer) } ?? []
        case .types(let types):
            let names = types.map(\.rawValue).joined(separator: " or ")
            return violation(unless: types.contains { $0.holds(value) }, "is \(value.kind), not \(names)")
        case .oneOfValues(let values):
            return violation(unless: values.contains(value), "\(value.kind) is none of the values allowed")
        case .constant(let constant): return violation(unless: value == constant, "is not the constant")
        case .pattern(let pattern):
            guard let string = value.string else { return [] }
            return violation(unless: pattern.matches(string), "\"\(string)\" does not match \(pattern.text)")
        case .maximumLength(let length):
            guard let string = value.string else { return [] }
            return violation(unless: string.unicodeScalars.count <= length, "is longer than \(length)")
        case .minimumItems(let count):
            guard let elements = value.elements else { return [] }
            return violation(unless: elements.count >= count, "has fewer than \(count) items")
        case .maximumProperties(let count):
            guard let members = value.members else { return [] }
            return violation(unless: members.count <= count, "has more than \(count) members")
        case .required(let names):
            guard let members = value.members else { return [] }
            return names.filter { members[$0] == nil }.map {
                .init(reason: "\"\($0)\" is missing", pointer: pointer)
            }
        case .members(let members): return check(value, members, at: pointer)
        case .items(let node):
            return (value.elements ?? []).enumerated().flatMap {
                check($0.element, against: node, at: "\(pointer)/\($0.offset)")
            }
        case .anyOf(let nodes):
            return violation(unless: matching(value, nodes, at: pointer) > 0, "matches no schema of anyOf")
        case .oneOf(let nodes):
            let count = matching(value, nodes, at: pointer)
            return violation(unless: count == 1, "matches \(count) schemas of oneOf")
        }
    }

    private func check(
        _ value: JSONValue, _ members: SchemaNode.Members, at pointer: String
    ) -> [JSONSchema.Violation] {
        (value.members ?? [:]).sorted { $0.key < $1.key }.flatMap { name, value -> [JSONSchema.Violation] in
            let pointer = pointer + "/" + Self.escaped(name)
            let patterns = members.patterns.filter { $0.pattern.matches(name) }.map(\.node)
            let nodes = (members.named[name].map { [$0] } ?? []) + patterns
            guard nodes.isEmpty else { return nodes.flatMap { check(value, against: $0, at: pointer) } }
            return members.others.map { check(value, against: $0, at: pointer) } ?? []
        }
    }

    private func matching(_ value: JSONValue, _ nodes: [SchemaNode], at pointer: String) -> Int {
        nodes.filter { check(value, against: $0, at: pointer).isEmpty }.count
    }

    private static func escaped(_ name: String) -> String {
        name.replacing("~", with: "~0").replacing("/", with: "~1")
    }
}

extension JSONValue {
    fileprivate var kind: String {
        switch self {
        case .null: "null"
        case .bool: "a boolean"
        case .number(let number): "the number \(number)"
        case .string(let string): "\"\(string)\""
        case .array: "an array"
        case .object: "an object"
        }
    }
}
