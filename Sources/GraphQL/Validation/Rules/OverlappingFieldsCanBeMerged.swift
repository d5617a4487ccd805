extension ValidationRule {
    /// Fields with the same response key can be merged into one (specification, 5.3.2).
    ///
    /// Works in two steps. `OverlapChecker` merges all selections as an executor would and tells only whether there is
    /// a conflict at all; its time grows with the document. Where there is one, `OverlapConflictFinder` compares pair by pair
    /// to find the conflicts that the reference implementation reports, and in its order.
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

/// Two sets of fields that cannot be merged into one response key, and why.
struct FieldConflict {
    /// The response key.
    let key: Name
    let reason: String
    /// The fields on either side, by their index in `document.selections`: the ones with the key first, then those
    /// in their selections that are the cause.
    let fields: [Int]
    let otherFields: [Int]

    func finding(_ position: VisitPosition, in document: TypedDocument) -> ValidationFinding {
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
