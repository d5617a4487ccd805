import Synchronization

/// An executable schema without its type parameter.
///
/// Generic code would run unspecialised, which takes a third more time for the smallest operation.
@usableFromInline
final class AnyExecutableSchema: Sendable {
    let schema: Schema
    private let roots: RootValues
    private let options: ExecutionOptions
    /// The cost of each field of the schema.
    private let costs: SchemaCosts
    private let introspection: Introspection
    private let guards: FieldGuards
    private let documents: DocumentCache
    private let reused = Atomic(0)
    private let parsed = Atomic(0)

    init(
        _ schema: Schema, _ roots: RootValues, _ costs: SchemaCosts, _ guards: FieldGuards,
        _ options: ExecutionOptions
    ) {
        self.schema = schema
        self.roots = roots
        self.costs = costs
        self.guards = guards
        self.options = options
        introspection = Introspection(schema: schema)
        documents = DocumentCache(
            capacity: options.documentCacheCapacity, bytes: options.documentCacheBytes)
    }

    /// Implements `ExecutableSchema.prepare(_:)`.
    @usableFromInline
    func prepare(_ request: GraphQLRequest) -> PreparedRequest {
        if let document = documents.document(request.document) { return prepare(request, of: document) }
        parsed.wrappingAdd(1, ordering: .relaxed)
        let source = SourceText(request.document)
        do throws(GraphQLErrors) {
            let valid = try schema.validDocument(
                source, limits: options.limits.limiting(options.parserLimits), options: options.validation)
            let document = PreparedDocument(valid, planBytes: documents.planBytes)
            let prepared = prepare(request, of: document)
            // Cache only accepted documents: refused ones, which any client can send, must not evict them.
            if case .operation(let operation, _, _) = prepared.state,
                (try? operation.measured(within: options.limits, at: costs)) != nil
            {
                documents.store(document)
            }
            return prepared
        } catch {
            return PreparedRequest(request, .rejected(error, text: source.bytes))
        }
    }

    private func prepare(_ request: GraphQLRequest, of document: PreparedDocument) -> PreparedRequest {
        do throws(GraphQLErrors) {
            let operation = try document.operation(named: request.operationName)
            let variables = Result { () throws(GraphQLErrors) in
                try operation.variables(given: request.variables, schema, options.validation)
            }
            return PreparedRequest(request, .operation(operation, of: document, variables: variables))
        } catch {
            return PreparedRequest(request, .rejected(error, text: document.text))
        }
    }

    /// Implements `ExecutableSchema.respond(to:context:allowing:)`.
    @usableFromInline
    func respond(
        to request: PreparedRequest, context: consuming AnyContext,
        allowing allowed: Set<OperationType>?
    ) -> MaybeAsync<GraphQLResponse> {
        do throws(GraphQLErrors) {
            let (plan, variables, cost) = try plan(request)
            let type = plan.operation.type
            if let allowed, !allowed.contains(type) { return .ready(GraphQLResponse(notAllowing: type)) }
            if type == .subscription {
                throw GraphQLErrors([
                    GraphQLError(
                        "A subscription has no single response; it must be subscribed to.",
                        extensions: RequestErrorCode.operationNotAllowed.extensions)
                ])
            }
            return plan.run(variables, context, cost: cost)
        } catch {
            return .ready(GraphQLResponse(requestErrors: error.errors))
        }
    }

    /// Implements `ExecutableSchema.deliver(_:context:allowing:in:)`.
    func deliver(
        _ request: PreparedRequest, context: consuming AnyContext, allowing allowed: Set<OperationType>?,
        in format: IncrementalFormat
    ) -> MaybeAsync<IncrementalResponse> {
        guard request.hasIncrementalDirectives, request.operationType != .subscription else {
            return respond(to: request, context: context, allowing: allowed).map { IncrementalResponse($0) }
        }
        do throws(GraphQLErrors) {
            let (plan, variables, cost) = try plan(request, in: format)
            let type = plan.operation.type
            if let allowed, !allowed.contains(type) {
                return .ready(IncrementalResponse(GraphQLResponse(notAllowing: type)))
            }
            return plan.deliver(variables, context, cost: cost, includesAvailable: true)
        } catch {
            return .ready(IncrementalResponse(GraphQLResponse(requestErrors: error.errors)))
        }
    }

    /// Implements `ExecutableSchema.subscribe(to:context:renewed:)`.
    func subscribe(
        to request: PreparedRequest, context: AnyContext, in format: IncrementalFormat?,
        renewed: (@Sendable () -> AnyContext?)?
    ) async -> Result<ResponseStream, SubscriptionError> {
        do throws(GraphQLErrors) {
            let isDivisible = request.hasIncrementalDirectives && request.operationType != .subscription
            let (plan, variables, cost) = try plan(request, in: isDivisible ? format : nil)
            let run = ExecutionArguments(
                plan: plan, variables: variables, cost: cost, context: context, renewedContext: renewed)
            guard plan.operation.type == .subscription else {
                return .success(ResponseStream(single: run))
            }
            do {
                return .success(ResponseStream(run, try await plan.subscribe(variables, context)))
            } catch {
                let presented = options.errorPresenter.present(error, path: [], locations: [])
                return .failure(SubscriptionError(GraphQLResponse(requestErrors: [presented])))
            }
        } catch {
            return .failure(SubscriptionError(GraphQLResponse(requestErrors: error.errors)))
        }
    }

    /// See `ExecutableSchema.reusedDocuments`.
    var reusedDocuments: Int { reused.load(ordering: .relaxed) }

    /// See `ExecutableSchema.parsedDocuments`.
    var parsedDocuments: Int { parsed.load(ordering: .relaxed) }

    /// Returns the plan of an operation, its variables, and its cost if the response reports it.
    private func plan(
        _ request: PreparedRequest, in format: IncrementalFormat? = nil
    ) throws(GraphQLErrors) -> (OperationPlan, VariableValues, OperationCost?) {
        switch request.state {
        case .unprepared(let unprepared, _, _): return try plan(prepare(unprepared), in: format)
        case .rejected(let errors, _): throw errors
        case .operation(let operation, let document, let variables):
            if document.markRun() { reused.wrappingAdd(1, ordering: .relaxed) }
            if format == nil, !request.requestsCost, let plan = operation.constantPlan {
                return (plan, .empty, nil)
            }
            let measured = try operation.measured(within: options.limits, at: costs)
            let variables = try variables.get()
            // Checked before planning, because the plan of a too expensive operation may be too large.
            let cost = try measured.cost(variables)
            var isNew = false
            let plan = try operation.plan(variables, in: format) { conditions throws in
                isNew = true
                let settings = OperationPlan.Settings(
                    sizeHint: operation.sizeHint, presenter: options.errorPresenter,
                    timeLimit: options.timeLimit, responseBytes: options.limits.responseBytes)
                return try roots.plan(
                    operation.definition, of: document.valid, schema, introspection, guards, settings,
                    conditions)
            }
            // The document takes more memory now.
            if isNew { documents.store(document) }
            return (plan, variables, request.requestsCost ? cost : nil)
        }
    }
}
