/// A rule for documents that define a schema, checked before the schema is built: a pure function of the
/// document.
///
/// The rules implement chapter 3 of the specification. Names and wording are those of the reference implementation, which
/// lacks `oneOfOnDefinitions` and `noDirectiveCycles`.
struct SDLRule: Sendable {
    let name: String
    /// Returns the violations of the rule; empty if there are none.
    let check: @Sendable (SDLDocument) -> [ValidationFinding]

    /// All rules, in the order of their errors at one position.
    static let all: [SDLRule] = [
        loneSchemaDefinition, uniqueOperationTypes, uniqueTypeNames, uniqueEnumValueNames,
        uniqueFieldDefinitionNames, uniqueArgumentDefinitionNames, uniqueDirectiveNames, knownTypeNames,
        knownDirectives, uniqueDirectivesPerLocation, possibleTypeExtensions, knownArgumentNamesOnDirectives,
        uniqueArgumentNames, uniqueInputFieldNames, providedRequiredArgumentsOnDirectives, oneOfOnDefinitions,
        noDirectiveCycles,
    ]

    /// Returns the violations of all rules, in the order of one traversal of the document.
    ///
    /// If there are more errors than `limit`, one more error states this.
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
    /// The last error of a truncated list.
    static var tooManyErrors: GraphQLError {
        GraphQLError("Too many validation errors, error limit reached. Validation aborted.")
    }
}

/// Finds names that occur twice in one scope.
struct DuplicateNameFinder {
    private var first: [UInt32: Name] = [:]

    /// Returns the name's first occurrence; nil if this is the first.
    mutating func firstOccurrence(of name: Name) -> Name? {
        if let earlier = first[name.id] { return earlier }
        first[name.id] = name
        return nil
    }

    /// Returns the names that occur more than once in `names`, each with all its occurrences.
    static func repeated(_ names: [Name]) -> [[Name]] {
        if names.count < 2 { return [] }
        var groups: [UInt32: [Name]] = [:]
        for name in names { groups[name.id, default: []].append(name) }
        if groups.count == names.count { return [] }
        return groups.values.filter { $0.count > 1 }.sorted { $0[0].span.start < $1[0].span.start }
    }
}
