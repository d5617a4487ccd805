/// A schema with Swift types bound to it: what answers requests.
///
/// ```swift
/// let schema = try ExecutableSchema(schema, query: Query(), context: Context.self)
/// let response = try await schema.respond(to: Request("{ account { equity } }"), context: context).value()
/// ```
public final class ExecutableSchema<Context: Sendable>: Sendable {
    public let schema: Schema
    private let roots: Roots
    private let options: ExecutionOptions
    private let documents: GenerationalCache<String, PreparedDocument>

    /// Binds Swift types to a schema.
    ///
    /// - Parameters:
    ///   - query: the value that queries begin from; its type stands for the schema's query type.
    /// - Throws: `BindingError` with every difference between the schema and the bound types.
    public init<Query: GraphQLObject>(
        _ schema: Schema, query: Query, context: Context.Type, options: ExecutionOptions = ExecutionOptions()
    ) throws(BindingError) {
        self.schema = schema
        self.options = options
        roots = Roots(query: RootBinding(query))
        documents = GenerationalCache(capacity: options.documentCacheCapacity)
        var binder = Binder(schema: schema, context: context)
        roots.bind(to: &binder)
        if !binder.differences.isEmpty { throw BindingError(differences: binder.differences) }
    }

    /// Answers a request: at once where all that it asks for is at hand.
    ///
    /// Whatever is wrong with the request is said in the response; this never throws.
    ///
    /// - Parameter allowed: the kinds of operation that may run; GraphQL over HTTP lets GET run queries only. Of
    ///   another kind nothing is run, and the response's outcome is `notAllowed`.
    public func respond(
        to request: Request, context: Context, allowing allowed: Set<OperationType> = Set(OperationType.allCases)
    ) -> Loading<Response> {
        do {
            let document = try prepare(request.document)
            let operation = try document.operation(named: request.operationName)
            guard allowed.contains(operation.type) else { return .ready(Response(notAllowing: operation.type)) }
            let variables = try document.variables(of: operation, given: request.variables, schema)
            let plan = try document.plan(operation, variables) { [roots, schema] conditions throws in
                try roots.plan(operation, of: document.valid, schema, conditions)
            }
            return plan.run(
                variables: variables, context: context, sizeHint: document.sizeHint,
                presenting: options.errorPresenter)
        } catch {
            return .ready(Response(refusing: error.errors))
        }
    }

    /// Parses and validates a document, once for all requests that send it.
    private func prepare(_ text: String) throws(GraphQLErrors) -> PreparedDocument {
        if let known = documents[text] { return known }
        let document: Document
        do {
            document = try parse(SourceText(text), limits: options.parserLimits)
        } catch {
            throw GraphQLErrors([GraphQLError(error)])
        }
        let prepared = PreparedDocument(try valid(document))
        documents[text] = prepared
        return prepared
    }

    private func valid(_ document: Document) throws(GraphQLErrors) -> ValidDocument {
        do {
            return try validate(document, against: schema, options: options.validation)
        } catch {
            throw GraphQLErrors(error.errors)
        }
    }
}

/// How an executable schema treats operations.
public struct ExecutionOptions: Sendable {
    /// How many documents are kept parsed, validated and planned.
    public var documentCacheCapacity = 1_000
    /// How large a document may be.
    public var parserLimits = ParserLimits.default
    public var validation = ValidationOptions()
    /// Makes of what resolvers throw what clients see.
    public var errorPresenter = ErrorPresenter()

    public init() {}
}

/// Everything in which bound Swift types and their schema differ.
public struct BindingError: Error, CustomStringConvertible {
    public let differences: [SchemaDifference]

    public var description: String {
        "The bound types do not fit the schema:\n" + differences.map { "  \($0)" }.joined(separator: "\n")
    }
}
