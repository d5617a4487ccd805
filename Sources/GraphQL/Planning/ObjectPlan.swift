/// A planned selection on an object type: its fields in response order, each with its encoded key.
@usableFromInline
@safe
final class ObjectPlan: Sendable {
    /// The fields in the order of the response.
    ///
    /// They are read without reference counting, which costs more than writing a number; `fields` retains
    /// them.
    // Any thread may read them, because they are immutable after planning.
    nonisolated(unsafe) private let steps: UnsafeMutableBufferPointer<Unmanaged<FieldPlan>>
    private let fields: [FieldPlan]
    private let loads: [FieldClosures.Load]
    /// The error of every object, if the selected fields cannot be determined.
    let failure: GraphQLError?
    /// The fields with their deferred fragments, if there are any; `steps` is then empty.
    private let incremental: IncrementalObject?

    init(_ fields: [FieldPlan]) {
        self.fields = fields
        failure = nil
        incremental = nil
        loads = fields.compactMap { $0.load }
        unsafe steps = .allocate(capacity: fields.count)
        for position in fields.indices {
            unsafe steps.initializeElement(at: position, to: .passUnretained(fields[position]))
        }
    }

    /// Creates a selection with deferred fragments.
    init(_ incremental: IncrementalObject) {
        fields = incremental.fields
        loads = fields.compactMap { $0.load } + incremental.groups.compactMap { $0.load }
        failure = nil
        self.incremental = incremental
        unsafe steps = .allocate(capacity: 0)
    }

    /// Creates a selection on which every object fails.
    init(failing failure: GraphQLError) {
        fields = []
        loads = []
        incremental = nil
        self.failure = failure
        unsafe steps = .allocate(capacity: 0)
    }

    deinit {
        unsafe steps.deallocate()
    }

    /// True if a field of the selection, or one below it, is loaded.
    @usableFromInline
    var hasLoads: Bool { !loads.isEmpty }

    /// Writes an object's fields; returns false if a non-null field failed.
    @usableFromInline
    func write(_ source: UnsafeRawPointer, row: Int, to writer: inout ResponseWriter) -> Bool {
        guard unsafe steps.count > 0 else { return unsafe writeWithoutSteps(source, row, to: &writer) }
        writer.path.enter()
        for position in unsafe 0..<steps.count {
            let isWritten = unsafe steps[position]._withUnsafeGuaranteedRef { step in
                writer.path.set(key: step.key)
                unsafe writer.write(key: step.bytes, length: step.length)
                if let leaf = step.leaf { return unsafe leaf.write(source + step.offset, to: &writer) }
                return unsafe step.emit(source, row, &writer)
            }
            guard isWritten else { return false }
        }
        writer.path.exit()
        writer.write(byte: UInt8(ascii: "}"))
        return !writer.isOverLimit
    }

    private func writeWithoutSteps(
        _ source: UnsafeRawPointer, _ row: Int, to writer: inout ResponseWriter
    ) -> Bool {
        if let incremental { return unsafe incremental.write(source, row: row, to: &writer) }
        if let failure {
            writer.fail(failure)
            return false
        }
        writer.write(json: "{}")
        return true
    }

    /// Starts the loads below these objects concurrently.
    @usableFromInline
    func prepare(_ layer: ObjectLayer, in execution: Execution, pending: inout [PendingLoad]) {
        for load in loads { load(layer, execution, &pending) }
    }

    /// Runs the loads one after the other, each with everything below it: the root fields of a mutation
    /// (specification, section 6.2.2).
    ///
    /// The guards of each field are checked again before the field starts. An earlier field or another
    /// request may have removed a permission that it needs. A field that has started is finished.
    func prepareInSeries(_ root: RootValue, in execution: Execution) async {
        for field in fields {
            guard let load = field.load else { continue }
            if let guards = field.guards, guards.isDenied(in: execution) { continue }
            var pending: [PendingLoad] = []
            load(root.layer, execution, &pending)
            await finish(pending)
        }
    }

    /// Opens the events of the selection's first field, which is the only one of a subscription.
    var subscribe: Subscribe? { fields.first?.subscribe }
}

/// A field of a planned selection.
@safe
final class FieldPlan: Sendable {
    /// `{"key":` for the first field of an object, `,"key":` for the others.
    // Any thread may read them: the plan's `ResponseKeyBytes` owns them and is immutable after planning.
    nonisolated(unsafe) let bytes: UnsafePointer<UInt8>
    let length: Int
    /// The index of the response key in the plan.
    let key: Int
    /// The built-in scalar if it is stored directly in the object, otherwise nil.
    let leaf: InlineScalar?
    /// The byte offset of the scalar from the beginning of the object.
    let offset: Int
    /// Writes the field if it is not an inline scalar.
    let emit: FieldClosures.Emit
    let load: FieldClosures.Load?
    let subscribe: Subscribe?
    let guards: GuardedSlot?

    init(bytes: UnsafePointer<UInt8>, length: Int, key: Int, _ field: FieldClosures) {
        unsafe self.bytes = bytes
        self.length = length
        self.key = key
        switch field.content {
        case .stored(let leaf, let offset):
            self.leaf = leaf
            self.offset = offset
            unsafe emit = { _, _, _ in false }
        case .emitted(let emit):
            leaf = nil
            offset = 0
            unsafe self.emit = emit
        }
        load = field.load
        subscribe = field.subscribe
        guards = field.guards
    }
}

/// A reference to a planned selection on objects of one Swift type.
///
/// It is not reference-counted, because the operation's plan owns all parts and outlives every execution.
@frozen
@safe
public struct ObjectPlanReference<Source: Sendable>: @unchecked Sendable {
    // Sendable, although not reference-counted: the operation's plan owns the referenced plan and outlives
    // every execution, and a plan is immutable.
    @usableFromInline
    let plan: Unmanaged<ObjectPlan>

    /// Creates a reference.
    ///
    /// - Parameter plan: The plan of an `ObjectType<Source>`, whose fields interpret their objects as
    ///   `Source`.
    @usableFromInline
    init(_ plan: ObjectPlan) {
        unsafe self.plan = .passUnretained(plan)
    }

    @inlinable
    var hasLoads: Bool {
        unsafe plan._withUnsafeGuaranteedRef { $0.hasLoads }
    }

    @inlinable
    @inline(__always)
    func write(_ source: UnsafePointer<Source>, row: Int, to writer: inout ResponseWriter) -> Bool {
        unsafe plan._withUnsafeGuaranteedRef {
            unsafe $0.write(UnsafeRawPointer(source), row: row, to: &writer)
        }
    }

    @inlinable
    func prepare(_ nodes: [Source], in execution: Execution, pending: inout [PendingLoad]) {
        guard !nodes.isEmpty else { return }
        unsafe plan._withUnsafeGuaranteedRef { plan in
            ObjectLayer.withLayer(nodes) { plan.prepare($0, in: execution, pending: &pending) }
        }
    }
}
