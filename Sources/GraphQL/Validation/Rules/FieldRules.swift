extension ValidationRule {
    /// Every selected field exists on its parent type (specification, 5.3.1).
    static let fieldsOnCorrectType = ValidationRule(name: "Field Selections") { document in
        var findings: [ValidationFinding] = []
        document.forEachField { index, field in
            let typed = document.selections[index]
            guard case .unknown = typed.field, let parent = typed.parentType else { return }
            findings.append(
                ValidationFinding(.entering(field.span), at: [field.span]) {
                    "Cannot query field \(document.quoted(field.name)) on type \(document.quoted(parent))."
                        + suggestion(for: document.text(field.name), on: parent, in: document)
                })
        }
        return findings
    }

    /// Suggests types that have the field if the parent is abstract, otherwise fields with a similar name.
    private static func suggestion(for field: String, on parent: TypeID, in document: TypedDocument) -> String
    {
        guard document.options.suggests else { return "" }
        let schema = document.schema
        let types = typesWithField(field, below: parent, in: schema)
        if !types.isEmpty {
            return Suggestions.didYouMean(types.map { schema[$0].name }, "to use an inline fragment on")
        }
        return Suggestions.didYouMean(field, among: schema[parent].fields.map(\.name), schema.synonyms)
    }

    /// Returns the possible object types of `parent` that have the field, and their interfaces that have it.
    ///
    /// The most widely implemented come first, and an interface comes before its implementations.
    private static func typesWithField(_ field: String, below parent: TypeID, in schema: Schema) -> [TypeID] {
        guard schema[parent].isAbstract else { return [] }
        var types: [TypeID] = []
        var uses: [TypeID: Int] = [:]
        for object in schema.possibleTypes(of: parent) where schema[object].field(named: field) != nil {
            types.append(object)
            uses[object] = 1
            for interface in schema[object].interfaces where schema[interface].field(named: field) != nil {
                if uses[interface] == nil { types.append(interface) }
                uses[interface, default: 0] += 1
            }
        }
        return types.sorted { one, other in
            let (onesUses, othersUses) = (uses[one, default: 0], uses[other, default: 0])
            if onesUses != othersUses { return onesUses > othersUses }
            if schema.isSubtype(other, of: one) { return true }
            if schema.isSubtype(one, of: other) { return false }
            return NaturalOrder.precedes(schema[one].name, schema[other].name)
        }
    }
}

extension ValidationRule {
    /// Fields of composite types have selections; scalars and enums have none (specification, 5.3.3).
    static let scalarLeafs = ValidationRule(name: "Leaf Field Selections") { document in
        var findings: [ValidationFinding] = []
        document.forEachField { index, field in
            guard let type = document.selections[index].type else { return }
            let isLeaf = document.kind(of: type).isLeaf
            guard isLeaf == (field.selectionSet != nil) else { return }
            let span = isLeaf ? field.selectionSet?.span ?? field.span : field.span
            findings.append(
                ValidationFinding(.entering(field.span), at: [span]) {
                    let name = document.text(field.name)
                    let type = document.fieldDefinition(at: index).map { document.quoted($0.type) } ?? ""
                    return isLeaf
                        ? "Field \"\(name)\" must not have a selection since type \(type) has no subfields."
                        : "Field \"\(name)\" of type \(type) must have a selection of subfields."
                            + (document.options.suggests ? " Did you mean \"\(name) { ... }\"?" : "")
                })
        }
        return findings
    }
}
