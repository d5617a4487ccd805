extension TypeSystemRules {
    /// Checks that a union has members, all distinct object types (specification, section 3.8).
    func unionMembers(of type: NamedType, _ union: UnionType) -> [SchemaValidationError] {
        if union.members.isEmpty {
            return [
                SchemaValidationError(
                    "Union type \(type.name) must define one or more member types.",
                    at: nodes(of: type).map(\.span))
            ]
        }
        var faults: [SchemaValidationError] = []
        var included: Set<TypeID> = []
        for id in union.members {
            let member = schema[id]
            if case .object = member.kind {
                if included.insert(id).inserted { continue }
                faults.append(
                    SchemaValidationError(
                        "Union type \(type.name) can only include type \(member.name) once.",
                        at: memberSpans(type, member)))
            } else {
                faults.append(
                    SchemaValidationError(
                        "Union type \(type.name) can only include Object types, it cannot include \(member.name).",
                        at: memberSpans(type, member)))
            }
        }
        return faults
    }
}

extension TypeSystemRules {
    /// Checks that an enum type has values with distinct names (specification, section 3.9).
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
