extension SDLRule {
    /// No two fields of a type and its extensions have the same name (specification, sections 3.6, 3.7 and 3.10).
    static let uniqueFieldDefinitionNames = SDLRule(name: "Unique Field Definition Names") { document in
        var seen: [UInt32: DuplicateNameFinder] = [:]
        var findings: [ValidationFinding] = []
        for type in document.typeNodes {
            let names =
                document.document.fieldDefinitions[type.body.fields.indices].map(\.name)
                + document.document.inputValueDefinitions[type.body.inputFields.indices].map(\.name)
            for name in names {
                guard
                    let earlier = seen[type.name.id, default: DuplicateNameFinder()].firstOccurrence(of: name)
                else {
                    continue
                }
                findings.append(
                    ValidationFinding(.entering(type.span), at: [earlier.span, name.span]) {
                        "Field \"\(document.text(type.name)).\(document.text(name))\" can only be defined once."
                    })
            }
        }
        return findings
    }
}
