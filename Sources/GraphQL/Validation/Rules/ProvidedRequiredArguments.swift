extension ValidationRule {
    /// Every required argument of a field or directive is present (specification, 5.4.3).
    static let providedRequiredArguments = ValidationRule(name: "Required Arguments") { document in
        var findings: [ValidationFinding] = []
        document.forEachField { index, field in
            findings += missingArguments(of: field, at: index, in: document)
        }
        for index in document.document.directives.indices {
            let directive = document.document.directives[index]
            guard let signature = document.directiveSignature(at: index) else { continue }
            for argument in signature.missingArguments(given: directive.arguments) {
                findings.append(
                    ValidationFinding(.leaving(directive.span), at: [directive.span]) {
                        "Argument \"@\(document.text(directive.name))(\(argument.name):)\" of type "
                            + "\"\(argument.type)\" is required, but it was not provided."
                    })
            }
        }
        return findings
    }

    private static func missingArguments(
        of field: SelectedField, at index: Int, in document: TypedDocument
    ) -> [ValidationFinding] {
        let definitions = document.argumentDefinitions(at: index)
        guard !definitions.isEmpty else { return [] }
        return definitions.indices.compactMap { position in
            guard definitions[position].isRequired,
                !field.arguments.indices.contains(where: { document.arguments[$0].position == position })
            else { return nil }
            return ValidationFinding(.leaving(field.span), at: [field.span]) {
                let typed = document.selections[index]
                let isMeta = typed.type.map { BuiltInType.isIntrospection(document.schema[$0].name) } ?? false
                let parent =
                    isMeta ? "<meta>." : typed.parentType.map { document.schema[$0].name + "." } ?? ""
                let coordinate = "\(parent)\(document.text(field.name))(\(definitions[position].name):)"
                return
                    "Argument \"\(coordinate)\" of type \(document.quoted(definitions[position].type)) is required, "
                    + "but it was not provided."
            }
        }
    }
}
