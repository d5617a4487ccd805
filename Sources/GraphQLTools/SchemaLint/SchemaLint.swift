public import GraphQL

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

extension LintFinding.Rule {
    /// What is wrong with a definition; nil where the rule has nothing to say.
    func fault(of element: SchemaElement, in document: Document) -> String? {
        switch self {
        case .naming: nameFault(element, document.text(element.name))
        case .descriptions: descriptionFault(element, document)
        case .deprecationReasons: deprecationFault(element, document)
        case .nullableItems: itemFault(element, document)
        }
    }

    private func nameFault(_ element: SchemaElement, _ name: String) -> String? {
        let style = element.kind.nameStyle
        // An extension has the name of what it extends, where it has been found already.
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
        let saysNothing = ["", BuiltInDirective.defaultDeprecationReason]
        if reason.contains(where: { !saysNothing.contains($0) }) { return nil }
        return "\(element.title) is deprecated without a reason: say what to use instead."
    }

    private func itemFault(_ element: SchemaElement, _ document: Document) -> String? {
        guard element.kind == .field, let type = element.type, type.wrapping.hasNullableItems else {
            return nil
        }
        // Where an item may be missing on purpose, whoever reads the schema has to learn why.
        if document.description(of: element).lowercased().contains("null") { return nil }
        return
            "Items of \(element.coordinate) may be null: make them non-null, or say in its description when "
            + "one is null."
    }
}

extension SchemaElement {
    fileprivate var title: String { "\(kind.rawValue) \"\(coordinate)\"" }
}

extension Document {
    fileprivate func description(of element: SchemaElement) -> String {
        element.description.map { string($0) } ?? ""
    }
}

extension Wrapping {
    /// Whether a list on any level has items that may be null.
    fileprivate var hasNullableItems: Bool {
        var level = self
        while let item = level.item {
            if !item.isNonNull { return true }
            level = item
        }
        return false
    }
}
