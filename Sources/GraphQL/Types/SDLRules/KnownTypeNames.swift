extension SDLRule {
    /// Every type that is named is defined in the document, or built in (specification, section 3.4).
    static let knownTypeNames = SDLRule(name: "Known Type Names") { document in
        let defined = document.typeDefinitions.map(\.name)
        var isKnown = Array(repeating: false, count: document.document.names.count)
        for name in defined { isKnown[Int(name.id)] = true }
        let unknown = document.typeUses.filter { use in
            if isKnown[Int(use.name.id)] { return false }
            return !use.isTypeSystem || BuiltInType.all[document.text(use.name)] == nil
        }
        return unknown.map { use in
            ValidationFinding(.entering(use.name.span), at: [use.name.span]) {
                let builtIn = use.isTypeSystem ? Array(BuiltInType.all.keys) : []
                let name = document.text(use.name)
                return "Unknown type \"\(name)\"."
                    + Suggestions.didYouMean(name, among: builtIn + defined.map(document.text))
            }
        }
    }
}
