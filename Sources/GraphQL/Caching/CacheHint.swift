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
