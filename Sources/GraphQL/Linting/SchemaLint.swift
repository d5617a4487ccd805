/// Something in a schema that keeps the rules of the specification and yet makes it worse to use.
public struct LintFinding: Hashable, Sendable {
    /// The rule that is broken.
    public let rule: Rule
    /// What the finding is about.
    public let subject: SchemaCoordinate
    /// For people: what is wrong, and what would be right.
    public let message: String
    /// Where it is defined: the place of its name.
    public let location: SourceLocation

    /// What schemas are held to; the raw values are the rules' names on the command line and in JSON.
    public enum Rule: String, Sendable, CaseIterable {
        /// Types are in `UpperCamelCase`; fields, arguments, input fields and directives in `lowerCamelCase`; enum
        /// values in `UPPER_CASE`.
        case naming
        /// Every definition has a description.
        case descriptions
        /// What is deprecated says what to use instead.
        case deprecationReasons = "deprecation-reasons"
        /// Items of lists are non-null, or the description of the field says what a null among them means.
        case nullableItems = "nullable-items"
    }
}

extension Schema {
    /// What the rules find in the definitions that the schema was built from, in the order of the text.
    public func lint(_ rules: Set<LintFinding.Rule> = Set(LintFinding.Rule.allCases)) -> [LintFinding] {
        let definitions = document.schemaDefinitions
        let faults = LintFinding.Rule.allCases.filter(rules.contains).flatMap { rule in
            definitions.compactMap { definition in
                rule.fault(of: definition, in: document).map { (rule, definition, $0) }
            }
        }
        let locations = document.source.locations(of: faults.map(\.1.name.span))
        return zip(faults, locations)
            .map { fault, location in
                LintFinding(
                    rule: fault.0, subject: fault.1.coordinate, message: fault.2, location: location)
            }
            .sorted { ($0.location.line, $0.location.column) < ($1.location.line, $1.location.column) }
    }
}
