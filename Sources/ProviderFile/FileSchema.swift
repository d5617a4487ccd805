import Foundation

/// The JSON Schema of provider files, limited to the keywords that it uses.
///
/// The reader checks a file with the very schema that is shipped, so that the two agree. Any other keyword is an error
/// when the schema is read.
struct FileSchema: Sendable {
    private indirect enum Rule: Sendable {
        case reference(String)
        case types([String])
        case constant(String)
        case options([String])
        case pattern(String)
        case length(minimum: Int)
        case maximumLength(Int)
        case minimum(Int)
        case maximum(Int)
        case minimumItems(Int)
        case maximumItems(Int)
        case minimumProperties(Int)
        case maximumProperties(Int)
        case items(Schema)
        case properties([(name: String, schema: Schema)])
        case others(Schema?)
        case names([String])
        case required([String])
        case oneOfRequired([[String]])
    }

    private struct Schema: Sendable {
        var rules: [Rule] = []
        var description: String?
    }

    private var definitions: [String: Schema] = [:]
    private var root = Schema()

    /// Reads a schema.
    ///
    /// - Throws: `FileProblems` for a keyword that it does not support.
    init(_ text: String) throws(FileProblems) {
        let node = try FileNode(text, file: "providers.schema.json")
        do {
            for definition in node["$defs"]?.members ?? [] {
                definitions[definition.key] = try Self.schema(definition.value)
            }
            root = try Self.schema(node)
        } catch {
            throw FileProblems([error])
        }
    }

    private static func schema(_ node: FileNode) throws(FileProblem) -> Schema {
        var result = Schema()
        for member in node.members {
            let value = member.value
            func count() -> Int { value.integer ?? 0 }
            func texts() -> [String] { value.elements.compactMap(\.scalarText) }
            switch member.key {
            case "$schema", "$id", "title", "$defs": break
            case "description": result.description = value.text
            case "$ref":
                result.rules.append(.reference(String((value.text ?? "").dropFirst("#/$defs/".count))))
            case "type": result.rules.append(.types(value.text.map { [$0] } ?? texts()))
            case "const": result.rules.append(.constant(value.scalarText ?? ""))
            case "enum": result.rules.append(.options(texts()))
            case "pattern": result.rules.append(.pattern(value.text ?? ""))
            case "minLength": result.rules.append(.length(minimum: count()))
            case "maxLength": result.rules.append(.maximumLength(count()))
            case "minimum": result.rules.append(.minimum(count()))
            case "maximum": result.rules.append(.maximum(count()))
            case "minItems": result.rules.append(.minimumItems(count()))
            case "maxItems": result.rules.append(.maximumItems(count()))
            case "minProperties": result.rules.append(.minimumProperties(count()))
            case "maxProperties": result.rules.append(.maximumProperties(count()))
            case "items": result.rules.append(.items(try schema(value)))
            case "properties":
                var properties: [(name: String, schema: Schema)] = []
                for property in value.members {
                    properties.append((property.key, try schema(property.value)))
                }
                result.rules.append(.properties(properties))
            case "additionalProperties":
                result.rules.append(.others(value.flag == false ? nil : try schema(value)))
            case "propertyNames":
                result.rules.append(.names(value["enum"]?.elements.compactMap(\.text) ?? []))
            case "required": result.rules.append(.required(texts()))
            case "oneOf":
                result.rules.append(
                    .oneOfRequired(
                        value.elements.map { $0["required"]?.elements.compactMap(\.text) ?? [] }))
            default:
                throw FileProblem(
                    file: "providers.schema.json", line: member.keyLine, column: member.keyColumn,
                    field: member.value.field, message: "The keyword is not supported.")
            }
        }
        return result
    }

    /// All errors of a file by the schema; empty if it is valid.
    func problems(_ node: FileNode, file: String) -> [FileProblem] {
        var check = Check(definitions: definitions, file: file)
        check.check(node, root)
        return check.problems
    }

    private struct Check {
        let definitions: [String: Schema]
        let file: String
        var problems: [FileProblem] = []

        mutating func check(_ node: FileNode, _ schema: Schema, described inherited: String? = nil) {
            let description = schema.description ?? inherited
            for rule in schema.rules { check(node, rule, schema, description) }
        }

        private mutating func check(
            _ node: FileNode, _ rule: Rule, _ schema: Schema, _ description: String?
        ) {
            switch rule {
            case .reference(let name):
                if let definition = definitions[name] { check(node, definition, described: description) }
            case .types(let types):
                guard !types.contains(node.typeName),
                    !(node.typeName == "integer" && types.contains("number"))
                else { return }
                let names = types.map(Self.name).joined(separator: " or ")
                fail(node, "It is \(Self.name(node.typeName)); it must be \(names).", description)
            case .constant(let value):
                if node.scalarText != value { fail(node, "It must be \(value).", description) }
            case .options(let options):
                guard let text = node.scalarText, !options.contains(text) else { return }
                fail(node, "\"\(text)\" is none of \(options.joined(separator: ", ")).", description)
            case .pattern(let pattern):
                guard let text = node.text, let regex = try? Regex(pattern) else { return }
                if text.firstMatch(of: regex) == nil {
                    fail(node, "\"\(text.prefix(60))\" has not the form \(pattern).", description)
                }
            case .length(let minimum):
                if let text = node.text, text.unicodeScalars.count < minimum {
                    fail(node, "It is empty.", description)
                }
            case .maximumLength(let maximum):
                if let text = node.text, text.unicodeScalars.count > maximum {
                    fail(node, "It is longer than \(maximum) characters.", description)
                }
            case .minimum(let minimum):
                if case .number(let digits) = node.content, let value = Double(digits),
                    value < Double(minimum)
                {
                    fail(node, "\(digits) is less than \(minimum).", description)
                }
            case .maximum(let maximum):
                if case .number(let digits) = node.content, let value = Double(digits),
                    value > Double(maximum)
                {
                    fail(node, "\(digits) is more than \(maximum).", description)
                }
            case .minimumItems(let minimum):
                if case .list(let items) = node.content, items.count < minimum {
                    fail(node, "It has fewer than \(minimum) elements.", description)
                }
            case .maximumItems(let maximum):
                if case .list(let items) = node.content, items.count > maximum {
                    fail(node, "It has more than \(maximum) elements.", description)
                }
            case .minimumProperties(let minimum):
                if case .object(let members) = node.content, members.count < minimum {
                    fail(node, "It has fewer than \(minimum) keys.", description)
                }
            case .maximumProperties(let maximum):
                if case .object(let members) = node.content, members.count > maximum {
                    fail(node, "It has more than \(maximum) keys.", description)
                }
            case .items(let items): for element in node.elements { check(element, items) }
            case .properties(let properties):
                for (name, property) in properties {
                    for member in node.members where member.key == name { check(member.value, property) }
                }
            case .others(let others): checkOthers(node, others, schema)
            case .names(let names):
                for member in node.members where !names.contains(member.key) {
                    fail(
                        member, "\"\(member.key)\" is none of \(names.joined(separator: ", ")).", description)
                }
            case .required(let names):
                guard case .object(let members) = node.content else { return }
                for name in names where !members.contains(where: { $0.key == name }) {
                    fail(node, "It needs \"\(name)\".", description)
                }
            case .oneOfRequired(let alternatives):
                guard case .object(let members) = node.content else { return }
                let found = alternatives.filter { names in
                    names.allSatisfy { name in members.contains { $0.key == name } }
                }
                if found.count != 1 {
                    let names = alternatives.map { $0.map { "\"\($0)\"" }.joined(separator: " and ") }
                    fail(node, "It needs just one of \(names.joined(separator: ", ")).", description)
                }
            }
        }

        private mutating func checkOthers(_ node: FileNode, _ others: Schema?, _ schema: Schema) {
            var known: [String] = []
            for case .properties(let properties) in schema.rules { known += properties.map(\.name) }
            for member in node.members where !known.contains(member.key) {
                if let others {
                    check(member.value, others)
                } else {
                    fail(
                        member,
                        "\"\(member.key)\" is not a key of it. The keys are: \(known.joined(separator: ", ")).",
                        nil)
                }
            }
        }

        private mutating func fail(_ node: FileNode, _ message: String, _ description: String?) {
            let remedy = description.map { " " + $0 } ?? ""
            problems.append(
                FileProblem(
                    file: file, line: node.line, column: node.column, field: node.field,
                    message: message + remedy))
        }

        private mutating func fail(_ member: FileNode.Member, _ message: String, _ description: String?) {
            let remedy = description.map { " " + $0 } ?? ""
            problems.append(
                FileProblem(
                    file: file, line: member.keyLine, column: member.keyColumn, field: member.value.field,
                    message: message + remedy))
        }

        private static func name(_ type: String) -> String {
            switch type {
            case "object": "an object"
            case "array": "a list"
            case "string": "a text"
            case "integer": "a whole number"
            case "number": "a number"
            case "boolean": "true or false"
            default: type
            }
        }
    }
}
