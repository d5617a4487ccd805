/// A document that satisfies all validation rules against one schema (specification, section 5).
///
/// Only `validate` creates instances, so a function with a parameter of this type never receives an
/// unchecked document.
public struct ValidDocument: Sendable {
    /// The document with the types of the schema attached to its nodes.
    package let typed: TypedDocument

    /// The document.
    public var document: Document { typed.document }
    /// The schema of the validation.
    public var schema: Schema { typed.schema }

    fileprivate init(_ typed: TypedDocument) {
        self.typed = typed
    }
}

/// Validates a document against all rules of the specification (September 2025, chapter 5).
///
/// The time is proportional to the length of the document and independent of the number of fragment spreads.
/// Errors are in source order and contain all their locations.
///
/// - Parameters:
///   - document: The document. Type definitions in it are errors.
///   - schema: The schema of the service.
///   - options: The maximum number of errors, and the detail of their messages.
/// - Returns: The proof that the document can be planned and executed.
/// - Throws: The validation errors: at most `options.maximumErrors`, then one more that states the limit.
public func validate(
    _ document: Document, against schema: Schema, options: ValidationOptions = ValidationOptions()
) throws(GraphQLErrors) -> ValidDocument {
    let typed = TypedDocument(document, schema: schema, options: options)
    let findings = ValidationRule.findings(in: typed)
    guard findings.isEmpty else {
        throw GraphQLErrors(GraphQLError.wording(findings, in: typed))
    }
    return ValidDocument(typed)
}

extension Schema {
    /// Parses a document and validates it against this schema.
    ///
    /// - Throws: The syntax error, or the errors of validation.
    package func validDocument(
        _ source: SourceText, limits: ParserLimits = .default,
        options: ValidationOptions = ValidationOptions()
    ) throws(GraphQLErrors) -> ValidDocument {
        let document: Document
        do {
            document = try parse(source, limits: limits)
        } catch {
            throw GraphQLErrors([GraphQLError(error)])
        }
        return try validate(document, against: self, options: options)
    }
}

extension ValidationRule {
    /// Returns the violations of all rules, in the order in which a single traversal with all rules finds
    /// them.
    static func findings(in document: TypedDocument) -> [ValidationFinding] {
        var found: [(finding: ValidationFinding, order: Int)] = []
        for rule in ValidationRule.all {
            for finding in rule.check(document) { found.append((finding, found.count)) }
        }
        guard !found.isEmpty else { return [] }
        // Findings at one position remain in the order of the rules.
        found.sort { one, other in
            one.finding.position == other.finding.position
                ? one.order < other.order : one.finding.position < other.finding.position
        }
        return found.map(\.finding)
    }
}

extension GraphQLError {
    fileprivate static func wording(_ findings: [ValidationFinding], in typed: TypedDocument)
        -> [GraphQLError]
    {
        let maximum = typed.options.maximumErrors
        let extensions = RequestErrorCode.validationFailed.extensions
        var errors = typed.document.source.locate(
            findings.prefix(maximum).map { (message: $0.message(), spans: $0.spans) },
            extensions: extensions)
        if findings.count > maximum {
            errors.append(
                GraphQLError(
                    "Too many validation errors, error limit reached. Validation aborted.",
                    extensions: extensions))
        }
        return errors
    }
}

/// Options of validation beyond the rules of the specification.
public struct ValidationOptions: Hashable, Sendable {
    /// The number of reported errors before validation stops, at least 1.
    ///
    /// A last error then states that there may be more.
    public var maximumErrors: Int
    /// True if messages suggest similar names.
    ///
    /// Suggestions reveal names of the schema, so a server with a secret schema disables them.
    public var suggests: Bool
    /// True if introspection that nests `fields`, `interfaces`, `possibleTypes` or `inputFields` three
    /// levels deep is rejected.
    ///
    /// No tool needs this, and each level multiplies the response by the size of the schema.
    public var limitsIntrospectionDepth: Bool
    /// True if fragments that no operation uses are valid, as in a file of fragments.
    package var allowsUnusedFragments = false

    /// Creates options; by default, validation stops at 50 errors, suggests names, and limits introspection.
    public init(maximumErrors: Int = 50, suggests: Bool = true, limitsIntrospectionDepth: Bool = true) {
        self.maximumErrors = max(1, maximumErrors)
        self.suggests = suggests
        self.limitsIntrospectionDepth = limitsIntrospectionDepth
    }
}
