package import GraphQL

/// Validates documents against a schema and reports the errors for people.
package struct DocumentCheck {
    let schema: SchemaFile
    let documents: [SourceText]

    package init(schema: SchemaFile, documents: [SourceText]) {
        self.schema = schema
        self.documents = documents
    }

    /// The errors of the schema; if it has none, those of the documents.
    package var reports: [DiagnosticReport] {
        switch schema.result {
        case .failure(let errors): [DiagnosticReport(source: schema.source, errors: errors.errors)]
        case .success(let schema):
            documents.compactMap { source in
                DocumentCheck.errors(in: source, against: schema).map { errors in
                    DiagnosticReport(source: source, errors: errors.errors)
                }
            }
        }
    }

    private static func errors(in source: SourceText, against schema: Schema) -> GraphQLErrors? {
        do {
            _ = try Document.read(source).validated(against: schema)
            return nil
        } catch {
            return error
        }
    }
}

extension Document {
    /// Validates a document.
    ///
    /// - Throws: The errors of validation.
    package func validated(
        against schema: Schema, options: ValidationOptions = ValidationOptions()
    ) throws(GraphQLErrors) -> ValidDocument {
        try validate(self, against: schema, options: options)
    }
}
