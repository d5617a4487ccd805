/// A planned operation, which can run any number of times, also concurrently.
@usableFromInline
final class OperationPlan: @unchecked Sendable {
    // Sendable, although `parts` are untyped: they are the plans of selections, which are immutable, and
    // nothing reads them; they are retained so that the references between them stay valid.
    private let parts: [AnyObject]
    private let keyBytes: ResponseKeyBytes
    private let slotCount: Int
    private let steps: [SetupStep]
    private let keys: [FieldGroup]
    private let document: Document
    private let root: ObjectPlan
    private let rootValue: RootValue
    let operation: OperationDefinition
    let settings: Settings
    /// The format of deferred parts; nil if there are none.
    let format: IncrementalFormat?
    /// The approximate memory of the plan in bytes, without the document.
    let weight: Int

    init(
        _ operation: OperationDefinition, _ root: ObjectPlan, from rootValue: RootValue, _ settings: Settings,
        _ planner: consuming Planner
    ) {
        self.settings = settings
        self.operation = operation
        self.root = root
        self.rootValue = rootValue
        parts = planner.plans
        keyBytes = planner.keyBytes
        slotCount = planner.slotCount
        steps = planner.steps
        keys = planner.keys
        document = planner.document
        format = planner.isIncremental ? planner.conditions.format : nil
        // A field of the response has its step, closures for writing and loading, and its key.
        weight =
            2_048 + planner.keys.heapWeight
            + planner.keys.reduce(0) { $0 + OperationPlan.fieldWeight + $1.others.heapWeight }
            + planner.keyBytes.capacity
            + planner.steps.count * OperationPlan.argumentsWeight
    }

    private static let fieldWeight = 384
    private static let argumentsWeight = 512

    /// The settings that are common to all runs.
    struct Settings: Sendable {
        let sizeHint: ResponseSizeHint
        let presenter: ErrorFormatter
        /// The time limit of the loads; nil for no limit.
        let timeLimit: Duration?
        /// See `OperationLimits.responseBytes`.
        let responseBytes: Int
    }

    /// Executes the operation; synchronously if all its loads return synchronously.
    func run(
        _ variables: VariableValues, _ context: consuming AnyContext, cost: OperationCost?
    ) -> MaybeAsync<GraphQLResponse> {
        let execution = begin(variables, context, cost: cost)
        guard let loads = start(execution) else { return .ready(write(execution)) }
        return .async { [self] in
            await finish(loads, of: execution)
            return write(execution)
        }
    }

    /// The loads of an operation that must be awaited.
    enum AwaitedLoads: Sendable {
        /// The root fields of a mutation, which are loaded one after the other.
        case inSeries
        case concurrent([PendingLoad])
    }

    /// Starts the loads of an operation, except those of deferred parts; returns nil if all have ended.
    func start(_ execution: Execution) -> AwaitedLoads? {
        if operation.type == .mutation, root.hasLoads { return .inSeries }
        var pending: [PendingLoad] = []
        root.prepare(rootValue.layer, in: execution, pending: &pending)
        return pending.isEmpty ? nil : .concurrent(pending)
    }

    /// Waits for the end of loads.
    func finish(_ loads: AwaitedLoads, of execution: Execution) async {
        await execution.run(within: settings.timeLimit) { [root, rootValue] in
            switch loads {
            case .inSeries: await root.prepareInSeries(rootValue, in: execution)
            case .concurrent(let pending): await GraphQL.finish(pending)
            }
        }
    }

    /// Opens the events of a subscription.
    ///
    /// - Throws: The error of opening the source stream.
    func subscribe(
        _ variables: VariableValues, _ context: AnyContext
    ) async throws -> any AsyncSequence<SourceEvent, any Error> & Sendable {
        guard let subscribe = root.subscribe else { throw PlanningError.noOperation }
        return try await subscribe(begin(variables, context, cost: nil))
    }

    /// Returns the response to one event of a subscription.
    func respond(
        to event: SourceEvent, _ variables: VariableValues, _ context: AnyContext, cost: OperationCost?
    ) async -> GraphQLResponse {
        let context = event.context?(context) ?? context
        let execution = begin(variables, context, cost: cost)
        var pending: [PendingLoad] = []
        event.put(execution, &pending)
        let loads = pending
        if !loads.isEmpty {
            await execution.run(within: settings.timeLimit) { await GraphQL.finish(loads) }
        }
        return write(execution)
    }

    func begin(
        _ variables: VariableValues, _ context: consuming AnyContext, cost: OperationCost?,
        _ deferred: DeferredLoads? = nil
    ) -> Execution {
        let execution = Execution(
            variables, context, cost: cost,
            timeout: settings.timeLimit == nil ? nil : Execution.TimeoutFlag(), slotCount: slotCount,
            deferred: deferred)
        for step in steps { step.run(in: execution) }
        return execution
    }

    /// Runs the write pass, after all loads are complete.
    ///
    /// - Parameters:
    ///   - execution: The execution.
    ///   - increments: Records the deferred parts; nil if there are none.
    /// - Returns: The response without the announcements of deferred parts.
    func write(_ execution: Execution, _ increments: IncrementRecorder? = nil) -> GraphQLResponse {
        var outcome = GraphQLResponse.Outcome.complete
        var isTooLarge = false
        let body = ResponseWriter.bytes(
            expecting: settings.sizeHint.expected, limit: settings.responseBytes, slots: execution.slots
        ) { writer in
            writer.increments = increments
            writer.write(json: "{\"data\":")
            let mark = writer.checkpoint
            if unsafe !root.write(rootValue.object, row: 0, to: &writer) {
                writer.rewind(to: mark)
                writer.writeNull()
            }
            if !writer.failures.isEmpty {
                outcome = .partial
                writeErrors(to: &writer)
            }
            if let cost = execution.cost {
                writer.write(json: ",\"extensions\":{\"cost\":")
                writer.write(cost.inputValue)
                writer.write(json: "}")
            }
            writer.write(byte: UInt8(ascii: "}"))
            isTooLarge = writer.isOverLimit
        }
        return withExtendedLifetime(execution) {
            if isTooLarge {
                let error = GraphQLError(tooLargeResponseTo: operation.type, limit: settings.responseBytes)
                return GraphQLResponse(requestErrors: [error])
            }
            settings.sizeHint.record(body.count)
            return GraphQLResponse(body: body, outcome: outcome, hasExtensions: execution.cost != nil)
        }
    }

    /// Presents one error at a time, because all errors together take more memory than their text.
    private func writeErrors(to writer: inout ResponseWriter) {
        writer.write(json: ",\"errors\":[")
        for (position, failure) in writer.failures.enumerated() {
            if writer.isOverLimit { return }
            if position > 0 { writer.write(json: ",") }
            writer.write(error(failure))
        }
        writer.write(json: "]")
    }

    /// Returns the response error of a failure.
    func error(_ failure: FieldFailure) -> GraphQLError {
        settings.presenter.present(
            failure.error, path: path(failure.path), locations: locations(failure.path))
    }

    func path(_ segments: [Int]) -> [PathSegment] {
        segments.map { $0 >= 0 ? .index($0) : .key(document.text(keys[~$0].key)) }
    }

    /// Returns the positions of the failed field in the document, by the innermost key of its path.
    private func locations(_ segments: [Int]) -> [SourceLocation] {
        guard let key = segments.last(where: { $0 < 0 }) else { return [] }
        return document.source.locations(of: keys[~key].spans)
    }
}
