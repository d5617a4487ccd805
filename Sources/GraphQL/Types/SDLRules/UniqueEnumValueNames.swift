extension SDLRule {
    /// No two values of an enum type and its extensions have the same name (specification, section 3.9).
    static let uniqueEnumValueNames = SDLRule(name: "Unique Enum Value Names") { document in
        var seen: [UInt32: DuplicateNameFinder] = [:]
        var findings: [ValidationFinding] = []
        for type in document.typeNodes {
            for index in type.body.enumValues.indices {
                let name = document.document.enumValueDefinitions[index].name
                guard
                    let earlier = seen[type.name.id, default: DuplicateNameFinder()].firstOccurrence(of: name)
                else {
                    continue
                }
                findings.append(
                    ValidationFinding(.entering(type.span), at: [earlier.span, name.span]) {
                        "Enum value \"\(document.text(type.name)).\(document.text(name))\" can only be defined once."
                    })
            }
        }
        return findings
    }
}
