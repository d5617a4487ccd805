import GraphQL

/// Holds the fields that load to what the contract has to say of them: how long they may be kept, and what they cost.
enum LoadHints {
    /// Types whose leaves are loaded together, by one call that the field leading to them costs.
    private static let readTogether: Set = ["Account"]

    /// What is missing, by the field's coordinate.
    ///
    /// Mutations and subscriptions are never kept, and what they do is not told by a cost of their fields.
    static func missing(in schema: Schema, loading loaded: Set<String>) -> [String] {
        schema.types.flatMap { type -> [String] in
            guard type.id != schema.mutationType, type.id != schema.subscriptionType else { return [] }
            return type.fields.flatMap { field -> [String] in
                let coordinate = "\(type.name).\(field.name)"
                let isLeaf = schema[field.type.type].isLeaf
                guard loaded.contains(coordinate), !(isLeaf && readTogether.contains(type.name)) else {
                    return []
                }
                var missing: [String] = []
                if !hints(field, in: schema) { missing.append("\(coordinate) loads without @cacheControl") }
                // What returns objects costs 1 where nothing else is said; a leaf costs nothing.
                if isLeaf, field.appliedDirectives.first(named: "cost") == nil {
                    missing.append("\(coordinate) loads a leaf without @cost")
                }
                if field.type.wrapping.item != nil, field.appliedDirectives.first(named: "listSize") == nil {
                    missing.append("\(coordinate) loads a list without @listSize")
                }
                return missing
            }
        }
    }

    /// Whether it is told how long the field may be kept: by itself, or by its type.
    private static func hints(_ field: SchemaField, in schema: Schema) -> Bool {
        let type = schema[field.type.type]
        return ([field.appliedDirectives, type.appliedDirectives]).contains { applied in
            applied.first(named: "cacheControl") != nil
        }
    }
}
