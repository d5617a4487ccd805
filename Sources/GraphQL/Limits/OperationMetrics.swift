/// The measurements of an operation, counted as described for `OperationLimits`: the high-water mark of each
/// limit.
///
/// Counts saturate at `Int.max`.
public struct OperationMetrics: Hashable, Sendable {
    /// Tokens in the whole document.
    public var tokens: Int
    /// Levels of fields, without introspection.
    public var depth: Int
    /// Levels of fields at and below `__schema` and `__type`; 0 if neither is selected.
    public var introspectionDepth: Int
    /// Fields with an alias.
    public var aliases: Int
    /// Root fields.
    public var rootFields: Int
    /// Fields of the largest selection set.
    public var selections: Int
    /// Fields in total.
    public var fields: Int
    /// The maximum number of directives at one location.
    public var directives: Int

    package init(
        tokens: Int, depth: Int, introspectionDepth: Int, aliases: Int, rootFields: Int, selections: Int,
        fields: Int,
        directives: Int
    ) {
        self.tokens = tokens
        self.depth = depth
        self.introspectionDepth = introspectionDepth
        self.aliases = aliases
        self.rootFields = rootFields
        self.selections = selections
        self.fields = fields
        self.directives = directives
    }
}

/// The maximum cost of an operation with the variables of a request (IBM GraphQL Cost Directives, 5.3.2).
public struct OperationCost: Hashable, Sendable {
    /// The weights of all fields that may be resolved, with their arguments and directives.
    public var field: Cost
    /// The weights of the types of all values that may be returned, including the root value.
    public var type: Cost

    /// The greater of both costs, to which the limit applies.
    public var total: Cost { max(field, type) }

    /// The value of a response's `extensions.cost`: `{"requested": 12, "fieldCost": 11, "typeCost": 12}`.
    public var inputValue: InputValue {
        .object(["requested": total.inputValue, "fieldCost": field.inputValue, "typeCost": type.inputValue])
    }
}
