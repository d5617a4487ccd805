extension SDLRule {
    /// Every extension is of a type that the document defines, and of its kind (specification, section 3.4.3).
    static let possibleTypeExtensions = SDLRule(name: "Possible Type Extensions") { document in
        let extensions = document.typeExtensions
        if extensions.isEmpty { return [] }
        let definitions = document.typeDefinitions
        let defined = Dictionary(definitions.map { ($0.name.id, $0) }, uniquingKeysWith: { _, last in last })
        return extensions.compactMap { node in
            let name = document.text(node.name)
            guard let type = defined[node.name.id] else {
                return ValidationFinding(.entering(node.span), at: [node.name.span]) {
                    "Cannot extend type \"\(name)\" because it is not defined."
                        + Suggestions.didYouMean(name, among: definitions.map { document.text($0.name) })
                }
            }
            if type.body.kindName == node.body.kindName { return nil }
            return ValidationFinding(.entering(node.span), at: [type.span, node.span]) {
                "Cannot extend non-\(node.body.kindName) type \"\(name)\"."
            }
        }
    }
}

extension TypeBody {
    /// The kind as messages name it.
    fileprivate var kindName: String {
        switch self {
        case .scalar: "scalar"
        case .object: "object"
        case .interface: "interface"
        case .union: "union"
        case .enum: "enum"
        case .inputObject: "input object"
        }
    }
}
