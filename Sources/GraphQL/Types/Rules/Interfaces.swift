extension TypeSystemRules {
    /// A type implements interfaces only, each once, none of them itself, and all that they implement in turn
    /// (specification, sections 3.6 and 3.7, IsValidImplementation).
    func interfaces(of type: NamedType) -> [SchemaValidationError] {
        var faults: [SchemaValidationError] = []
        let all = Set(type.interfaces)
        var implemented: Set<TypeID> = []
        for id in type.interfaces {
            let interface = schema[id]
            guard case .interface = interface.kind else {
                faults.append(
                    SchemaValidationError(
                        """
                        Type \(type.name) must only implement Interface types, it cannot implement \(interface.name).
                        """, at: implementsSpans(type, interface)))
                continue
            }
            if id == type.id {
                faults.append(
                    SchemaValidationError(
                        """
                        Type \(type.name) cannot implement itself because it would create a circular reference.
                        """, at: implementsSpans(type, interface)))
            }
            guard implemented.insert(id).inserted else {
                faults.append(
                    SchemaValidationError(
                        "Type \(type.name) can only implement \(interface.name) once.",
                        at: implementsSpans(type, interface)))
                continue
            }
            faults += inherited(from: interface, by: type, implementing: all)
            faults += implementation(of: interface, by: type)
        }
        return faults
    }

    /// What an interface implements in turn, the type implements too.
    private func inherited(
        from interface: NamedType, by type: NamedType, implementing all: Set<TypeID>
    ) -> [SchemaValidationError] {
        let missing = interface.interfaces.filter { !all.contains($0) }
        return missing.map { id in
            let inherited = schema[id]
            let message =
                id == type.id
                ? "Type \(type.name) cannot implement \(interface.name) because it would create a circular reference."
                : """
                Type \(type.name) must implement \(inherited.name) because it is implemented by \(interface.name).
                """
            return SchemaValidationError(
                message, at: implementsSpans(interface, inherited) + implementsSpans(type, interface))
        }
    }
}
