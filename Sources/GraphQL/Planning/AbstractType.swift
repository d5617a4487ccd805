/// A Swift type that stands for an interface or union of the schema (specification, sections 3.7 and 3.8): as a
/// rule an enum with a case for each possible type.
///
/// ```swift
/// extension SearchHit: GraphQLAbstract {
///     static let graphQL = Abstract<SearchHit>("SearchHit") {
///         Case(Instrument.self) { if case .instrument(let instrument) = $0 { instrument } else { nil } }
///         Case(Watchlist.self) { if case .watchlist(let watchlist) = $0 { watchlist } else { nil } }
///     }
/// }
/// ```
public protocol GraphQLAbstract: GraphQLOutput where Node == Self, Selection == AbstractPlanReference<Self> {
    /// The type's name and the object types that its values may have.
    static var graphQL: AbstractType<Self> { get }
}

/// The name and the possible types of an interface or union, bound to a Swift type.
public final class AbstractType<Source: Sendable>: Sendable {
    /// The name in the schema.
    public let name: String
    let cases: [PossibleType<Source>]

    /// An interface or union type by its name in the schema.
    ///
    /// All its possible types must have a case.
    public init(_ name: String, @PossibleTypesBuilder<Source> _ cases: () -> [PossibleType<Source>]) {
        self.name = name
        self.cases = cases()
    }
}

/// Lets an `AbstractType` list its cases one below the other.
@resultBuilder
public enum PossibleTypesBuilder<Source: Sendable> {
    /// One case.
    public static func buildExpression(_ member: PossibleType<Source>) -> PossibleType<Source> { member }
    /// All cases, in the order in which they are written.
    public static func buildBlock(_ cases: PossibleType<Source>...) -> [PossibleType<Source>] { cases }
}

/// One of the object types that a value of an abstract type may have.
public struct PossibleType<Source: Sendable>: Sendable {
    let typeName: @Sendable () -> String
    let bind: @Sendable (inout SchemaBinder) -> Void
    let plan: @Sendable ([SelectionSet], inout Planner) throws -> PlannedPossibleType<Source>

    /// A possible type, and how to tell the values that have it.
    ///
    /// - Parameters:
    ///   - type: the Swift type of the objects.
    ///   - project: the object where the value has this type, else nil.
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
    /// Writes a value of this case, whose row is that among the values of this case; nil for values of others.
    let write: @Sendable (UnsafePointer<Source>, _ row: Int, LoadSlots?, inout ResponseWriter) -> Bool?
    /// Starts the loads of those of the values that are of this case, in their frame.
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
    /// Where a case has slots: the slot of what is prepared for the values of a layer.
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
            let place = slot.map { writer.rowAndFrame(in: $0, at: row, case: position) }
            let isWritten = unsafe cases[position].write(source, place?.row ?? 0, place?.frame, &writer)
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
        execution.slots.set(slot, to: PossibleTypeRows(rows, frames))
        for (position, frame) in frames.enumerated() {
            guard let frame else { continue }
            cases[position].prepare(members[position], frame, &pending)
        }
    }
}

/// For each value of an abstract layer: its row among the values of its own case; and the frames of the cases.
private final class PossibleTypeRows: Sendable {
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
        guard let layer = unsafe slots.read(slot, as: PossibleTypeRows.self) else { return (0, nil) }
        // The frame is not owned here: the slot keeps it until the response has been written.
        return unsafe layer._withUnsafeGuaranteedRef { ($0.rows[row], $0.frames[position]?.slots) }
    }
}

/// A value of an abstract type is none of the types that are bound as possible: a fault of the program.
struct UnknownPossibleType: Error {
    let abstractType: String
}

/// A planned abstract selection as other plans hold it; see `ObjectPlanReference`.
@frozen
@safe
public struct AbstractPlanReference<Source: Sendable>: @unchecked Sendable {
    // Sendable, although it does not count: the operation's plan owns the plan and outlives every execution, and a
    // plan never changes.
    @usableFromInline
    let plan: Unmanaged<AbstractPlan<Source>>

    init(_ plan: AbstractPlan<Source>) {
        unsafe self.plan = .passUnretained(plan)
    }
}

extension GraphQLAbstract {
    /// Compares the cases with the possible types of the schema, and follows them.
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

    /// Whether something is loaded below one of the possible types.
    public static func hasLoads(_ selection: AbstractPlanReference<Self>) -> Bool {
        unsafe selection.plan._withUnsafeGuaranteedRef(\.hasLoads)
    }

    /// Writes the value as the object type that it has, and takes its row; the first case that fits is taken.
    public static func write(
        _ value: UnsafePointer<Self>, _ selection: AbstractPlanReference<Self>, row: inout Int,
        to writer: inout ResponseWriter
    ) -> Bool {
        let own = row
        row = own &+ 1
        return unsafe selection.plan._withUnsafeGuaranteedRef {
            unsafe $0.write(value, row: own, to: &writer)
        }
    }

    /// Appends the value itself: it is a node of its layer.
    public static func collect(_ value: Self, into nodes: inout [Self]) {
        nodes.append(value)
    }

    /// Starts the loads of each possible type, for the values that have it.
    public static func prepare(
        _ nodes: [Self], _ selection: AbstractPlanReference<Self>, in execution: Execution,
        pending: inout [@Sendable () async -> Void]
    ) {
        guard !nodes.isEmpty else { return }
        unsafe selection.plan._withUnsafeGuaranteedRef { $0.prepare(nodes, in: execution, pending: &pending) }
    }
}

extension Planner {
    /// Takes a planned abstract selection into the plan's keeping.
    fileprivate mutating func addAbstractPlan<Source>(
        _ name: String, _ cases: [PlannedPossibleType<Source>]
    ) -> AbstractPlanReference<Source> {
        let slot = cases.contains { $0.plan.needsFrame } ? newSlot() : nil
        let plan = AbstractPlan(name, cases, slot: slot)
        own(plan)
        return AbstractPlanReference(plan)
    }
}

extension AbstractType {
    /// Compares the bound cases with the possible types of the schema, and follows them.
    func bind(to binder: inout SchemaBinder) {
        guard binder.isFirstVisit(to: Source.self) else { return }
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

/// A selection on one of the possible types of an interface or union, planned once for all places where the same is
/// selected from the same type.
///
/// Its loads and arguments have slots of their own, in a frame that each place makes for each run: so places can share
/// it. Were each place planned by itself, then a value within a value within a value, each of one of ten types, would
/// be planned a thousand times.
final class FragmentPlan: Sendable {
    let selection: ObjectPlan
    private let slotCount: Int
    private let steps: [SetupStep]

    init(_ selection: ObjectPlan, slotCount: Int, _ steps: [SetupStep]) {
        self.selection = selection
        self.slotCount = slotCount
        self.steps = steps
    }

    /// Whether something must be prepared before a value can be written.
    var needsFrame: Bool { slotCount > 0 }

    /// A frame for the values of one place; nil where none is needed.
    func frame(of execution: Execution) -> Execution? {
        guard needsFrame else { return nil }
        let frame = execution.frame(slotCount: slotCount)
        for step in steps { step.run(in: frame) }
        return frame
    }

    /// What is selected from which type, by where the selection sets stand in the document.
    struct Key: Hashable {
        private let object: ObjectIdentifier
        private let starts: [UInt32]

        init(_ object: BoundObject, _ selectionSets: [SelectionSet]) {
            self.object = ObjectIdentifier(object)
            starts = selectionSets.map(\.selections.start)
        }
    }
}
