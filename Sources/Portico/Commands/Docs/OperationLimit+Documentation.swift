import GraphQL

extension OperationLimit {
    /// What of an operation it bounds.
    var subject: String {
        switch self {
        case .tokens: "Tokens of the document."
        case .depth: "Levels of fields."
        case .introspectionDepth: "Levels of fields below `__schema` and `__type`."
        case .aliases: "Fields with an alias."
        case .rootFields: "Fields of the root."
        case .selections: "Fields of any one selection set."
        case .fields: "Fields altogether, fragments written out."
        case .directives: "Directives at one place."
        case .fieldCost: "The cost of fields (`@cost`); lists count as often as they may have items."
        case .typeCost: "The cost of the objects that come back, likewise."
        case .responseBytes: "Bytes of the response, `errors` included."
        }
    }

    /// How much of it there may be.
    func maximum(in limits: OperationLimits) -> Int {
        switch self {
        case .tokens: limits.tokens
        case .depth: limits.depth
        case .introspectionDepth: limits.introspectionDepth
        case .aliases: limits.aliases
        case .rootFields: limits.rootFields
        case .selections: limits.selections
        case .fields: limits.fields
        case .directives: limits.directives
        case .fieldCost, .typeCost: limits.cost
        case .responseBytes: limits.responseBytes
        }
    }
}
