/// The keywords of one subschema.
struct SchemaNode {
    var demands: [Demand] = []

    indirect enum Demand {
        /// The schema `false`.
        case never
        case reference(String)
        case types([JSONType])
        case oneOfValues([JSONValue])
        case constant(JSONValue)
        case pattern(Pattern)
        case maximumLength(Int)
        case minimumItems(Int)
        case maximumProperties(Int)
        case required([String])
        case members(Members)
        case items(SchemaNode)
        case anyOf([SchemaNode])
        case oneOf([SchemaNode])
    }

    /// `properties`, `patternProperties` and `additionalProperties` of one schema, which depend on each
    /// other.
    struct Members {
        var named: [String: SchemaNode] = [:]
        var patterns: [(pattern: Pattern, node: SchemaNode)] = []
        var others: SchemaNode?
    }
}

/// The values of the keyword `type`.
enum JSONType: String, Sendable {
    case null, boolean, object, array, number, integer, string

    func holds(_ value: JSONValue) -> Bool {
        switch (self, value) {
        case (.null, .null), (.boolean, .bool), (.object, .object), (.array, .array), (.number, .number),
            (.string, .string):
            true
        // 2020-12: a number without a fraction is an integer, for instance 1.0.
        case (.integer, .number(let number)): number.isWhole
        default: false
        }
    }
}
