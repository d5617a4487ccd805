extension ValidationRule {
    /// The type of a fragment overlaps with the parent type of its spread (specification, 5.5.2.3).
    static let possibleFragmentSpreads = ValidationRule(name: "Fragment Spread Is Possible") { document in
        var overlaps = TypeOverlaps(schema: document.schema)
        return document.selections.indices.compactMap { index in
            let typed = document.selections[index]
            guard let parent = typed.parentType, let type = typed.type, type != parent,
                let (name, span) = fragment(document.document.selections[index]),
                document.kind(of: type).isComposite, !overlaps.overlap(type, parent)
            else { return nil }
            return ValidationFinding(.entering(span), at: [span]) {
                "Fragment \(name.map { document.quoted($0) + " " } ?? "")cannot be spread here as objects of type "
                    + "\(document.quoted(parent)) can never be of type \(document.quoted(type))."
            }
        }
    }

    private static func fragment(_ selection: Selection) -> (name: Name?, span: SourceSpan)? {
        switch selection {
        case .field: nil
        case .fragmentSpread(let spread): (spread.name, spread.span)
        case .inlineFragment(let fragment): (nil, fragment.span)
        }
    }
}

/// Caches which types overlap, because abstract types can have many possible types.
private struct TypeOverlaps {
    let schema: Schema
    private var known: [Pair: Bool] = [:]

    private struct Pair: Hashable {
        var one: TypeID
        var other: TypeID
    }

    init(schema: Schema) {
        self.schema = schema
    }

    mutating func overlap(_ one: TypeID, _ other: TypeID) -> Bool {
        let pair = Pair(one: one, other: other)
        if let isOverlapping = known[pair] { return isOverlapping }
        let isOverlapping = schema.overlap(one, other)
        known[pair] = isOverlapping
        return isOverlapping
    }
}
