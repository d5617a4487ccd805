extension ValidationRule {
    /// Every directive is defined, and its location is one of those in its definition (specification, 5.7.1
    /// and 5.7.2).
    static let knownDirectives = ValidationRule(name: "Directives Are Defined") { document in
        var findings: [ValidationFinding] = []
        for site in document.directiveSites {
            for index in site.directives.indices {
                let directive = document.document.directives[index]
                guard let signature = document.directiveSignature(at: index) else {
                    findings.append(
                        ValidationFinding(.entering(directive.span), at: [directive.span]) {
                            "Unknown directive \"@\(document.text(directive.name))\"."
                        })
                    continue
                }
                guard !signature.allows(site.location) else { continue }
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

extension ValidationRule {
    /// A directive occurs at most once at one location, unless it is repeatable (specification, 5.7.3).
    static let uniqueDirectivesPerLocation = ValidationRule(name: "Directives Are Unique per Location") {
        document in
        var findings: [ValidationFinding] = []
        var directivesOfTypes: [UInt32: [Directive]] = [:]
        var directivesOfSchema: [Directive] = []
        for site in document.directiveSites {
            // The definition of a type and all its extensions are one location; so are those of the schema.
            let isSchema = site.location == .schema
            let earlier = site.definedName.map { directivesOfTypes[$0.id, default: []] } ?? []
            let before = isSchema ? directivesOfSchema : earlier
            guard site.directives.count > 1 || isSchema || site.definedName != nil else { continue }
            let own = site.directives.indices.compactMap { index in
                document.directiveSignature(at: index)?.isRepeatable == false
                    ? document.document.directives[index] : nil
            }
            if let type = site.definedName { directivesOfTypes[type.id] = before + own }
            if isSchema { directivesOfSchema = before + own }
            let repeated = document.repeated(before + own, by: \.name)
            for (first, other) in repeated where site.owner.contains(other.span) {
                findings.append(
                    ValidationFinding(.entering(site.owner), at: [first.span, other.span]) {
                        "The directive \"@\(document.text(other.name))\" can only be used once at this location."
                    })
            }
        }
        return findings
    }
}
