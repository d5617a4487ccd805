/// A Swift type bound to an interface or union of the schema (specification, sections 3.7 and 3.8).
///
/// It is usually an enum with a case for each possible type.
///
/// ```swift
/// extension SearchHit: GraphQLAbstract {
///     static let graphQL = AbstractType<SearchHit>("SearchHit") {
///         PossibleType(Instrument.self) { if case .instrument(let hit) = $0 { hit } else { nil } }
///         PossibleType(Watchlist.self) { if case .watchlist(let hit) = $0 { hit } else { nil } }
///     }
/// }
/// ```
public protocol GraphQLAbstract: GraphQLOutput where Node == Self, Selection == AbstractPlanReference<Self> {
    /// The type's name with its possible object types.
    static var graphQL: AbstractType<Self> { get }
}

/// The name and the possible types of an interface or union, bound to a Swift type.
public final class AbstractType<Source: Sendable>: Sendable {
    /// The name in the schema.
    public let name: String
    let cases: [PossibleType<Source>]

    /// Creates an interface or union type with its name in the schema.
    ///
    /// All its possible types must have a case.
    public init(_ name: String, @PossibleTypesBuilder<Source> _ cases: () -> [PossibleType<Source>]) {
        self.name = name
        self.cases = cases()
    }
}

/// The result builder for the cases of an `AbstractType`.
@resultBuilder
public enum PossibleTypesBuilder<Source: Sendable> {
    /// Returns a single case.
    public static func buildExpression(_ member: PossibleType<Source>) -> PossibleType<Source> { member }
    /// Returns all cases, in source order.
    public static func buildBlock(_ cases: PossibleType<Source>...) -> [PossibleType<Source>] { cases }
}

/// One of the possible object types of an abstract type.
public struct PossibleType<Source: Sendable>: Sendable {
    let typeName: @Sendable () -> String
    let bind: @Sendable (inout SchemaBinder) -> Void
    let plan: @Sendable ([SelectionSet], inout Planner) throws -> PlannedPossibleType<Source>

    /// Creates a possible type.
    ///
    /// - Parameters:
    ///   - type: The Swift type of the objects.
    ///   - project: Returns the object if the value has this type, otherwise nil.
    public init<Member: GraphQLObject>(
        _ type: Member.Type, _ project: @escaping @Sendable (Source) -> Member?
    ) {
        typeName = { Member.graphQL.name }
        bind = { binder in _ = Member.bind(to: &binder) }
        plan = { selectionSets, planner in
            PlannedPossibleType(try planner.framePlan(Member.graphQL.bound, selectionSets), project)
        }
    }
}

/// A selection on an abstract type, planned for one of the possible types.
@safe
struct PlannedPossibleType<Source: Sendable>: Sendable {
    let plan: FragmentPlan
    let matches: @Sendable (Source) -> Bool
    /// Writes a value of this case; returns nil for values of other cases.
    ///
    /// The row is that among the values of this case.
    let write: @Sendable (UnsafePointer<Source>, _ row: Int, LoadSlots?, inout ResponseWriter) -> Bool?
    /// Starts the loads for the values of this case, in their frame.
    let prepare: @Sendable ([Source], Execution, inout [PendingLoad]) -> Void

    init<Member: GraphQLObject>(
        _ plan: FragmentPlan, _ project: @escaping @Sendable (Source) -> Member?
    ) {
        self.plan = plan
        let selection = ObjectPlanReference<Member>(plan.selection)
        matches = { project($0) != nil }
        unsafe write = { source, row, frame, writer in
            guard let member = unsafe project(source.pointee) else { return nil }
            let outer = writer.slots
            if let frame { writer.slots = frame }
            defer { writer.slots = outer }
            return unsafe withUnsafePointer(to: member) { unsafe selection.write($0, row: row, to: &writer) }
        }
        prepare = { sources, frame, pending in
            selection.prepare(sources.compactMap(project), in: frame, pending: &pending)
        }
    }
}

/// A selection on an abstract type, planned for each of its possible types.
@usableFromInline
final class AbstractPlan<Source: Sendable>: Sendable {
    private let name: String
    private let cases: [PlannedPossibleType<Source>]
    /// The slot for the prepared data of a layer's values; nil if no case has slots.
    private let slot: Int?
    @usableFromInline
    let hasLoads: Bool

    init(_ name: String, _ cases: [PlannedPossibleType<Source>], slot: Int?) {
        self.name = name
        self.cases = cases
        self.slot = slot
        hasLoads = slot != nil
    }

    @usableFromInline
    func write(_ source: UnsafePointer<Source>, row: Int, to writer: inout ResponseWriter) -> Bool {
        for position in cases.indices {
            let entry = slot.map { writer.rowAndFrame(in: $0, at: row, case: position) }
            let isWritten = unsafe cases[position].write(source, entry?.row ?? 0, entry?.frame, &writer)
            if let isWritten { return isWritten }
        }
        writer.fail(UnknownPossibleType(abstractType: name))
        return false
    }

    @usableFromInline
    func prepare(_ nodes: [Source], in execution: Execution, pending: inout [PendingLoad]) {
        guard let slot else { return }
        var rows = [Int](repeating: 0, count: nodes.count)
        var members = [[Source]](repeating: [], count: cases.count)
        for (row, node) in nodes.enumerated() {
            guard let position = cases.firstIndex(where: { $0.matches(node) }) else { continue }
            rows[row] = members[position].count
            members[position].append(node)
        }
        let frames = zip(cases, members).map { planned, members in
            members.isEmpty ? nil : planned.plan.frame(of: execution)
        }
        execution.slots.set(slot, to: PossibleTypeOffsets(rows, frames))
        for (position, frame) in frames.enumerated() {
            guard let frame else { continue }
            cases[position].prepare(members[position], frame, &pending)
        }
    }
}

/// The row of each value of an abstract layer among the values of its own case, with the frames of the
/// cases.
private final class PossibleTypeOffsets: Sendable {
    let rows: [Int]
    let frames: [Execution?]

    init(_ rows: [Int], _ frames: [Execution?]) {
        self.rows = rows
        self.frames = frames
    }
}

extension ResponseWriter {
    fileprivate func rowAndFrame(in slot: Int, at row: Int, case position: Int) -> (
        row: Int, frame: LoadSlots?
    ) {
        guard let layer = unsafe slots.read(slot, as: PossibleTypeOffsets.self) else { return (0, nil) }
        // This function does not retain the frame: the slot retains it until the response is written.
        return unsafe layer._withUnsafeGuaranteedRef { ($0.rows[row], $0.frames[position]?.slots) }
    }
}

/// The error that a value of an abstract type has none of the bound possible types: a programming error.
struct UnknownPossibleType: Error {
    let abstractType: String
}

/// A reference to a planned abstract selection in other plans; see `ObjectPlanReference`.
@frozen
@safe
public struct AbstractPlanReference<Source: Sendable>: @unchecked Sendable {
    // Sendable, although not reference-counted: the operation's plan owns the referenced plan and outlives
    // every execution, and a plan is immutable.
    @usableFromInline
    let plan: Unmanaged<AbstractPlan<Source>>

    init(_ plan: AbstractPlan<Source>) {
        unsafe self.plan = .passUnretained(plan)
    }
}

extension GraphQLAbstract {
    /// Compares the cases with the possible types of the schema, and binds them recursively.
    public static func bind(to binder: inout SchemaBinder) -> BoundType {
        graphQL.bind(to: &binder)
        return BoundType(names: [graphQL.name])
    }

    /// Plans the selection sets once for each possible type.
    public static func plan(
        _ selectionSets: [SelectionSet], with planner: inout Planner
    ) throws -> AbstractPlanReference<Self> {
        let cases = try graphQL.cases.map { try $0.plan(selectionSets, &planner) }
        return planner.addAbstractPlan(graphQL.name, cases)
    }

    /// Returns true if a field below one of the possible types is loaded.
    public static func hasLoads(_ selection: AbstractPlanReference<Self>) -> Bool {
        unsafe selection.plan._withUnsafeGuaranteedRef(\.hasLoads)
    }

    /// Writes the value as its object type and takes its row; the first matching case is used.
    public static func write(
        _ value: UnsafePointer<Self>, _ selection: AbstractPlanReference<Self>, row: inout Int,
        to writer: inout ResponseWriter
    ) -> Bool {
        let ownRow = row
        row = ownRow &+ 1
        return unsafe selection.plan._withUnsafeGuaranteedRef {
            unsafe $0.write(value, row: ownRow, to: &writer)
        }
    }

    /// Appends the value itself, which is a node of its layer.
    public static func collect(_ value: Self, into nodes: inout [Self]) {
        nodes.append(value)
    }

    /// Starts the loads of each possible type for its values.
    public static func prepare(
        _ nodes: [Self], _ selection: AbstractPlanReference<Self>, in execution: Execution,
        pending: inout [@Sendable () async -> Void]
    ) {
        guard !nodes.isEmpty else { return }
        unsafe selection.plan._withUnsafeGuaranteedRef { $0.prepare(nodes, in: execution, pending: &pending) }
    }
}

extension Planner {
    /// Adds a planned abstract selection to the objects that the plan owns.
    fileprivate mutating func addAbstractPlan<Source>(
        _ name: String, _ cases: [PlannedPossibleType<Source>]
    ) -> AbstractPlanReference<Source> {
        let slot = cases.contains { $0.plan.needsFrame } ? newSlot() : nil
        let plan = AbstractPlan(name, cases, slot: slot)
        retain(plan)
        return AbstractPlanReference(plan)
    }
}

extension AbstractType {
    /// Compares the bound cases with the possible types of the schema, and binds them recursively.
    func bind(to binder: inout SchemaBinder) {
        guard binder.isFirstBinding(of: Source.self) else { return }
        guard let type = binder.schema.type(named: name) else { return binder.differ(at: name, .notInSchema) }
        guard type.isAbstract else {
            return binder.differ(at: name, .kind(expected: "an interface or union type"))
        }
        let possible = Set(binder.schema.possibleTypes(of: type.id).map { binder.schema[$0].name })
        let bound = Set(cases.map { $0.typeName() })
        for missing in possible.subtracting(bound).sorted() {
            binder.differ(at: "\(name) → \(missing)", .notBound)
        }
        for surplus in bound.subtracting(possible).sorted() {
            binder.differ(at: "\(name) → \(surplus)", .notInSchema)
        }
        for member in cases { member.bind(&binder) }
    }
}

/// A selection on one of the possible types of an interface or union, planned once for all equal selections
/// on the same type.
///
/// Its loads and arguments have separate slots, in a frame that each position creates for each run, so
/// positions can share the plan. Without sharing, a value within a value within a value, each of one of ten
/// types, would be planned a thousand times.
final class FragmentPlan: Sendable {
    let selection: ObjectPlan
    private let slotCount: Int
    private let steps: [SetupStep]

    init(_ selection: ObjectPlan, slotCount: Int, _ steps: [SetupStep]) {
        self.selection = selection
        self.slotCount = slotCount
        self.steps = steps
    }

    /// True if something must be prepared before a value can be written.
    var needsFrame: Bool { slotCount > 0 }

    /// Returns a frame for the values of one position; nil if none is needed.
    func frame(of execution: Execution) -> Execution? {
        guard needsFrame else { return nil }
        let frame = execution.frame(slotCount: slotCount)
        for step in steps { step.run(in: frame) }
        return frame
    }

    /// A selection on a type, identified by the positions of the selection sets in the document.
    struct Key: Hashable {
        private let object: ObjectIdentifier
        private let starts: [UInt32]
        private let scope: DeferScope

        init(_ object: AnyObjectType, _ selectionSets: [SelectionSet], _ scope: DeferScope) {
            self.scope = scope
            self.object = ObjectIdentifier(object)
            starts = selectionSets.map(\.selections.start)
        }
    }
}
