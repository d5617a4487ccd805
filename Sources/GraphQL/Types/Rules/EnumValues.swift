extension TypeSystemRules {
    /// An enum type has values, with names of their own (specification, section 3.9).
    func enumValues(of type: NamedType, _ definition: EnumType) -> [SchemaFault] {
        if definition.values.isEmpty {
            return [
                SchemaFault(
                    "Enum type \(type.name) must define one or more values.", at: nodes(of: type).map(\.span))
            ]
        }
        return definition.values.flatMap { reservedName($0.name, at: $0.node) }
    }
}
