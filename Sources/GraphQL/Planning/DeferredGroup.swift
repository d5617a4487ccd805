/// The fields of an object that the same deferred fragments contain: they are loaded and delivered together.
final class DeferredGroup: Sendable {
    /// The deferred fragments, as indices of `Planner.deferUsages`.
    let usages: [Int]
    let fields: [FieldPlan]
    /// The slot for the state of the loads; nil if nothing is loaded.
    let slot: Int?
    /// True if other fields of the object have one of its response keys, as the older format permits.
    ///
    /// Such a group is always a payload of its own: an object with a key twice loses one of the values.
    let sharesKeys: Bool

    init(usages: [Int], fields: [FieldPlan], slot: Int?, sharesKeys: Bool) {
        (self.usages, self.fields, self.slot, self.sharesKeys) = (usages, fields, slot, sharesKeys)
    }

    /// Starts the loads of the group for all objects of a layer; nil if nothing is loaded.
    ///
    /// They start with those of the first payload, which does not wait for them.
    var load: FieldClosures.Load? {
        guard let slot else { return nil }
        let loads = fields.compactMap(\.load)
        return { layer, execution, _ in
            let state = DeferredLoad()
            execution.slots.set(slot, to: state)
            var pending: [PendingLoad] = []
            for load in loads { load(layer, execution, &pending) }
            execution.start(state, pending)
        }
    }

    /// Returns true if the loads of the group have ended.
    func isLoaded(in slots: LoadSlots) -> Bool { load(in: slots)?.isComplete ?? true }

    /// Returns the state of the group's loads; nil if nothing is loaded.
    func load(in slots: LoadSlots) -> DeferredLoad? {
        guard let slot, let state = unsafe slots.read(slot, as: DeferredLoad.self) else { return nil }
        return unsafe state.takeUnretainedValue()
    }
}

/// A planned selection on an object type with deferred fragments.
@safe
final class IncrementalObject: Sendable {
    /// The fragments that begin at the object.
    private let usages: [(index: Int, usage: DeferUsage)]
    let fields: [FieldPlan]
    let groups: [DeferredGroup]
    /// Copies an object, so that its deferred fields can be written later.
    private let copy: @Sendable (UnsafeRawPointer) -> RootValue

    init(
        usages: [(index: Int, usage: DeferUsage)], fields: [FieldPlan], groups: [DeferredGroup],
        copy: @escaping @Sendable (UnsafeRawPointer) -> RootValue
    ) {
        (self.usages, self.fields, self.groups) = (usages, fields, groups)
        unsafe self.copy = copy
    }

    /// Writes an object's fields and records its deferred parts; returns false if a non-null field failed.
    func write(_ source: UnsafeRawPointer, row: Int, to writer: inout ResponseWriter) -> Bool {
        guard let recorder = writer.increments else { return false }
        let outer = recorder.scope
        defer { recorder.scope = outer }
        let path = writer.path.copy
        if !usages.isEmpty { recorder.enter(usages, at: path) }
        var isEmpty = true
        writer.path.enter()
        guard unsafe IncrementalObject.write(fields, of: source, row, &isEmpty, to: &writer) else {
            return false
        }
        let object = groups.isEmpty ? nil : unsafe copy(source)
        for group in groups {
            let fragments = recorder.fragments(group.usages)
            if recorder.includes(group, fragments, in: writer.slots),
                unsafe include(group, source, row, &isEmpty, &writer)
            {
                continue
            }
            if writer.isOverLimit { return false }
            guard let object else { continue }
            for fragment in fragments { fragment.isDeferred = true }
            let part = DeferredPart(
                group: group, fragments: fragments, object: object, row: row, slots: writer.slots, path: path,
                scope: recorder.scope)
            writer.record(.part(part))
        }
        writer.path.exit()
        writer.write(json: isEmpty ? "{}" : "}")
        return !writer.isOverLimit
    }

    /// Writes a group into the payload of its object; if a non-null field fails, returns false without a
    /// trace, because the failure belongs to the deferred fragment.
    private func include(
        _ group: DeferredGroup, _ source: UnsafeRawPointer, _ row: Int, _ isEmpty: inout Bool,
        _ writer: inout ResponseWriter
    ) -> Bool {
        let mark = writer.checkpoint
        let (failures, wasEmpty) = (writer.failures.count, isEmpty)
        if unsafe IncrementalObject.write(group.fields, of: source, row, &isEmpty, to: &writer) {
            return true
        }
        if writer.isOverLimit { return false }
        writer.rewind(to: mark)
        writer.failures.removeSubrange(min(failures, writer.failures.count)...)
        isEmpty = wasEmpty
        return false
    }

    /// Writes fields of an object without its braces, except that the first key has an opening brace.
    static func write(
        _ fields: [FieldPlan], of source: UnsafeRawPointer, _ row: Int, _ isEmpty: inout Bool,
        to writer: inout ResponseWriter
    ) -> Bool {
        for field in fields {
            writer.path.set(key: field.key)
            let start = writer.count
            unsafe writer.write(key: field.bytes, length: field.length)
            writer.replace(at: start, with: isEmpty ? UInt8(ascii: "{") : UInt8(ascii: ","))
            isEmpty = false
            if let leaf = field.leaf {
                guard unsafe leaf.write(source + field.offset, to: &writer) else { return false }
            } else {
                guard unsafe field.emit(source, row, &writer) else { return false }
            }
        }
        return true
    }
}

/// The items of a streamed list that are not in the payload of the list.
@usableFromInline
struct StreamPlan<Value: GraphQLOutput>: Sendable {
    @usableFromInline
    let usage: StreamUsage
    /// The selection on the items.
    let selection: Value.Selection
    /// The slot for the items of all lists of a layer.
    let slot: Int
}

/// The items of the streamed lists of a layer that are not in the payload of their list.
private final class StreamTails<Value: GraphQLOutput>: Sendable {
    /// The items by the parent's row; nil if there are none.
    let values: [Value?]
    /// The first row of the items in their own layer, by the parent's row.
    let starts: [Int]
    /// The number of items in the payload of the list.
    let initialCount: Int
    let load: DeferredLoad?

    init(values: [Value?], starts: [Int], initialCount: Int, load: DeferredLoad?) {
        (self.values, self.starts, self.initialCount, self.load) = (values, starts, initialCount, load)
    }
}

extension StreamPlan {
    /// Returns the first items of the loaded lists, stores the others, and starts the loads below these.
    @usableFromInline
    func split(_ values: LoadedValues<Value>, _ execution: Execution) -> LoadedValues<Value> {
        let count: Int
        do throws(StreamArgumentError) {
            count = try usage.initialCount(execution.variables)
        } catch {
            return values.mapped { Value.itemCount(of: $0) == nil ? .success($0) : .failure(error) }
        }
        var tails: [Value?] = []
        let heads = values.mapped { value in
            guard let items = Value.itemCount(of: value), items > count else {
                tails.append(nil)
                return .success(value)
            }
            let parts = Value.split(value, after: count)
            tails.append(parts.rest)
            return .success(parts.first)
        } onFailure: {
            tails.append(nil)
        }
        store(tails, initialCount: count, execution)
        return heads
    }

    private func store(_ tails: [Value?], initialCount: Int, _ execution: Execution) {
        guard Value.hasLoads(selection) else {
            execution.slots.set(
                slot, to: StreamTails(values: tails, starts: [], initialCount: initialCount, load: nil))
            return
        }
        var nodes: [Value.Node] = []
        var starts: [Int] = []
        for tail in tails {
            starts.append(nodes.count)
            if let tail { Value.collect(tail, into: &nodes) }
        }
        let load = DeferredLoad()
        execution.slots.set(
            slot, to: StreamTails(values: tails, starts: starts, initialCount: initialCount, load: load))
        var pending: [PendingLoad] = []
        Value.prepare(nodes, selection, in: execution, pending: &pending)
        execution.start(load, pending)
    }

    /// Records the rest of a list whose first items have been written; or writes it, if it is available and
    /// may be in the same payload.
    @usableFromInline
    func finish(row: Int, to writer: inout ResponseWriter) {
        guard let recorder = writer.increments,
            let tails = unsafe writer.slots.read(slot, as: StreamTails<Value>.self)
        else { return }
        let stored = unsafe tails.takeUnretainedValue()
        let index = stored.values.count == 1 ? 0 : row
        guard stored.values.indices.contains(index), let value = stored.values[index],
            let count = Value.itemCount(of: value)
        else { return }
        let selection = selection
        let part = StreamedPart(
            label: usage.label, path: writer.path.copy, slots: writer.slots, load: stored.load,
            initialCount: stored.initialCount, count: count,
            firstRow: stored.starts.isEmpty ? 0 : stored.starts[index]
        ) { item, row, writer in
            unsafe withUnsafePointer(to: value) {
                unsafe Value.write(item: item, of: $0, selection, row: &row, to: &writer)
            }
        }
        recorder.add(part, to: &writer)
    }
}

extension LoadedValues {
    /// Returns the values after a transformation that may fail for each of them.
    fileprivate func mapped(
        _ transform: (Value) -> Result<Value, any Error>, onFailure: () -> Void = {}
    ) -> LoadedValues {
        switch self {
        case .values(let values): return .results(values.map(transform))
        case .results(let results):
            return .results(
                results.map { result in
                    switch result {
                    case .success(let value): return transform(value)
                    case .failure:
                        onFailure()
                        return result
                    }
                })
        case .shared(let values):
            switch values.first.map(transform) {
            case .success(let value): return .shared([value])
            case .failure(let error): return .failure(error)
            case nil: return self
            }
        case .failure:
            onFailure()
            return self
        }
    }
}
