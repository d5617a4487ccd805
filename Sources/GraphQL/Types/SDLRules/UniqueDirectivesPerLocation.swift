extension SDLRule {
    /// No directive stands twice at one place, unless it is repeatable (specification, 5.7.3).
    ///
    /// The definition of a type and all its extensions are one place, and so are those of the schema.
    static let uniqueDirectivesPerLocation = SDLRule(name: "Unique Directives Per Location") { document in
        var seenOnSchema: [UInt32: Directive] = [:]
        var seenOnTypes: [UInt32: [UInt32: Directive]] = [:]
        var findings: [ValidationFinding] = []
        func check(_ site: DirectiveUsage, _ seen: inout [UInt32: Directive]) {
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
