extension ValidationRule {
    /// Every directive is defined, and stands where its definition allows (specification, 5.7.1 and 5.7.2).
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
