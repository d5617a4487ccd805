import Synchronization

/// What answers requests, whatever the type of their context: the executable schema without its type parameter.
///
/// Apart from that, it would be generic code, and run unspecialised: which costs the smallest operation a third more.
@usableFromInline
final class Engine: Sendable {
    let schema: Schema
    private let roots: Roots
    private let options: ExecutionOptions
    /// What each field of the schema costs.
    private let prices: CostModel
    private let introspection: Introspection
    private let guards: FieldGuards
    private let documents: DocumentCache
    private let reused = Atomic(0)

    init(
        _ schema: Schema, _ roots: Roots, _ prices: CostModel, _ guards: FieldGuards,
        _ options: ExecutionOptions
    ) {
        self.schema = schema
        self.roots = roots
        self.prices = prices
        self.guards = guards
        self.options = options
        introspection = Introspection(schema: schema)
        documents = DocumentCache(capacity: options.documentCacheCapacity)
    }

    /// `ExecutableSchema.respond(to:context:allowing:)`.
    @usableFromInline
    func respond(
        to request: Request, context: consuming any OpaqueContext, allowing allowed: Set<OperationType>?
    ) -> Loading<Response> {
        do throws(GraphQLErrors) {
            let (plan, circumstances) = try prepare(request, context)
            let type = plan.operation.type
            if let allowed, !allowed.contains(type) { return .ready(Response(notAllowing: type)) }
            if type == .subscription {
                throw GraphQLErrors([
                    GraphQLError("A subscription has no single response; it must be subscribed to.")
                ])
            }
            return plan.run(in: circumstances)
        } catch {
            return .ready(Response(refusing: error.errors))
        }
    }

    /// `ExecutableSchema.subscribe(to:context:renewed:)`.
    func subscribe(
        to request: Request, context: any OpaqueContext, renewed: (@Sendable () -> (any OpaqueContext)?)?
    ) async -> Result<ResponseStream, RefusedSubscription> {
        do throws(GraphQLErrors) {
            let (plan, circumstances) = try prepare(request, context)
            let run = PreparedRun(plan: plan, circumstances: circumstances, renewedContext: renewed)
            guard run.plan.operation.type == .subscription else {
                return .success(ResponseStream(single: run))
            }
            do {
                return .success(ResponseStream(run, try await run.plan.subscribe(in: run.circumstances)))
            } catch {
                let presented = options.errorPresenter.present(error, path: [], locations: [])
                return .failure(RefusedSubscription(Response(refusing: [presented])))
            }
        } catch {
            return .failure(RefusedSubscription(Response(refusing: error.errors)))
        }
    }

    /// `ExecutableSchema.cachePolicy(of:)`.
    func cachePolicy(of request: Request) -> CachePolicy? {
        guard let operation = try? prepare(request.document).operation(named: request.operationName) else {
            return nil
        }
        return operation.cachePolicy()
    }

    /// `ExecutableSchema.operationType(of:)`.
    func operationType(of request: Request) -> OperationType? {
        try? prepare(request.document).operation(named: request.operationName).definition.type
    }

    /// `ExecutableSchema.reusedDocuments`.
    var reusedDocuments: Int { reused.load(ordering: .relaxed) }

    /// Everything that is done before anything is loaded.
    private func prepare(
        _ request: Request, _ context: consuming any OpaqueContext
    ) throws(GraphQLErrors) -> (plan: OperationPlan, circumstances: OperationPlan.Circumstances) {
        let document = try prepare(request.document)
        if document.isRunAgain { reused.wrappingAdd(1, ordering: .relaxed) }
        let operation = try document.operation(named: request.operationName)
        let wantsCost = request.extensions["cost"] == .boolean(true)
        if !wantsCost, let plan = operation.settledPlan {
            return (plan, OperationPlan.Circumstances(variables: .empty, context: context))
        }
        let measured = try operation.measured(within: options.limits, at: prices)
        let variables = try operation.variables(given: request.variables, schema, options.validation)
        // Before planning: the plan of an operation that costs too much may be too large to make.
        let cost = try measured.cost(variables)
        let plan = try operation.plan(variables) { conditions throws in
            let settings = OperationPlan.Settings(
                sizeHint: operation.sizeHint, presenter: options.errorPresenter, timeLimit: options.timeLimit)
            return try roots.plan(
                operation.definition, of: document.valid, schema, introspection, guards, settings, conditions)
        }
        let circumstances = OperationPlan.Circumstances(
            variables: variables, context: context, cost: wantsCost ? cost : nil)
        return (plan, circumstances)
    }

    /// Parses and validates a document, once for all requests that send it.
    private func prepare(_ text: String) throws(GraphQLErrors) -> PreparedDocument {
        if let known = documents.document(text) { return known }
        let document: Document
        do {
            document = try parse(SourceText(text), limits: options.limits.limiting(options.parserLimits))
        } catch {
            throw GraphQLErrors([GraphQLError(refusing: error)])
        }
        let prepared = PreparedDocument(
            try validate(document, against: schema, options: options.validation))
        documents.keep(prepared)
        return prepared
    }
}
