/// A schema with Swift types bound to it: what answers requests.
///
/// ```swift
/// let schema = try ExecutableSchema(schema, query: Query(), context: Context.self)
/// let response = try await schema.respond(to: GraphQLRequest("{ account { equity } }"), context: context).value()
/// ```
public final class ExecutableSchema<Context: AnyObject & Sendable>: Sendable {
    @usableFromInline
    let engine: Engine
    /// The schema that requests are validated against and introspection tells of.
    public var schema: Schema { engine.schema }
    /// The coordinates, as `Type.field`, of the fields that are loaded, those of subscriptions among them.
    package let loadedFields: Set<String>

    /// Binds Swift types to a schema.
    ///
    /// - Parameters:
    ///   - schema: the schema, checked already.
    ///   - query: the value that queries begin from; its type stands for the schema's query type.
    ///   - mutation: the same for mutations, where the schema has any.
    ///   - subscription: the same for subscriptions; its fields are made with `events:`.
    ///   - context: the class of the contexts, which all resolvers require.
    ///   - guards: what decides about fields that bear a directive, before anything is called.
    ///   - options: limits, and how errors are presented.
    /// - Throws: `BindingError` with every difference between the schema and the bound types.
    public init<Query: GraphQLObject, Mutation: GraphQLObject, Subscription: GraphQLObject>(
        _ schema: Schema, query: Query, mutation: Mutation = EmptyRoot(),
        subscription: Subscription = EmptyRoot(), context: Context.Type,
        guards: [FieldGuard<Context>] = [], options: ExecutionOptions = ExecutionOptions()
    ) throws(BindingError) {
        let prices: SchemaCosts
        do {
            prices = try SchemaCosts(schema)
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
        engine = Engine(schema, roots, prices, guards, options)
    }

    /// Looks up the document of a request, or parses and validates it, and selects the operation that the
    /// request names.
    ///
    /// A request that cannot be executed returns a value too; `respond` and `subscribe` then return its
    /// errors.
    public func prepare(_ request: GraphQLRequest) -> PreparedRequest {
        engine.prepare(request)
    }

    /// Answers a request: at once where all that it asks for is at hand.
    ///
    /// Whatever is wrong with the request is said in the response; this never throws.
    ///
    /// - Parameters:
    ///   - request: the document, which of its operations to run, and the values of its variables.
    ///   - context: what resolvers are given.
    ///   - allowed: the kinds of operation that may run, nil for all; GraphQL over HTTP lets GET run queries only. Of
    ///     another kind nothing is run, and the response's outcome is `notAllowed`.
    /// - Returns: the response, or what makes it once its loads have answered.
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

    /// How often a document was neither parsed nor validated again, because it had been run before.
    package var reusedDocuments: Int { engine.reusedDocuments }

    /// How many documents were parsed, and validated if their syntax was correct.
    package var parsedDocuments: Int { engine.parsedDocuments }

    /// Begins a subscription: a response for each event of its source stream, which ends with the sequence.
    ///
    /// A query or mutation is answered by a sequence of one response.
    ///
    /// - Parameters:
    ///   - request: the document, which of its operations to run, and the values of its variables.
    ///   - context: what the source stream begins with.
    ///   - renewed: the context of each event, for what a context says of one moment, such as a deadline; nil for the
    ///     same one each time. Where it makes none, the subscription ends.
    /// - Returns: the responses, or the one response that says why there are none.
    public func subscribe(
        to request: GraphQLRequest, context: Context, renewed: (@Sendable () -> Context?)? = nil
    ) async -> Result<ResponseStream, SubscriptionError> {
        await subscribe(to: engine.prepare(request), context: context, renewed: renewed)
    }

    /// Begins a subscription that `prepare(_:)` has returned; see `subscribe(to:context:renewed:)`.
    public func subscribe(
        to request: PreparedRequest, context: Context, renewed: (@Sendable () -> Context?)? = nil
    ) async -> Result<ResponseStream, SubscriptionError> {
        await engine.subscribe(to: request, context: context, renewed: renewed)
    }
}

/// How an executable schema treats operations.
public struct ExecutionOptions: Sendable {
    /// How many documents are kept parsed, validated and planned.
    public var documentCacheCapacity = 1_000
    /// How many bytes these documents take at most, by an estimate that includes their texts and plans.
    public var documentCacheBytes = 16 << 20
    /// How large a document may be.
    public var parserLimits = ParserLimits.default
    /// How many faults of a document are reported, and how much their messages tell of the schema.
    public var validation = ValidationOptions()
    /// How much one operation may ask for.
    public var limits = OperationLimits.default
    /// How long the loads of an operation may take together; nil for as long as they like.
    ///
    /// They are cancelled then,
    /// and what they were for is null with code OPERATION_TIMED_OUT.
    public var timeLimit: Duration?
    /// Makes of what resolvers throw what clients see.
    public var errorPresenter = ErrorFormatter()

    /// The defaults of each; a limit of time is not among them.
    public init() {}
}

/// Everything in which bound Swift types and their schema differ.
public struct BindingError: Error, CustomStringConvertible {
    /// Where schema and types differ, in the order in which binding came upon it; empty where costs are at fault.
    public let differences: [SchemaDifference]
    /// What is wrong with the costs that the schema gives its fields.
    public let faults: [GraphQLError]

    /// A heading, then each difference and fault on a line of its own.
    public var description: String {
        let lines = differences.map { "  \($0)" } + faults.map { "  \($0.message)" }
        return "The bound types do not fit the schema:\n" + lines.joined(separator: "\n")
    }
}
