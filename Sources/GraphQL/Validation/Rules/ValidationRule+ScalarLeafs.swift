extension ValidationRule {
    /// Selections go down to scalars and enums, and no further (specification, 5.3.3).
    static let scalarLeafs = ValidationRule(name: "Leaf Field Selections") { document in
        var findings: [ValidationFinding] = []
        document.forEachField { index, field in
            guard let type = document.selections[index].type else { return }
            let isLeaf = document.kind(of: type).isLeaf
            guard isLeaf == (field.selectionSet != nil) else { return }
            let place = isLeaf ? field.selectionSet?.span ?? field.span : field.span
            findings.append(
                ValidationFinding(.entering(field.span), at: [place]) {
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
