extension ValidationRule {
    /// The document holds operations and fragments only (specification, 5.1.1).
    static let executableDefinitions = ValidationRule(name: "Executable Definitions") { document in
        document.document.definitions.compactMap { definition in
            switch definition {
            case .operation, .fragment: nil
            case .schema(let schema): finding(schema.span) { "schema" }
            case .type(let type): finding(type.span) { document.quoted(type.name) }
            case .directive(let directive): finding(directive.span) { document.quoted(directive.name) }
            }
        }
    }

    private static func finding(_ span: SourceSpan, name: @escaping () -> String) -> ValidationFinding {
        ValidationFinding(.start, at: [span]) { "The \(name()) definition is not executable." }
    }
}
