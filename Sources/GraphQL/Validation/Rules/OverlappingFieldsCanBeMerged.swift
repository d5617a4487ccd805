extension ValidationRule {
    /// Fields with the same response key can be merged (specification, 5.3.2).
    ///
    /// The rule has two steps. `OverlapChecker` merges all selections like an executor and only detects
    /// whether a conflict exists; its time is proportional to the document. If it detects one,
    /// `OverlapConflictFinder` compares pairwise to find the conflicts that the reference implementation
    /// reports, in its order.
    static let overlappingFieldsCanBeMerged = ValidationRule(name: "Field Selection Merging") { document in
        var merging = OverlapChecker(document)
        switch merging.run() {
        case .mergeable: return []
        case .tooComplex(let span):
            return [
                ValidationFinding(.entering(span), at: [span]) {
                    "Too many combinations of fragments have to be compared to tell whether the fields selected here "
                        + "can be merged. Spread fewer fragments under fields with the same response key."
                }
            ]
        case .conflict(let conflict, let span):
            var search = OverlapConflictFinder(document)
            let findings = search.run()
            return findings.isEmpty ? [conflict.finding(.entering(span), in: document)] : findings
        }
    }
}

/// Two sets of fields that cannot be merged into one response key, with the reason.
struct FieldConflict {
    /// The response key.
    let key: Name
    let reason: String
    /// The fields on each side, as indices of `document.selections`: first those with the key, then those in
    /// their selections that cause the conflict.
    let fields: [Int]
    let otherFields: [Int]

    func finding(_ position: TraversalPosition, in document: TypedDocument) -> ValidationFinding {
        let spans = (fields + otherFields).map { index in
            switch document.document.selections[index] {
            case .field(let field): field.span
            case .fragmentSpread(let spread): spread.span
            case .inlineFragment(let fragment): fragment.span
            }
        }
        return ValidationFinding(position, at: spans) {
            "Fields \(document.quoted(key)) conflict because \(reason). Use different aliases on the fields to fetch "
                + "both if this was intentional."
        }
    }
}
