extension TypeSystemRules {
    /// An enum type has values, with names of their own (specification, section 3.9).
    func enumValues(of type: NamedType, _ definition: EnumType) -> [SchemaValidationError] {
        if definition.values.isEmpty {
            return [
                SchemaValidationError(
                    "Enum type \(type.name) must define one or more values.", at: nodes(of: type).map(\.span))
            ]
        }
        return definition.values.flatMap { reservedName($0.name, at: $0.node) }
    }
}
