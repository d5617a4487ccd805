extension ValidationRule {
    /// Fragments are on objects, interfaces and unions (specification, 5.5.1.3).
    static let fragmentsOnCompositeTypes = ValidationRule(
        name: "Fragments on Object, Interface or Union Types"
    ) {
        document in
        var findings: [ValidationFinding] = []
        for fragment in document.fragments {
            guard let type = fragment.type, !document.kind(of: type).isComposite else { continue }
            let (name, condition) = (fragment.definition.name, fragment.definition.typeCondition)
            findings.append(
                ValidationFinding(.entering(fragment.definition.span), at: [condition.span]) {
                    "Fragment \(document.quoted(name)) cannot condition on non composite type "
                        + "\(document.quoted(condition))."
                })
        }
        for index in document.selections.indices {
            guard case .inlineFragment(let fragment) = document.document.selections[index],
                let condition = fragment.typeCondition,
                let type = document.selections[index].type, !document.kind(of: type).isComposite
            else { continue }
            findings.append(
                ValidationFinding(.entering(fragment.span), at: [condition.span]) {
                    "Fragment cannot condition on non composite type \(document.quoted(condition))."
                })
        }
        return findings
    }
}
