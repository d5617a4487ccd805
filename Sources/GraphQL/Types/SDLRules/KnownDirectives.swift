extension SDLRule {
    /// Every directive is defined, and stands where its definition allows (specification, 5.7.1 and 5.7.2).
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
