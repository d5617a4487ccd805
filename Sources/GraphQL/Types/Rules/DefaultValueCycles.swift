/// Checks that no default of an input field contains itself through the defaults of omitted fields
/// (specification, section 3.10, InputObjectDefaultValueHasCycle).
///
/// Also limits the nesting depth of defaults, because functions that traverse values recurse once per level.
/// Also limits their total size, which would grow exponentially if defaults repeatedly contain one another
/// twice.
struct DefaultValueCycles {
    private let rules: TypeSystemRules
    /// The sizes of the defaults seen so far, including the defaults that they contain.
    private var extents: [FieldKey: Size] = [:]
    /// The fields whose defaults are being traversed.
    private var path: [(coordinate: String, literal: Value)] = []
    /// The length of the path after each of these fields.
    private var depths: [FieldKey: Int] = [:]
    /// The current nesting depth of lists and objects.
    private var level = 0
    private var found: [SchemaValidationError] = []

    private struct FieldKey: Hashable {
        let type: TypeID
        let position: Int
    }

    /// The size of a value.
    private struct Size {
        /// The nesting depth of lists and objects.
        var levels = 0
        /// The number of values.
        var values = 1

        /// Adds the size of a value that is part of this one.
        mutating func include(_ part: Size) {
            levels = max(levels, part.levels + 1)
            // Each part is bounded, so the sum cannot overflow.
            values += part.values
        }

        var isTooLarge: Bool { levels > maximumInputDepth || values > DefaultValueCycles.maximumValues }
    }

    /// The maximum number of values in a default, including the defaults that it contains.
    private static let maximumValues = 10_000

    init(rules: TypeSystemRules) {
        self.rules = rules
    }

    /// Returns the cycles that begin in the fields of a type, without those of earlier calls.
    mutating func faults(of type: TypeID) -> [SchemaValidationError] {
        found = []
        _ = traverseFields(of: type, given: [:])
        return found
    }

    /// Traverses a literal for an input object type or lists of it.
    private mutating func traverse(_ literal: Value, as type: TypeID) -> Size {
        level += 1
        defer { level -= 1 }
        switch literal {
        case .list(let items, _):
            var extent = Size()
            for index in items.indices { extent.include(traverse(rules.document.values[index], as: type)) }
            return extent
        case .object(let run, _):
            let fields = rules.document.objectFields[run.indices]
            return traverseFields(
                of: type,
                given: Dictionary(
                    fields.map { (rules.document.text($0.name), $0.value) },
                    uniquingKeysWith: { _, last in last }))
        case .variable, .int, .float, .string, .boolean, .null, .enum:
            return Size()
        }
    }

    private mutating func traverseFields(of type: TypeID, given: [String: Value]) -> Size {
        var extent = Size()
        guard case .inputObject(let object) = rules.schema[type].kind else { return extent }
        for (position, field) in object.fields.enumerated() {
            guard case .inputObject = rules.schema[field.type.type].kind else { continue }
            if let literal = given[field.name] {
                extent.include(traverse(literal, as: field.type.type))
            } else if field.defaultValue != nil {
                extent.include(traverseDefault(of: field, FieldKey(type: type, position: position)))
            }
        }
        return extent
    }

    private mutating func traverseDefault(of field: SchemaInputValue, _ key: FieldKey) -> Size {
        if let depth = depths[key] {
            reportCycle(key, depth)
            return Size()
        }
        if let extent = extents[key] { return extent }
        guard let literal = rules.node(of: field)?.defaultValue else { return Size() }
        // A reported default is not examined again and counts as small.
        extents[key] = Size()
        if level > maximumInputDepth {
            reportSize(key, literal)
            return Size()
        }
        path.append((coordinate(of: key), literal))
        depths[key] = path.count
        let extent = traverse(literal, as: field.type.type)
        path.removeLast()
        depths[key] = nil
        if extent.isTooLarge {
            reportSize(key, literal)
            return Size()
        }
        extents[key] = extent
        return extent
    }

    /// Returns the field's schema coordinate.
    private func coordinate(of key: FieldKey) -> String {
        let type = rules.schema[key.type]
        guard case .inputObject(let object) = type.kind else { return type.name }
        return "\(type.name).\(object.fields[key.position].name)"
    }

    private mutating func reportCycle(_ key: FieldKey, _ depth: Int) {
        let others = path[depth...].map(\.coordinate)
        let via = others.isEmpty ? "" : " via the default values of: " + others.joined(separator: ", ")
        let message = """
            Invalid circular reference. The default value of Input Object field \(coordinate(of: key)) references itself\(via).
            """
        found.append(SchemaValidationError(message, at: path[(depth - 1)...].map(\.literal.span)))
    }

    private mutating func reportSize(_ key: FieldKey, _ literal: Value) {
        let message = """
            The default value of Input Object field \(coordinate(of: key)) is too large: with the defaults of fields that it \
            leaves out it is more than \(maximumInputDepth) levels deep, or holds more than \
            \(DefaultValueCycles.maximumValues) values.
            """
        found.append(SchemaValidationError(message, at: [literal.span]))
    }
}
