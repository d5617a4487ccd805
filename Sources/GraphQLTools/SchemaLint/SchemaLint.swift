public import GraphQL

/// A lint finding: a valid part of a schema that makes the schema harder to use.
public struct LintFinding: Hashable, Sendable {
    /// The violated rule.
    public let rule: Rule
    /// The element with the violation.
    public let subject: SchemaCoordinate
    /// The problem and its remedy, for people.
    public let message: String
    /// The position of the element's name in its definition.
    public let location: SourceLocation

    /// The lint rules; the raw values are the names on the command line and in JSON.
    public enum Rule: String, Sendable, CaseIterable {
        /// Types are in `UpperCamelCase`; fields, arguments, input fields and directives in
        /// `lowerCamelCase`; enum values in `UPPER_CASE`.
        case naming
        /// Every definition has a description.
        case descriptions
        /// A deprecation reason names a replacement.
        case deprecationReasons = "deprecation-reasons"
        /// Items of lists are non-null, or the description of the field defines the meaning of a null item.
        case nullableItems = "nullable-items"
        /// No definition is deprecated, as before a first release.
        case noDeprecations = "no-deprecations"
        /// No value is a Float.
        case noFloats = "no-floats"
        /// The name of a percentage ends in `Percentage`.
        case percentageNames = "percentage-names"
        /// One enumeration has ranges of time.
        case oneRange = "one-range"
        /// No two siblings name the same thing, such as `provider` and `providerName`.
        case twinNames = "twin-names"
        /// The description of each nullable field defines the meaning of null; root types are exempt.
        case nullDescriptions = "null-descriptions"

        /// The rules for every schema; the others are for a schema that states more than GraphQL requires.
        public static let standard: Set<Rule> = [.naming, .descriptions, .deprecationReasons, .nullableItems]
    }
}

extension Schema {
    /// Returns the findings in the definitions from which the schema was built, in source order.
    public func lint(_ rules: Set<LintFinding.Rule> = LintFinding.Rule.standard) -> [LintFinding] {
        let definitions = document.schemaDefinitions
        let context = SchemaLintContext(definitions, of: self)
        let faults = LintFinding.Rule.allCases.filter(rules.contains).flatMap { rule in
            definitions.compactMap { definition in
                rule.fault(of: definition, in: document, context).map { (rule, definition, $0) }
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

extension LintFinding.Rule {
    /// Returns the problem of a definition; nil if it satisfies the rule.
    func fault(
        of element: SchemaElement, in document: Document, _ context: SchemaLintContext
    ) -> String? {
        switch self {
        case .naming: nameFault(element, document.text(element.name))
        case .descriptions: descriptionFault(element, document)
        case .deprecationReasons: deprecationFault(element, document)
        case .nullableItems: itemFault(element, document)
        case .noDeprecations: deprecatedFault(element, document)
        case .noFloats: floatFault(element, document)
        case .percentageNames: percentageFault(element, document)
        case .oneRange: rangeFault(element, context)
        case .twinNames: twinFault(element, context)
        case .nullDescriptions: nullFault(element, document, context)
        }
    }

    private func nameFault(_ element: SchemaElement, _ name: String) -> String? {
        let style = element.kind.nameStyle
        // An extension has the name of its definition, which is already reported.
        if element.isExtension || style.fits(name) { return nil }
        let better = style.rewritten(name).map { ": \"\($0)\"" } ?? ""
        return "\(element.title) should be in \(style.rawValue)\(better)."
    }

    private func descriptionFault(_ element: SchemaElement, _ document: Document) -> String? {
        if element.isExtension || !document.description(of: element).isEmpty { return nil }
        return "\(element.title) has no description."
    }

    private func deprecationFault(_ element: SchemaElement, _ document: Document) -> String? {
        guard let directive = document.first("deprecated", in: element.directives) else { return nil }
        let reason = directive.arguments.indices.compactMap { index -> String? in
            guard case .string(let value) = document.arguments[index].value else { return nil }
            return document.string(value)
        }
        let emptyReasons = ["", BuiltInDirective.defaultDeprecationReason]
        if reason.contains(where: { !emptyReasons.contains($0) }) { return nil }
        return "\(element.title) is deprecated without a reason: say what to use instead."
    }

    private func itemFault(_ element: SchemaElement, _ document: Document) -> String? {
        guard element.kind == .field, let type = element.type, type.wrapping.hasNullableItems else {
            return nil
        }
        // If an item may be null on purpose, the description must state the reason.
        if document.description(of: element).lowercased().contains("null") { return nil }
        return
            "Items of \(element.coordinate) may be null: make them non-null, or say in its description when "
            + "one is null."
    }
}

extension SchemaElement {
    var title: String { "\(kind.rawValue) \"\(coordinate)\"" }
}

extension Document {
    func description(of element: SchemaElement) -> String {
        element.description.map { string($0) } ?? ""
    }
}

extension Wrapping {
    /// True if a list on any level has nullable items.
    fileprivate var hasNullableItems: Bool {
        var level = self
        while let item = level.item {
            if !item.isNonNull { return true }
            level = item
        }
        return false
    }
}
