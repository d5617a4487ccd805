extension SDLRule {
    /// Every directive is defined, and its location is one of those in its definition (specification, 5.7.1
    /// and 5.7.2).
    static let knownDirectives = SDLRule(name: "Known Directives") { document in
        var findings: [ValidationFinding] = []
        for site in document.directiveSites {
            for directive in document.document.directives[site.directives.indices] {
                guard let definition = document.directives[directive.name.id] else {
                    findings.append(
                        ValidationFinding(.entering(directive.span), at: [directive.span]) {
                            "Unknown directive \"@\(document.text(directive.name))\"."
                        })
                    continue
                }
                if definition.locations.contains(site.location.rawValue) { continue }
                findings.append(
                    ValidationFinding(.entering(directive.span), at: [directive.span]) {
                        "Directive \"@\(document.text(directive.name))\" may not be used on "
                            + "\(site.location.rawValue)."
                    })
            }
        }
        return findings
    }
}

extension SDLRule {
    /// A directive occurs at most once at one location, unless it is repeatable (specification, 5.7.3).
    ///
    /// The definition of a type and all its extensions are one location; so are those of the schema.
    static let uniqueDirectivesPerLocation = SDLRule(name: "Unique Directives Per Location") { document in
        var seenOnSchema: [UInt32: Directive] = [:]
        var seenOnTypes: [UInt32: [UInt32: Directive]] = [:]
        var findings: [ValidationFinding] = []
        func check(_ site: NodeDirectives, _ seen: inout [UInt32: Directive]) {
            for directive in document.document.directives[site.directives.indices] {
                guard document.directives[directive.name.id]?.isRepeatable == false else { continue }
                guard let earlier = seen[directive.name.id] else {
                    seen[directive.name.id] = directive
                    continue
                }
                findings.append(
                    ValidationFinding(.entering(site.owner), at: [earlier.span, directive.span]) {
                        "The directive \"@\(document.text(directive.name))\" can only be used once at this location."
                    })
            }
        }
        for site in document.directiveSites {
            if site.location == .schema {
                check(site, &seenOnSchema)
            } else if let name = site.definedName {
                check(site, &seenOnTypes[name.id, default: [:]])
            } else if site.directives.count > 1 {
                var seen: [UInt32: Directive] = [:]
                check(site, &seen)
            }
        }
        return findings
    }
}

extension SDLRule {
    /// `@oneOf` is on the definition of an input object type, not on an extension (specification, section 3.10.2).
    static let oneOfOnDefinitions = SDLRule(name: "OneOf on Definitions") { document in
        document.typeExtensions.compactMap { type in
            guard case .inputObject = type.body,
                let oneOf = document.document.first("oneOf", in: type.directives)
            else { return nil }
            return ValidationFinding(.entering(oneOf.span), at: [oneOf.span]) {
                "Directive \"@oneOf\" may not be used on an extension of input object type \"\(document.text(type.name))\"."
            }
        }
    }
}

extension SDLRule {
    /// Directives have only arguments of their definition (specification, 5.4.1).
    static let knownArgumentNamesOnDirectives = SDLRule(name: "Known Argument Names") { document in
        var findings: [ValidationFinding] = []
        for directive in document.document.directives where !directive.arguments.isEmpty {
            guard let definition = document.directives[directive.name.id] else { continue }
            for argument in document.document.arguments[directive.arguments.indices] {
                let name = document.text(argument.name)
                if definition.arguments.contains(name) { continue }
                findings.append(
                    ValidationFinding(.entering(directive.span), at: [argument.span]) {
                        "Unknown argument \"\(name)\" on directive \"@\(document.text(directive.name))\"."
                            + Suggestions.didYouMean(name, among: definition.arguments)
                    })
            }
        }
        return findings
    }
}

extension SDLRule {
    /// Directives have all required arguments (specification, 5.4.3).
    static let providedRequiredArgumentsOnDirectives = SDLRule(name: "Provided Required Arguments") {
        document in
        var findings: [ValidationFinding] = []
        for directive in document.document.directives {
            guard let definition = document.directives[directive.name.id], !definition.required.isEmpty else {
                continue
            }
            let given = document.document.arguments[directive.arguments.indices].map {
                document.text($0.name)
            }
            for (name, type) in definition.required where !given.contains(name) {
                findings.append(
                    ValidationFinding(.leaving(directive.span), at: [directive.span]) {
                        """
                        Argument "@\(document.text(directive.name))(\(name):)" of type "\(type)" is required, but it \
                        was not provided.
                        """
                    })
            }
        }
        return findings
    }
}

extension SDLRule {
    /// No argument occurs twice (specification, 5.4.2).
    static let uniqueArgumentNames = SDLRule(name: "Unique Argument Names") { document in
        var findings: [ValidationFinding] = []
        func check(_ arguments: NodeRange<Argument>, in span: SourceSpan) {
            if arguments.count < 2 { return }
            let names = document.document.arguments[arguments.indices].map(\.name)
            for occurrences in DuplicateNameFinder.repeated(names) {
                findings.append(
                    ValidationFinding(.entering(span), at: occurrences.map(\.span)) {
                        "There can be only one argument named \"\(document.text(occurrences[0]))\"."
                    })
            }
        }
        for directive in document.document.directives { check(directive.arguments, in: directive.span) }
        for case .field(let field) in document.document.selections { check(field.arguments, in: field.span) }
        return findings
    }
}

extension SDLRule {
    /// No field occurs twice in an input object value (specification, 5.6.3).
    static let uniqueInputFieldNames = SDLRule(name: "Unique Input Field Names") { document in
        var findings: [ValidationFinding] = []
        func check(_ value: Value) {
            guard case .object(let fields, _) = value, fields.count > 1 else { return }
            var seen = DuplicateNameFinder()
            for field in document.document.objectFields[fields.indices] {
                guard let earlier = seen.firstOccurrence(of: field.name) else { continue }
                findings.append(
                    ValidationFinding(.entering(field.span), at: [earlier.span, field.name.span]) {
                        "There can be only one input field named \"\(document.text(field.name))\"."
                    })
            }
        }
        // These arrays contain every value of the document, including nested ones.
        let syntax = document.document
        for argument in syntax.arguments { check(argument.value) }
        for definition in syntax.inputValueDefinitions { definition.defaultValue.map(check) }
        for definition in syntax.variableDefinitions { definition.defaultValue.map(check) }
        for value in syntax.values { check(value) }
        for field in syntax.objectFields { check(field.value) }
        return findings
    }
}
