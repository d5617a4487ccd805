extension ValidationRule {
    /// Every argument is defined by its field or directive (specification, 5.4.1).
    static let knownArgumentNames = ValidationRule(name: "Argument Names") { document in
        var findings: [ValidationFinding] = []
        document.forEachField { index, field in
            guard !field.arguments.isEmpty, let parent = document.selections[index].parentType else { return }
            if case .unknown = document.selections[index].field { return }
            for argument in field.arguments.indices where document.arguments[argument].position == nil {
                findings.append(
                    unknownArgument(document.document.arguments[argument], in: document, nil) {
                        let description =
                            "field \"\(document.schema[parent].name).\(document.text(field.name))\""
                        return (description, document.argumentDefinitions(at: index).map(\.name))
                    })
            }
        }
        for index in document.document.directives.indices {
            let directive = document.document.directives[index]
            guard !directive.arguments.isEmpty, let signature = document.directiveSignature(at: index) else {
                continue
            }
            for argument in document.document.arguments[directive.arguments.indices]
            where !signature.defines(argument: document.text(argument.name)) {
                findings.append(
                    unknownArgument(argument, in: document, .entering(directive.span)) {
                        ("directive \"@\(document.text(directive.name))\"", signature.argumentNames)
                    })
            }
        }
        return findings
    }

    /// Returns the finding of an unknown argument.
    ///
    /// It is reported at `position`, by default that of the argument. `owner` describes the field or
    /// directive and the arguments that it defines.
    private static func unknownArgument(
        _ argument: Argument, in document: TypedDocument, _ position: TraversalPosition?,
        owner: @escaping () -> (description: String, arguments: [String])
    ) -> ValidationFinding {
        ValidationFinding(position ?? .entering(argument.span), at: [argument.span]) {
            let owner = owner()
            let name = document.text(argument.name)
            let suggestion =
                document.options.suggests
                ? Suggestions.didYouMean(name, among: owner.arguments, document.schema.synonyms) : ""
            return "Unknown argument \"\(name)\" on \(owner.description)." + suggestion
        }
    }
}
