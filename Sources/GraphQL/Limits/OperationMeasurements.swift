/// How much an operation asks for, counted as `OperationLimits` says: the high-water mark of each limit.
///
/// Counts that do not fit an integer stop at `Int.max`.
public struct OperationMeasurements: Hashable, Sendable {
    /// Tokens in the whole document.
    public var tokens: Int
    /// Levels of fields, introspection aside.
    public var depth: Int
    /// Levels of fields at and below `__schema` and `__type`; 0 where neither is selected.
    public var introspectionDepth: Int
    /// Fields with an alias.
    public var aliases: Int
    /// Fields of the root.
    public var rootFields: Int
    /// Fields of the widest selection set.
    public var selections: Int
    /// Fields altogether.
    public var fields: Int
    /// Directives at the place that has most of them.
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

/// What an operation may cost with the variables of a request (IBM GraphQL Cost Directives, 5.3.2).
public struct OperationCost: Hashable, Sendable {
    /// The weights of all fields that may be resolved, with their arguments and directives.
    public var field: Cost
    /// The weights of the types of all values that may come back, the root's included.
    public var type: Cost

    /// The greater one, for which the limit holds.
    public var total: Cost { max(field, type) }

    /// `{"requested": 12, "fieldCost": 11, "typeCost": 12}`, for `extensions.cost` of a response.
    public var inputValue: InputValue {
        .object(["requested": total.inputValue, "fieldCost": field.inputValue, "typeCost": type.inputValue])
    }
}
