extension ValidationRule {
    /// Every referenced type exists (specification, 5.5.1.2 and 5.8.2).
    static let knownTypeNames = ValidationRule(name: "Type Existence") { document in
        var unknown: [(name: Name, isTypeSystem: Bool)] = []
        for index in document.variableTypes.indices where document.variableTypes[index] == nil {
            unknown.append((document.document.variableDefinitions[index].type.name, false))
        }
        for fragment in document.fragments where fragment.type == nil {
            unknown.append((fragment.definition.typeCondition, false))
        }
        for index in document.selections.indices {
            guard case .inlineFragment(let fragment) = document.document.selections[index],
                let condition = fragment.typeCondition, document.selections[index].type == nil
            else { continue }
            unknown.append((condition, false))
        }
        unknown += unknownTypesOfTypeSystem(in: document)
        guard !unknown.isEmpty else { return [] }
        return findings(unknown, in: document)
    }

    private static func findings(
        _ unknown: [(name: Name, isTypeSystem: Bool)], in document: TypedDocument
    ) -> [ValidationFinding] {
        let schemaNames = document.schema.types.map(\.name)
        let defined = document.document.definitions.compactMap { definition -> String? in
            guard case .type(let type) = definition, !type.isExtension else { return nil }
            return document.text(type.name)
        }
        let definedNames = Set(defined)
        return unknown.compactMap { name, isTypeSystem in
            guard !definedNames.contains(document.text(name)) else { return nil }
            return ValidationFinding(.entering(name.span), at: [name.span]) {
                var options = schemaNames + defined
                if isTypeSystem { options += BuiltInScalar.allCases.map(\.rawValue) }
                let suggestion =
                    document.options.suggests
                    ? Suggestions.didYouMean(document.text(name), among: options) : ""
                return "Unknown type \(document.quoted(name))." + suggestion
            }
        }
    }

    /// Returns the unknown types in type system definitions.
    ///
    /// A valid executable document has no such definitions; if it does, their errors are reported, too.
    private static func unknownTypesOfTypeSystem(in document: TypedDocument) -> [(
        name: Name, isTypeSystem: Bool
    )] {
        let syntax = document.document
        var names = syntax.fieldDefinitions.map(\.type.name) + syntax.inputValueDefinitions.map(\.type.name)
        names += syntax.operationTypeDefinitions.map(\.type)
        for case .type(let type) in syntax.definitions {
            switch type.body {
            case .scalar, .enum, .inputObject: break
            case .object(let interfaces, _), .interface(let interfaces, _):
                names += syntax.nameLists[interfaces.indices]
            case .union(let members): names += syntax.nameLists[members.indices]
            }
        }
        return names.filter { name in
            let text = document.text(name)
            return document.schema.typeID(named: text) == nil && BuiltInScalar(rawValue: text) == nil
        }.map { ($0, true) }
    }
}
