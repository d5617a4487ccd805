extension ValidationRule {
    /// The document contains only operations and fragments (specification, 5.1.1).
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

extension ValidationRule {
    /// The schema has a root type for each operation (specification, 5.2.1.1).
    static let knownOperationTypes = ValidationRule(name: "Operation Type Existence") { document in
        document.operations.compactMap { operation in
            guard operation.rootType == nil else { return nil }
            return ValidationFinding(.entering(operation.definition.span), at: [operation.definition.span]) {
                "The \(operation.definition.type.rawValue) operation is not supported by the schema."
            }
        }
    }
}

extension ValidationRule {
    /// No two operations have the same name (specification, 5.2.2.1).
    static let uniqueOperationNames = ValidationRule(name: "Operation Name Uniqueness") { document in
        guard document.operations.count > 1 else { return [] }
        let named = document.operations.compactMap { operation in
            operation.definition.name.map { (name: $0, span: operation.definition.span) }
        }
        return document.repeated(named, by: \.name).map { first, other in
            ValidationFinding(.entering(other.span), at: [first.name.span, other.name.span]) {
                "There can be only one operation named \(document.quoted(other.name))."
            }
        }
    }
}

extension ValidationRule {
    /// An anonymous operation is the only operation (specification, 5.2.3.1).
    static let loneAnonymousOperation = ValidationRule(name: "Lone Anonymous Operation") { document in
        guard document.operations.count > 1 else { return [] }
        return document.operations.compactMap { operation in
            guard operation.definition.name == nil else { return nil }
            return ValidationFinding(.entering(operation.definition.span), at: [operation.definition.span]) {
                "This anonymous operation must be the only defined operation."
            }
        }
    }
}
