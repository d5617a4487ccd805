/// An operation, ready to run any number of times, by any number of requests at once.
final class OperationPlan: @unchecked Sendable {
    // Sendable, although `parts` are untyped: they are the plans of selections, which are immutable, and nothing
    // reads them; they are held so that the references between them stay valid.
    private let parts: [AnyObject]
    private let keyBytes: KeyBytes
    private let slotCount: Int
    private let argumentSteps: [ArgumentStep]
    private let keys: [ResponseKey]
    private let source: SourceText
    private let root: RootPlan
    let operation: OperationDefinition

    init(_ operation: OperationDefinition, _ root: RootPlan, _ planner: consuming Planner) {
        self.operation = operation
        self.root = root
        parts = planner.plans
        keyBytes = planner.keyBytes
        slotCount = planner.slotCount
        argumentSteps = planner.argumentSteps
        keys = planner.keys
        source = planner.document.source
    }

    /// What a run needs beside the plan.
    struct Circumstances: Sendable {
        let variables: VariableValues
        let context: any Sendable
        let sizeHint: SizeHint
        let presenter: ErrorPresenter
        /// How long loads may take; nil for as long as they like.
        let timeLimit: Duration?
        /// What the operation costs, where the client has asked to be told.
        var cost: InputValue?
    }

    /// Runs the operation: at once where all its loads answer at once.
    func run(in circumstances: Circumstances) -> Loading<Response> {
        let execution = begin(in: circumstances)
        if operation.type == .mutation, root.hasLoads {
            return .later { [self] in
                await execution.run(within: circumstances.timeLimit) { [root] in
                    await root.prepareInSeries(execution)
                }
                return write(execution, circumstances)
            }
        }
        var pending: [PendingLoad] = []
        root.prepare(execution, &pending)
        if pending.isEmpty { return .ready(write(execution, circumstances)) }
        let loads = pending
        return .later { [self] in
            await execution.run(within: circumstances.timeLimit) { await finish(loads) }
            return write(execution, circumstances)
        }
    }

    /// Begins the events of a subscription.
    ///
    /// - Throws: what kept the source stream from beginning.
    func subscribe(
        in circumstances: Circumstances
    ) async throws -> any AsyncSequence<Delivery, any Error> & Sendable {
        guard let subscribe = root.subscribe else { throw PlanningError.noOperation }
        return try await subscribe(begin(in: circumstances))
    }

    /// The response to one event of a subscription.
    func respond(to delivery: Delivery, in circumstances: Circumstances) async -> Response {
        let execution = begin(in: circumstances)
        var pending: [PendingLoad] = []
        delivery(execution, &pending)
        let loads = pending
        if !loads.isEmpty {
            await execution.run(within: circumstances.timeLimit) { await finish(loads) }
        }
        return write(execution, circumstances)
    }

    private func begin(in circumstances: Circumstances) -> Execution {
        let execution = Execution(
            variables: circumstances.variables, context: circumstances.context, slotCount: slotCount)
        for step in argumentSteps { step.fill(execution) }
        return execution
    }

    /// The write pass: everything is at hand.
    private func write(_ execution: Execution, _ circumstances: Circumstances) -> Response {
        var writer = ResponseWriter(capacity: circumstances.sizeHint.expected, slots: execution.slots)
        writer.write(json: "{\"data\":")
        let mark = writer.mark
        if !root.write(&writer) {
            writer.rewind(to: mark)
            writer.writeNull()
        }
        let failures = writer.failures
        if !failures.isEmpty {
            let errors = failures.map { failure in
                circumstances.presenter.present(
                    failure.error, path: path(failure.path), locations: locations(failure.path))
            }
            writer.write(json: ",\"errors\":")
            writer.write(errors)
        }
        if let cost = circumstances.cost {
            writer.write(json: ",\"extensions\":{\"cost\":")
            writer.write(cost)
            writer.write(json: "}")
        }
        writer.write(byte: UInt8(ascii: "}"))
        circumstances.sizeHint.learn(writer.count)
        return withExtendedLifetime(execution) {
            Response(body: writer.bytes, outcome: failures.isEmpty ? .complete : .partial)
        }
    }

    private func path(_ segments: [Int]) -> [PathSegment] {
        segments.map { $0 >= 0 ? .index($0) : .key(keys[~$0].name) }
    }

    /// Where the document selects the field that failed: the innermost key of its path.
    private func locations(_ segments: [Int]) -> [SourceLocation] {
        guard let key = segments.last(where: { $0 < 0 }) else { return [] }
        return source.locations(of: keys[~key].spans)
    }
}

/// The plan of an operation's root selection, with the root value that it begins from.
struct RootPlan: Sendable {
    let hasLoads: Bool
    let prepare: @Sendable (Execution, inout [PendingLoad]) -> Void
    let prepareInSeries: @Sendable (Execution) async -> Void
    let write: @Sendable (inout ResponseWriter) -> Bool
    /// Begins the events of a subscription.
    let subscribe: Subscribe?

    init<Root: GraphQLObject>(_ value: Root, _ plan: ObjectPlanReference<Root>) {
        hasLoads = plan.hasLoads
        subscribe = plan.subscribe
        prepare = { execution, pending in plan.prepare([value], in: execution, pending: &pending) }
        prepareInSeries = { execution in await plan.prepareInSeries([value], in: execution) }
        write = { writer in
            unsafe withUnsafePointer(to: value) { unsafe plan.write($0, row: 0, to: &writer) }
        }
    }
}

extension ObjectPlanReference {
    var subscribe: Subscribe? {
        unsafe plan._withUnsafeGuaranteedRef { $0.subscribe }
    }

    func prepareInSeries(_ nodes: [Source], in execution: Execution) async {
        await unsafe plan.takeUnretainedValue().prepareInSeries(nodes, in: execution)
    }
}
