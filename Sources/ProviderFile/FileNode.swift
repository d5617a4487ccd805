import Yams

/// A value of a YAML or JSON text with its place.
struct FileNode: Sendable {
    let line: Int
    let column: Int
    /// The path of the field, such as `providers[0].name`.
    let field: String
    let content: Content

    enum Content: Sendable {
        case null
        case boolean(Bool)
        /// The digits, as they are written.
        case number(String)
        case text(String)
        case list([FileNode])
        case object([Member])
    }

    struct Member: Sendable {
        let key: String
        let keyLine: Int
        let keyColumn: Int
        let value: FileNode
    }

    /// The value of a key of an object; nil if it is missing, null, or no object.
    subscript(key: String) -> FileNode? {
        guard case .object(let members) = content,
            let member = members.first(where: { $0.key == key }), !member.value.isNull
        else { return nil }
        return member.value
    }

    var isNull: Bool {
        if case .null = content { return true }
        return false
    }

    /// The text of a scalar: of a number its digits, of a boolean `true` or `false`; nil for other values.
    var scalarText: String? {
        switch content {
        case .text(let text), .number(let text): text
        case .boolean(let flag): String(flag)
        case .null, .list, .object: nil
        }
    }

    var text: String? {
        if case .text(let text) = content { return text }
        return nil
    }

    var integer: Int? {
        if case .number(let digits) = content { return Int(digits) }
        return nil
    }

    var flag: Bool? {
        if case .boolean(let flag) = content { return flag }
        return nil
    }

    var elements: [FileNode] {
        if case .list(let elements) = content { return elements }
        return []
    }

    var members: [Member] {
        if case .object(let members) = content { return members }
        return []
    }

    /// The name of its type in JSON Schema.
    var typeName: String {
        switch content {
        case .null: "null"
        case .boolean: "boolean"
        case .number(let digits): Int(digits) == nil ? "number" : "integer"
        case .text: "string"
        case .list: "array"
        case .object: "object"
        }
    }
}

extension FileNode {
    /// The largest file in bytes.
    package static let maximumBytes = 1 << 20
    /// The largest number of values; a value counts for each alias of it.
    private static let maximumValues = 50_000
    private static let maximumDepth = 32

    /// Reads a text.
    ///
    /// - Throws: `FileProblems` for a text that is not YAML, or exceeds a limit.
    init(_ text: String, file: String) throws(FileProblems) {
        func fail(_ message: String, _ mark: Mark? = nil) -> FileProblems {
            FileProblems([
                FileProblem(
                    file: file, line: mark?.line ?? 1, column: mark?.column ?? 1, field: "", message: message)
            ])
        }
        guard text.utf8.count <= Self.maximumBytes else {
            throw fail("The file has more than \(Self.maximumBytes) bytes. Split it.")
        }
        let root: Node?
        do {
            // JSON is also YAML.
            root = try Yams.compose(yaml: text)
        } catch let error as YamlError {
            switch error {
            case .scanner(_, let problem, let mark, _), .parser(_, let problem, let mark, _),
                .composer(_, let problem, let mark, _):
                throw fail("The text is neither YAML nor JSON: \(problem).", mark)
            case .duplicatedKeysInMapping(let duplicates, let context):
                throw fail(
                    "The object has a key twice: \(duplicates.joined(separator: ", ")). Remove one of them.",
                    context.mark)
            case .no, .memory, .reader, .writer, .emitter, .representer, .dataCouldNotBeDecoded:
                throw fail("The text is neither YAML nor JSON. Save it in UTF-8.")
            }
        } catch {
            throw fail("The text is neither YAML nor JSON.")
        }
        guard let root else { throw fail("The file is empty. It needs \"version\" and \"providers\".") }
        var count = 0
        do {
            self = try FileNode(root, field: "", depth: 0, count: &count)
        } catch {
            throw fail(error.message, error.mark)
        }
    }

    private struct LimitError: Error {
        let message: String
        let mark: Mark?
    }

    private init(_ node: Node, field: String, depth: Int, count: inout Int) throws(LimitError) {
        count += 1
        guard count <= Self.maximumValues else {
            throw LimitError(
                message: "The file has more than \(Self.maximumValues) values, those of aliases included.",
                mark: node.mark)
        }
        guard depth <= Self.maximumDepth else {
            throw LimitError(message: "Values are nested deeper than \(Self.maximumDepth).", mark: node.mark)
        }
        line = node.mark?.line ?? 1
        column = node.mark?.column ?? 1
        self.field = field
        switch node {
        case .scalar(let scalar): content = Self.content(scalar, node)
        case .sequence(let sequence):
            var elements: [FileNode] = []
            for (index, element) in sequence.enumerated() {
                elements.append(
                    try FileNode(element, field: "\(field)[\(index)]", depth: depth + 1, count: &count))
            }
            content = .list(elements)
        case .mapping(let mapping):
            var members: [Member] = []
            for (key, value) in mapping {
                guard let name = key.scalar?.string else {
                    throw LimitError(message: "A key must be a text.", mark: key.mark)
                }
                let path = field.isEmpty ? name : "\(field).\(name)"
                members.append(
                    Member(
                        key: name, keyLine: key.mark?.line ?? 1, keyColumn: key.mark?.column ?? 1,
                        value: try FileNode(value, field: path, depth: depth + 1, count: &count)))
            }
            content = .object(members)
        case .alias:
            throw LimitError(message: "An alias has no anchor before it.", mark: node.mark)
        }
    }

    private static func content(_ scalar: Node.Scalar, _ node: Node) -> Content {
        let text = scalar.string
        guard scalar.style == .plain || scalar.style == .any else { return .text(text) }
        switch Resolver.default.resolveTag(of: node) {
        case .null: return .null
        case .bool: return .boolean(node.bool ?? false)
        case .int, .float: return .number(text)
        default: return .text(text)
        }
    }
}
