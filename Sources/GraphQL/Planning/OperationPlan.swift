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
        if operation.type == .mutation, root.hasLoads {
            return .async { [self] in
                await execution.run(within: settings.timeLimit) { [root, rootValue] in
                    await root.prepareInSeries(rootValue, in: execution)
                }
                return write(execution)
            }
        }
        var pending: [PendingLoad] = []
        root.prepare(rootValue.layer, in: execution, pending: &pending)
        if pending.isEmpty { return .ready(write(execution)) }
        let loads = pending
        return .async { [self] in
            await execution.run(within: settings.timeLimit) { await finish(loads) }
            return write(execution)
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
            await execution.run(within: settings.timeLimit) { await finish(loads) }
        }
        return write(execution)
    }

    private func begin(
        _ variables: VariableValues, _ context: consuming AnyContext, cost: OperationCost?
    ) -> Execution {
        let execution = Execution(
            variables, context, cost: cost,
            timeout: settings.timeLimit == nil ? nil : Execution.TimeoutFlag(), slotCount: slotCount)
        for step in steps { step.run(in: execution) }
        return execution
    }

    /// Runs the write pass, after all loads are complete.
    private func write(_ execution: Execution) -> GraphQLResponse {
        var outcome = GraphQLResponse.Outcome.complete
        var isTooLarge = false
        let body = ResponseWriter.bytes(
            expecting: settings.sizeHint.expected, limit: settings.responseBytes, slots: execution.slots
        ) { writer in
            writer.write(json: "{\"data\":")
            let mark = writer.checkpoint
            if unsafe !root.write(rootValue.object, row: 0, to: &writer) {
                writer.rewind(to: mark)
                writer.writeNull()
            }
            if !writer.failures.isEmpty {
                outcome = .partial
                writeErrors(settings.presenter, to: &writer)
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
    private func writeErrors(_ presenter: ErrorFormatter, to writer: inout ResponseWriter) {
        writer.write(json: ",\"errors\":[")
        for (position, failure) in writer.failures.enumerated() {
            if writer.isOverLimit { return }
            if position > 0 { writer.write(json: ",") }
            writer.write(
                presenter.present(
                    failure.error, path: path(failure.path), locations: locations(failure.path)))
        }
        writer.write(json: "]")
    }

    private func path(_ segments: [Int]) -> [PathSegment] {
        segments.map { $0 >= 0 ? .index($0) : .key(document.text(keys[~$0].key)) }
    }

    /// Returns the positions of the failed field in the document, by the innermost key of its path.
    private func locations(_ segments: [Int]) -> [SourceLocation] {
        guard let key = segments.last(where: { $0 < 0 }) else { return [] }
        return document.source.locations(of: keys[~key].spans)
    }
}
