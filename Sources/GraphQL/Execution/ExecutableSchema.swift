/// A schema with bound Swift types, which executes requests.
///
/// ```swift
/// let schema = try ExecutableSchema(schema, query: Query(), context: Context.self)
/// let request = GraphQLRequest("{ account { equity } }")
/// let response = try await schema.respond(to: request, context: context).value()
/// ```
public final class ExecutableSchema<Context: AnyObject & Sendable>: Sendable {
    @usableFromInline
    let engine: AnyExecutableSchema
    /// The schema for validation and introspection.
    public var schema: Schema { engine.schema }
    /// The coordinates of the loaded fields, as `Type.field`, including those of subscriptions.
    package let loadedFields: Set<String>

    /// Binds Swift types to a schema.
    ///
    /// - Parameters:
    ///   - schema: The validated schema.
    ///   - query: The root value of queries; its type is bound to the schema's query type.
    ///   - mutation: The root value of mutations, if the schema has any.
    ///   - subscription: The root value of subscriptions, if the schema has any; its fields are created with
    ///     `events:`.
    ///   - context: The class of the contexts, which all resolvers require.
    ///   - guards: The guards of fields with a directive, which run before any resolver.
    ///   - options: Limits and error presentation.
    /// - Throws: `BindingError` with every difference between the schema and the bound types.
    public init<Query: GraphQLObject, Mutation: GraphQLObject, Subscription: GraphQLObject>(
        _ schema: Schema, query: Query, mutation: Mutation = EmptyRoot(),
        subscription: Subscription = EmptyRoot(), context: Context.Type,
        guards: [FieldGuard<Context>] = [], options: ExecutionOptions = ExecutionOptions()
    ) throws(BindingError) {
        let costs: SchemaCosts
        do {
            costs = try SchemaCosts(schema)
        } catch {
            throw BindingError(differences: [], faults: error.errors)
        }
        let roots = RootValues(
            query: RootBinding(query), mutation: RootBinding(ifAny: mutation),
            subscription: RootBinding(ifAny: subscription))
        var binder = SchemaBinder(schema: schema, context: context)
        roots.bind(to: &binder)
        let guards = FieldGuards(guards)
        guards.bind(to: &binder)
        if !binder.differences.isEmpty { throw BindingError(differences: binder.differences, faults: []) }
        loadedFields = binder.loads
        engine = AnyExecutableSchema(schema, roots, costs, guards, options)
    }

    /// Looks up the document of a request, or parses and validates it, and selects the operation that the
    /// request names.
    ///
    /// A request that cannot be executed returns a value too; `respond` and `subscribe` then return its
    /// errors.
    public func prepare(_ request: GraphQLRequest) -> PreparedRequest {
        engine.prepare(request)
    }

    /// Executes a request; synchronously if all its data are available.
    ///
    /// All errors of the request are in the response; this never throws.
    ///
    /// - Parameters:
    ///   - request: The document, the name of its operation, and the values of its variables.
    ///   - context: The context that resolvers receive.
    ///   - allowed: The kinds of operations that may run, nil for all; GraphQL over HTTP allows only queries
    ///     for GET. An operation of another kind is not run, and the response's outcome is `notAllowed`.
    /// - Returns: The response, or a closure that returns it after its loads.
    @inlinable
    public func respond(
        to request: GraphQLRequest, context: Context, allowing allowed: Set<OperationType>? = nil
    ) -> MaybeAsync<GraphQLResponse> {
        respond(to: engine.prepare(request), context: context, allowing: allowed)
    }

    /// Executes a request that `prepare(_:)` has returned; see `respond(to:context:allowing:)`.
    @inlinable
    public func respond(
        to request: PreparedRequest, context: Context, allowing allowed: Set<OperationType>? = nil
    ) -> MaybeAsync<GraphQLResponse> {
        engine.respond(to: request, context: context, allowing: allowed)
    }

    /// Executes a request with incremental delivery of its parts with `@defer` and `@stream`.
    ///
    /// The first payload contains the deferred parts whose data are available. Parts of subscriptions are
    /// not deferred.
    ///
    /// - Parameters:
    ///   - request: A request that `prepare(_:)` has returned.
    ///   - context: The context that resolvers receive.
    ///   - allowed: The kinds of operations that may run, nil for all.
    ///   - format: The format of the payloads.
    /// - Returns: The payloads, or a closure that returns them after the loads of the first one.
    public func deliver(
        _ request: PreparedRequest, context: Context, allowing allowed: Set<OperationType>? = nil,
        in format: IncrementalFormat
    ) -> MaybeAsync<IncrementalResponse> {
        engine.deliver(request, context: context, allowing: allowed, in: format)
    }

    /// The number of requests whose document was in the cache, so that it was neither parsed nor validated.
    package var reusedDocuments: Int { engine.reusedDocuments }

    /// The number of parsed documents, which were also validated if their syntax was correct.
    package var parsedDocuments: Int { engine.parsedDocuments }

    /// Starts a subscription, with a response for each event of its source stream until that ends.
    ///
    /// For a query or mutation, the sequence has one response, or its payloads.
    ///
    /// - Parameters:
    ///   - request: The document, the name of its operation, and the values of its variables.
    ///   - context: The context that opens the source stream.
    ///   - format: The format of the payloads of a query or mutation with `@defer` or `@stream`; nil for one
    ///     complete response.
    ///   - renewed: Returns the context of each event, for data with a limited lifetime such as a deadline;
    ///     nil to use `context` for all events. If it returns nil, the subscription ends.
    /// - Returns: The responses, or a single response with the error.
    public func subscribe(
        to request: GraphQLRequest, context: Context, in format: IncrementalFormat? = nil,
        renewed: (@Sendable () -> Context?)? = nil
    ) async -> Result<ResponseStream, SubscriptionError> {
        await subscribe(to: engine.prepare(request), context: context, in: format, renewed: renewed)
    }

    /// Starts a subscription that `prepare(_:)` has returned; see `subscribe(to:context:in:renewed:)`.
    public func subscribe(
        to request: PreparedRequest, context: Context, in format: IncrementalFormat? = nil,
        renewed: (@Sendable () -> Context?)? = nil
    ) async -> Result<ResponseStream, SubscriptionError> {
        await engine.subscribe(to: request, context: context, in: format, renewed: renewed)
    }
}

/// The options of an executable schema.
public struct ExecutionOptions: Sendable {
    /// The maximum number of documents that are stored with their plans.
    public var documentCacheCapacity = 1_000
    /// The maximum memory of these documents in bytes, an estimate that includes their texts and plans.
    public var documentCacheBytes = 12 << 20
    /// The limits on the size of a document.
    public var parserLimits = ParserLimits.default
    /// The options of validation: the number of reported errors, and the detail of messages.
    public var validation = ValidationOptions()
    /// The limits on one operation.
    public var limits = OperationLimits.default
    /// The time limit for all loads of an operation; nil for no limit.
    ///
    /// At the limit the loads are cancelled, and their fields are null with code OPERATION_TIMED_OUT.
    public var timeLimit: Duration?
    /// Converts errors of resolvers to response errors.
    public var errorPresenter = ErrorFormatter()

    /// Creates the default options, without a time limit.
    public init() {}
}

/// The differences between bound Swift types and their schema.
public struct BindingError: Error, CustomStringConvertible {
    /// The differences in the order of binding; empty if only the costs are invalid.
    public let differences: [SchemaDifference]
    /// The errors of the schema's cost directives.
    public let faults: [GraphQLError]

    /// A heading, followed by one line for each difference and error.
    public var description: String {
        let lines = differences.map { "  \($0)" } + faults.map { "  \($0.message)" }
        return "The bound types do not fit the schema:\n" + lines.joined(separator: "\n")
    }
}
