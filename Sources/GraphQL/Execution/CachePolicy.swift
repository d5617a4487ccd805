/// How long the answer to an operation may be kept, and by whom, as far as the schema tells.
///
/// A schema tells it with `directive @cacheControl(maxAge: Int, scope: CacheScope)` at fields and types. An answer is
/// kept as long as the part of it that is kept shortest. A field of the root without a `maxAge` is not kept at all; a
/// field below it without one is kept as long as what it belongs to.
public struct CachePolicy: Sendable {
    /// In seconds; 0 where the answer must not be kept.
    public let maxAge: Int
    /// Whether only the user who asked may keep it: some field's scope is `PRIVATE`.
    public let isPrivate: Bool
    /// The fields that are kept no longer than `maxAge`, in the order of the text; none of a mutation or
    /// subscription, which is never kept.
    public let shortest: [SchemaReference]

    /// A policy for answers that no schema tells of.
    package init(maxAge: Int, isPrivate: Bool = false) {
        (self.maxAge, self.isPrivate, shortest) = (maxAge, isPrivate, [])
    }

    /// The policy of an operation; nil where its schema has no `@cacheControl` and tells nothing.
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
        var walk = CacheHintCollector(valid.typed)
        walk.visit(operation.selectionSet, isRoot: true)
        let maxAge = walk.hinted.map(\.maxAge).min() ?? 0
        self.maxAge = maxAge
        isPrivate = walk.isPrivate
        shortest = walk.hinted.filter { $0.maxAge == maxAge }.map(\.use)
            .sorted { $0.span.start < $1.span.start }
    }
}

/// Collects the hints of the fields that an operation reaches; each fragment is looked at once, below the root and at
/// it, since where it is spread makes no other difference.
///
/// It recurses along nested selections, whose depth the parser bounds, and along fragments, which validation keeps
/// from going in circles.
private struct CacheHintCollector {
    private let typed: TypedDocument
    private(set) var hinted: [(maxAge: Int, use: SchemaReference)] = []
    private(set) var isPrivate = false
    private var seen: Set<Visit> = []

    private struct Visit: Hashable {
        let fragment: Int
        let isRoot: Bool
    }

    init(_ typed: TypedDocument) {
        self.typed = typed
    }

    mutating func visit(_ set: SelectionSet, isRoot: Bool) {
        for index in set.selections.indices {
            switch typed.document.selections[index] {
            case .field(let field): visit(field, at: index, isRoot: isRoot)
            case .inlineFragment(let fragment): visit(fragment.selectionSet, isRoot: isRoot)
            case .fragmentSpread:
                guard let fragment = typed.selections[index].fragment,
                    seen.insert(Visit(fragment: fragment, isRoot: isRoot)).inserted
                else { continue }
                visit(typed.fragments[fragment].definition.selectionSet, isRoot: isRoot)
            }
        }
    }

    private mutating func visit(_ field: SelectedField, at index: Int, isRoot: Bool) {
        // What introspection answers is the same for everybody as long as the server runs.
        guard case .defined = typed.selections[index].field, let parent = typed.selections[index].parentType,
            let definition = typed.fieldDefinition(at: index)
        else { return }
        let hints = definitions(of: definition, on: parent).map { CacheHint(of: $0, in: typed.schema) }
        if hints.contains(where: \.isPrivate) { isPrivate = true }
        if let maxAge = hints.compactMap(\.maxAge).min() ?? (isRoot ? 0 : nil) {
            let coordinate = SchemaCoordinate.member(
                type: typed.schema[parent].name, name: definition.name)
            let use = SchemaReference(
                coordinate: coordinate, span: field.name.span,
                deprecationReason: definition.deprecationReason)
            hinted.append((maxAge, use))
        }
        if let set = field.selectionSet { visit(set, isRoot: false) }
    }

    /// The field, and where an interface has it, that of each type which its value may have.
    private func definitions(of field: SchemaField, on parent: TypeID) -> [SchemaField] {
        let implementations = typed.schema.possibleTypes(of: parent).compactMap { type in
            type == parent ? nil : typed.schema[type].field(named: field.name)
        }
        return [field] + implementations
    }
}

/// What a `@cacheControl` says: how long a value may be kept, and by whom.
struct CacheHint {
    /// In seconds; nil where the directive does not say.
    var maxAge: Int?
    /// Whether only the user who asked may keep it.
    var isPrivate = false

    /// The hint that applies to a field: its own, where it has none its type's.
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
