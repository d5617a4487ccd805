extension SDLRule {
    /// There is at most one schema definition (specification, section 3.3).
    static let loneSchemaDefinition = SDLRule(name: "Lone Schema Definition") { document in
        let definitions = document.document.definitions.compactMap { definition -> SchemaDefinition? in
            guard case .schema(let schema) = definition, !schema.isExtension else { return nil }
            return schema
        }
        return definitions.dropFirst().map { schema in
            ValidationFinding(.entering(schema.span), at: [schema.span]) {
                "Must provide only one schema definition."
            }
        }
    }
}
