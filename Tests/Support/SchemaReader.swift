import Foundation

/// Reads schemas, and collects definitions and references.
struct SchemaReader {
    private(set) var definitions: [String: SchemaNode] = [:]
    private(set) var references: [(name: String, pointer: String)] = []

    mutating func node(_ document: JSONValue, at pointer: String) throws -> SchemaNode {
        switch document {
        case .bool(let isAllowed): return SchemaNode(demands: isAllowed ? [] : [.never])
        case .object(let keywords):
            var node = SchemaNode()
            var members = SchemaNode.Members()
            for (keyword, value) in keywords.sorted(by: { $0.key < $1.key }) {
                let pointer = pointer + "/" + keyword
                if try readMembers(keyword, value, into: &members, at: pointer) { continue }
                if let demand = try demand(keyword, value, at: pointer) { node.demands.append(demand) }
            }
            if !members.named.isEmpty || !members.patterns.isEmpty || members.others != nil {
                node.demands.append(.members(members))
            }
            return node
        default:
            throw JSONSchema.Malformed(reason: "a schema must be an object or a boolean", pointer: pointer)
        }
    }

    /// Returns nil for keywords without requirements.
    private mutating func demand(
        _ keyword: String, _ value: JSONValue, at pointer: String
    ) throws -> SchemaNode.Demand? {
        switch keyword {
        case "$schema", "$id", "title", "description": return nil
        case "$defs":
            for (name, schema) in try members(value, at: pointer) {
                definitions[name] = try node(schema, at: pointer + "/" + name)
            }
            return nil
        case "$ref":
            let text = try string(value, at: pointer)
            guard text.hasPrefix("#/$defs/") else {
                throw JSONSchema.Malformed(
                    reason: "only references into #/$defs/ are understood", pointer: pointer)
            }
            let name = String(text.dropFirst("#/$defs/".count))
            references.append((name, pointer))
            return .reference(name)
        case "type": return .types(try types(value, at: pointer))
        case "enum": return .oneOfValues(try array(value, at: pointer))
        case "const": return .constant(value)
        case "pattern": return .pattern(try pattern(try string(value, at: pointer), at: pointer))
        case "maxLength": return .maximumLength(try count(value, at: pointer))
        case "minItems": return .minimumItems(try count(value, at: pointer))
        case "maxProperties": return .maximumProperties(try count(value, at: pointer))
        case "required": return .required(try array(value, at: pointer).map { try string($0, at: pointer) })
        case "items": return .items(try node(value, at: pointer))
        case "anyOf": return .anyOf(try nodes(value, at: pointer))
        case "oneOf": return .oneOf(try nodes(value, at: pointer))
        default: throw JSONSchema.Malformed(reason: "unknown keyword \"\(keyword)\"", pointer: pointer)
        }
    }

    private mutating func readMembers(
        _ keyword: String, _ value: JSONValue, into result: inout SchemaNode.Members, at pointer: String
    ) throws -> Bool {
        switch keyword {
        case "properties":
            for (name, schema) in try members(value, at: pointer) {
                result.named[name] = try node(schema, at: pointer + "/" + name)
            }
        case "patternProperties":
            for (text, schema) in try members(value, at: pointer).sorted(by: { $0.key < $1.key }) {
                let node = try node(schema, at: pointer + "/" + text)
                result.patterns.append((try pattern(text, at: pointer), node))
            }
        case "additionalProperties": result.others = try node(value, at: pointer)
        default: return false
        }
        return true
    }

    private mutating func nodes(_ value: JSONValue, at pointer: String) throws -> [SchemaNode] {
        try array(value, at: pointer).enumerated().map { try node($0.element, at: "\(pointer)/\($0.offset)") }
    }

    private func types(_ value: JSONValue, at pointer: String) throws -> [JSONType] {
        let names = value.elements ?? [value]
        return try names.map { name in
            guard let type = JSONType(rawValue: try string(name, at: pointer)) else {
                throw JSONSchema.Malformed(reason: "unknown type \(name)", pointer: pointer)
            }
            return type
        }
    }

    private func pattern(_ text: String, at pointer: String) throws -> Pattern {
        do {
            return try Pattern(text)
        } catch {
            throw JSONSchema.Malformed(reason: "no regular expression: \(text)", pointer: pointer)
        }
    }

    private func string(_ value: JSONValue, at pointer: String) throws -> String {
        guard let string = value.string else {
            throw JSONSchema.Malformed(reason: "not a string", pointer: pointer)
        }
        return string
    }

    private func array(_ value: JSONValue, at pointer: String) throws -> [JSONValue] {
        guard let array = value.elements else {
            throw JSONSchema.Malformed(reason: "not an array", pointer: pointer)
        }
        return array
    }

    private func members(_ value: JSONValue, at pointer: String) throws -> [String: JSONValue] {
        guard let members = value.members else {
            throw JSONSchema.Malformed(reason: "not an object", pointer: pointer)
        }
        return members
    }

    private func count(_ value: JSONValue, at pointer: String) throws -> Int {
        guard let number = value.number, number.isWhole, number >= 0 else {
            throw JSONSchema.Malformed(reason: "not a count", pointer: pointer)
        }
        return NSDecimalNumber(decimal: number).intValue
    }
}

extension Decimal {
    var isWhole: Bool {
        var whole = Decimal()
        var number = self
        unsafe NSDecimalRound(&whole, &number, 0, .plain)
        return whole == self
    }
}
