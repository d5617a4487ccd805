/// A document that keeps all rules of validation against one schema (specification, section 5).
///
/// Only `validate` makes one, so whatever asks for a `ValidDocument` cannot be given an unchecked document.
public struct ValidDocument: Sendable {
    /// The document with the types of the schema at its nodes.
    package let typed: TypedDocument

    /// The document.
    public var document: Document { typed.document }
    /// The schema against which it is valid.
    public var schema: Schema { typed.schema }

    fileprivate init(_ typed: TypedDocument) {
        self.typed = typed
    }
}

/// Holds a document against all rules of the specification at once (September 2025, chapter 5).
///
/// The time grows with the length of the document, not with how often its fragments are spread. Errors come in the
/// order of the text and carry all their locations.
///
/// - Parameters:
///   - document: The document. Definitions of types in it are errors.
///   - schema: The schema that it is meant for.
///   - options: How many errors to report, and how much their messages tell.
/// - Returns: The proof that the document can be planned and executed.
/// - Throws: What is wrong: at most `options.maximumErrors` errors, then one more that says so.
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

extension ValidationRule {
    /// What all rules find, in the order in which one walk through the document with all of them comes upon it.
    static func findings(in document: TypedDocument) -> [ValidationFinding] {
        var found: [(finding: ValidationFinding, order: Int)] = []
        for rule in ValidationRule.all {
            for finding in rule.check(document) { found.append((finding, found.count)) }
        }
        guard !found.isEmpty else { return [] }
        // Findings at one position stay in the order of the rules.
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
        var errors = typed.document.source.locate(
            findings.prefix(maximum).map { (message: $0.message(), spans: $0.spans) })
        if findings.count > maximum {
            errors.append(
                GraphQLError("Too many validation errors, error limit reached. Validation aborted."))
        }
        return errors
    }
}

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
