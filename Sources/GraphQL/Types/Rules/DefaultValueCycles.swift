/// No default of an input field holds itself, through the defaults of fields that it leaves out (specification,
/// section 3.10, InputObjectDefaultValueHasCycle).
///
/// Nor do defaults reach into one another too deep: what walks through values calls itself once a level.
struct DefaultValueCycles {
    private let rules: TypeSystemRules
    /// How many levels the defaults seen so far have, with those that they take in.
    private var heights: [FieldKey: Int] = [:]
    /// The fields whose defaults the walk is in.
    private var path: [(place: String, literal: Value)] = []
    /// How long the path was behind each of them.
    private var depths: [FieldKey: Int] = [:]
    /// How many lists and objects the walk is in.
    private var level = 0
    private var found: [SchemaFault] = []

    private struct FieldKey: Hashable {
        let type: TypeID
        let position: Int
    }

    init(rules: TypeSystemRules) {
        self.rules = rules
    }

    /// The cycles that begin in the fields of a type, without those that an earlier call reported.
    mutating func faults(of type: TypeID) -> [SchemaFault] {
        found = []
        _ = walkFields(of: type, given: [:])
        return found
    }

    /// Walks through a literal for an input object type or lists of it. Returns how many levels it has.
    private mutating func walk(_ literal: Value, as type: TypeID) -> Int {
        level += 1
        defer { level -= 1 }
        switch literal {
        case .list(let items, _):
            var height = 0
            for index in items.indices { height = max(height, walk(rules.document.values[index], as: type)) }
            return height + 1
        case .object(let run, _):
            let fields = rules.document.objectFields[run.indices]
            let given = Dictionary(
                fields.map { (rules.document.text($0.name), $0.value) }, uniquingKeysWith: { _, last in last })
            return walkFields(of: type, given: given) + 1
        case .variable, .int, .float, .string, .boolean, .null, .enum:
            return 0
        }
    }

    private mutating func walkFields(of type: TypeID, given: [String: Value]) -> Int {
        guard case .inputObject(let object) = rules.schema[type].kind else { return 0 }
        var height = 0
        for (position, field) in object.fields.enumerated() {
            guard case .inputObject = rules.schema[field.type.type].kind else { continue }
            if let literal = given[field.name] {
                height = max(height, walk(literal, as: field.type.type))
            } else {
                height = max(height, walkDefault(of: field, FieldKey(type: type, position: position)))
            }
        }
        return height
    }

    private mutating func walkDefault(of field: SchemaInputValue, _ key: FieldKey) -> Int {
        if let depth = depths[key] {
            reportCycle(key, depth)
            return 0
        }
        if let height = heights[key] { return height }
        guard field.defaultValue != nil, let literal = rules.node(of: field)?.defaultValue else { return 0 }
        if level > maximumInputDepth { return tooDeep(key, literal) }
        path.append((place(key), literal))
        depths[key] = path.count
        // What is reported once is not looked at again.
        heights[key] = 0
        let height = walk(literal, as: field.type.type)
        path.removeLast()
        depths[key] = nil
        heights[key] = height > maximumInputDepth ? tooDeep(key, literal) : height
        return heights[key] ?? 0
    }

    /// The field's schema coordinate.
    private func place(_ key: FieldKey) -> String {
        let type = rules.schema[key.type]
        guard case .inputObject(let object) = type.kind else { return type.name }
        return "\(type.name).\(object.fields[key.position].name)"
    }

    private mutating func reportCycle(_ key: FieldKey, _ depth: Int) {
        let others = path[depth...].map(\.place)
        let via = others.isEmpty ? "" : " via the default values of: " + others.joined(separator: ", ")
        let message = """
            Invalid circular reference. The default value of Input Object field \(place(key)) references itself\(via).
            """
        found.append(SchemaFault(message, at: path[(depth - 1)...].map(\.literal.span)))
    }

    /// Takes the default for flat, having reported it.
    private mutating func tooDeep(_ key: FieldKey, _ literal: Value) -> Int {
        let message = """
            The default value of Input Object field \(place(key)) is nested more than \(maximumInputDepth) levels deep, \
            defaults of fields that it leaves out included.
            """
        found.append(SchemaFault(message, at: [literal.span]))
        return 0
    }
}
