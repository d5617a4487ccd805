extension TypeSystemRules {
    /// Names that begin with two underscores belong to introspection (specification, section 4.1).
    func reservedName(_ name: String, at node: SourceSpan?) -> [SchemaValidationError] {
        guard name.hasPrefix("__") else { return [] }
        let message = """
            Name "\(name)" must not begin with "__", which is reserved by GraphQL introspection.
            """
        return [SchemaValidationError(message, at: [node])]
    }
}
