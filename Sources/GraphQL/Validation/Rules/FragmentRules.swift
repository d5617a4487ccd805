extension ValidationRule {
    /// No two fragments have the same name (specification, 5.5.1.1).
    static let uniqueFragmentNames = ValidationRule(name: "Fragment Name Uniqueness") { document in
        guard document.fragments.count > 1 else { return [] }
        return document.repeated(document.fragments.map(\.definition), by: \.name).map { first, other in
            ValidationFinding(.entering(other.span), at: [first.name.span, other.name.span]) {
                "There can be only one fragment named \(document.quoted(other.name))."
            }
        }
    }
}

extension ValidationRule {
    /// Fragments have object, interface or union types (specification, 5.5.1.3).
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

extension ValidationRule {
    /// Every fragment is used by an operation, directly or through other fragments (specification, 5.5.1.4).
    static let noUnusedFragments = ValidationRule(name: "Fragments Must Be Used") { document in
        guard !document.fragments.isEmpty, !document.options.allowsUnusedFragments else { return [] }
        var traversal = FragmentTraversal(document)
        var usedNames: Set<UInt32> = []
        for operation in document.operations {
            traversal.forEachNewFragment(from: operation.definition.selectionSet) { fragment in
                usedNames.insert(document.fragments[fragment].definition.name.id)
            }
        }
        // Fragments of one name count as used together; another rule reports the duplicate.
        return document.fragments.compactMap { fragment in
            let definition = fragment.definition
            guard !usedNames.contains(definition.name.id) else { return nil }
            return ValidationFinding(.end, at: [definition.span]) {
                "Fragment \(document.quoted(definition.name)) is never used."
            }
        }
    }
}

extension ValidationRule {
    /// Every fragment spread refers to a defined fragment (specification, 5.5.2.1).
    static let knownFragmentNames = ValidationRule(name: "Fragment Spread Target Defined") { document in
        document.selections.indices.compactMap { index in
            guard case .fragmentSpread(let spread) = document.document.selections[index],
                document.selections[index].fragment == nil
            else { return nil }
            return ValidationFinding(.entering(spread.span), at: [spread.name.span]) {
                "Unknown fragment \(document.quoted(spread.name))."
            }
        }
    }
}
