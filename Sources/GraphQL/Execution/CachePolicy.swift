/// The lifetime and scope of an operation's response in caches, as far as the schema defines them.
///
/// A schema defines them with `directive @cacheControl(maxAge: Int, scope: CacheScope)` on fields and types.
/// A response has the shortest lifetime of its parts. A root field without a `maxAge` is not cached; any
/// other field without one has the lifetime of its parent.
public struct CachePolicy: Sendable {
    /// The lifetime in seconds; 0 if the response must not be stored.
    public let maxAge: Int
    /// True if only the requesting user may store the response: some field has the scope `PRIVATE`.
    public let isPrivate: Bool
    /// The fields whose lifetime is `maxAge`, in source order; empty for mutations and subscriptions, which
    /// are never stored.
    public let shortest: [SchemaElementUse]

    /// Creates a policy for responses without a schema.
    package init(maxAge: Int, isPrivate: Bool = false) {
        (self.maxAge, self.isPrivate, shortest) = (maxAge, isPrivate, [])
    }

    /// Creates the policy of an operation; nil if the schema does not define `@cacheControl`.
    ///
    /// - Parameters:
    ///   - operation: An operation of `valid`.
    ///   - valid: The document.
    public init?(of operation: OperationDefinition, in valid: ValidDocument) {
        guard valid.schema.directive(named: "cacheControl") != nil else { return nil }
        guard operation.type == .query else {
            (maxAge, isPrivate, shortest) = (0, true, [])
            return
        }
        var collector = CacheHintCollector(valid.typed)
        collector.collect(operation.selectionSet, isRoot: true)
        let maxAge = collector.fieldAges.map(\.maxAge).min() ?? 0
        self.maxAge = maxAge
        isPrivate = collector.isPrivate
        shortest = collector.fieldAges.filter { $0.maxAge == maxAge }.map(\.use)
            .sorted { $0.span.start < $1.span.start }
    }
}

/// Collects the hints of the fields reachable from an operation.
///
/// Each fragment is traversed once for the root and once below it, because other differences between spreads
/// are irrelevant.
///
/// It recurses into nested selections, whose depth the parser limits, and into fragments, which form no
/// cycles after validation.
private struct CacheHintCollector {
    private let typed: TypedDocument
    private(set) var fieldAges: [(maxAge: Int, use: SchemaElementUse)] = []
    private(set) var isPrivate = false
    private var seen: Set<VisitedFragment> = []

    private struct VisitedFragment: Hashable {
        let fragment: Int
        let isRoot: Bool
    }

    init(_ typed: TypedDocument) {
        self.typed = typed
    }

    mutating func collect(_ set: SelectionSet, isRoot: Bool) {
        for index in set.selections.indices {
            switch typed.document.selections[index] {
            case .field(let field): collect(field, at: index, isRoot: isRoot)
            case .inlineFragment(let fragment): collect(fragment.selectionSet, isRoot: isRoot)
            case .fragmentSpread:
                guard let fragment = typed.selections[index].fragment,
                    seen.insert(VisitedFragment(fragment: fragment, isRoot: isRoot)).inserted
                else { continue }
                collect(typed.fragments[fragment].definition.selectionSet, isRoot: isRoot)
            }
        }
    }

    private mutating func collect(_ field: SelectedField, at index: Int, isRoot: Bool) {
        // Introspection returns the same for all users while the server runs.
        guard case .defined = typed.selections[index].field, let parent = typed.selections[index].parentType,
            let definition = typed.fieldDefinition(at: index)
        else { return }
        let hints = definitions(of: definition, on: parent).map { CacheHint(of: $0, in: typed.schema) }
        if hints.contains(where: \.isPrivate) { isPrivate = true }
        if let maxAge = hints.compactMap(\.maxAge).min() ?? (isRoot ? 0 : nil) {
            let coordinate = SchemaCoordinate.member(
                type: typed.schema[parent].name, name: definition.name)
            let use = SchemaElementUse(
                coordinate: coordinate, span: field.name.span,
                deprecationReason: definition.deprecationReason)
            fieldAges.append((maxAge, use))
        }
        if let set = field.selectionSet { collect(set, isRoot: false) }
    }

    /// Returns the field and, for an interface, that of each possible type.
    private func definitions(of field: SchemaField, on parent: TypeID) -> [SchemaField] {
        let implementations = typed.schema.possibleTypes(of: parent).compactMap { type in
            type == parent ? nil : typed.schema[type].field(named: field.name)
        }
        return [field] + implementations
    }
}

/// The hint of a `@cacheControl` directive: lifetime and scope.
struct CacheHint {
    /// The lifetime in seconds; nil if unspecified.
    var maxAge: Int?
    /// True if only the requesting user may store the value.
    var isPrivate = false

    /// Creates the hint that applies to a field: its own, otherwise that of its type.
    init(of field: SchemaField, in schema: Schema) {
        let own = CacheHint(field.appliedDirectives)
        let type = field.type.type
        let hints = ([type] + schema.possibleTypes(of: type)).map { CacheHint(schema[$0].appliedDirectives) }
        maxAge = own.maxAge ?? hints.compactMap(\.maxAge).min()
        isPrivate = own.isPrivate || hints.contains(where: \.isPrivate)
    }

    private init(_ applied: [AppliedDirective]) {
        guard let directive = applied.first(named: "cacheControl") else { return }
        if case .int(let seconds)? = directive.arguments["maxAge"] { maxAge = max(0, seconds) }
        isPrivate = directive.arguments["scope"] == .enum("PRIVATE")
    }
}
