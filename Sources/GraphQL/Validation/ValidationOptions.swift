/// What validation does beyond the rules of the specification.
public struct ValidationOptions: Hashable, Sendable {
    /// How many errors are reported before validation stops, at least 1.
    ///
    /// A last error then says that there may be more.
    public var maximumErrors: Int
    /// Whether messages name what may have been meant.
    ///
    /// Suggestions reveal names of the schema, so a server whose schema is secret switches them off.
    public var suggests: Bool
    /// Whether introspection that nests `fields`, `interfaces`, `possibleTypes` or `inputFields` three deep
    /// is refused.
    ///
    /// No tool asks for that, and each level multiplies the response by the size of the schema.
    public var limitsIntrospectionDepth: Bool

    /// Stops at 50 errors, suggests, and limits introspection, unless told otherwise.
    public init(maximumErrors: Int = 50, suggests: Bool = true, limitsIntrospectionDepth: Bool = true) {
        self.maximumErrors = max(1, maximumErrors)
        self.suggests = suggests
        self.limitsIntrospectionDepth = limitsIntrospectionDepth
    }
}
