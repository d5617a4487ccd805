/// A rule for documents that define a schema, checked before the schema is built: a pure function of the document.
///
/// Each rule stands in a file of its own, as a static member here. The specification asks for what they check in
/// chapter 3; names and wording are those of the reference implementation.
struct SDLRule: Sendable {
    let name: String
    /// What the document does against the rule; empty where it keeps it.
    let check: @Sendable (SDLDocument) -> [ValidationFinding]

    /// All rules, in the order in which they report at one place.
    static let all: [SDLRule] = [
        loneSchemaDefinition, uniqueOperationTypes, uniqueTypeNames, uniqueEnumValueNames,
        uniqueFieldDefinitionNames, uniqueArgumentDefinitionNames, uniqueDirectiveNames, knownTypeNames,
        knownDirectives, uniqueDirectivesPerLocation, possibleTypeExtensions, knownArgumentNamesOnDirectives,
        uniqueArgumentNames, uniqueInputFieldNames, providedRequiredArgumentsOnDirectives,
    ]

    /// What all rules find, in the order in which one walk through the document comes upon it.
    ///
    /// After as many errors as `limit` says a last one tells that there are more.
    static func errors(in syntax: SchemaDefinitions, limit: Int) -> [GraphQLError] {
        let document = SDLDocument(syntax)
        var found: [(finding: ValidationFinding, order: Int)] = []
        for rule in all {
            for finding in rule.check(document) { found.append((finding, found.count)) }
        }
        if found.isEmpty { return [] }
        found.sort { one, other in
            one.finding.position == other.finding.position
                ? one.order < other.order : one.finding.position < other.finding.position
        }
        let errors = syntax.document.source.locate(
            found.prefix(max(0, limit)).map { ($0.finding.message(), $0.finding.spans) })
        return found.count > limit ? errors + [.tooManyErrors] : errors
    }
}

extension GraphQLError {
    /// The last of a list of errors that is cut short.
    static var tooManyErrors: GraphQLError {
        GraphQLError("Too many validation errors, error limit reached. Validation aborted.")
    }
}

/// The names that have come by in one place, to find those that come twice.
struct DuplicateNameFinder {
    private var first: [UInt32: Name] = [:]

    /// The name's first occurrence; nil where this is the first.
    mutating func firstOccurrence(of name: Name) -> Name? {
        if let earlier = first[name.id] { return earlier }
        first[name.id] = name
        return nil
    }

    /// Names that stand more than once among `names`: each with all its occurrences.
    static func repeated(_ names: [Name]) -> [[Name]] {
        if names.count < 2 { return [] }
        var groups: [UInt32: [Name]] = [:]
        for name in names { groups[name.id, default: []].append(name) }
        if groups.count == names.count { return [] }
        return groups.values.filter { $0.count > 1 }.sorted { $0[0].span.start < $1[0].span.start }
    }
}
