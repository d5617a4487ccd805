/// Where the values of a field are stored between their load and the write pass.
@usableFromInline
struct ColumnPlan<Value: GraphQLOutput>: Sendable {
    @usableFromInline
    let slot: Int
    @usableFromInline
    let selection: Value.Selection
    /// The items of a streamed list after the first ones.
    @usableFromInline
    let tail: StreamPlan<Value>?

    @inlinable
    init(slot: Int, selection: Value.Selection, tail: StreamPlan<Value>?) {
        (self.slot, self.selection, self.tail) = (slot, selection, tail)
    }

    /// Creates the field whose values are known at once.
    @inlinable
    func field(
        values: @escaping @Sendable (ObjectLayer, Execution) throws -> LoadedValues<Value>
    ) -> FieldClosures {
        field { layer, execution, pending in
            let loaded: LoadedValues<Value>
            do {
                loaded = try values(layer, execution)
            } catch {
                loaded = .failure(error)
            }
            store(loaded, of: layer.count, execution, &pending)
        }
    }

    /// Creates the field that is written from the column.
    ///
    /// - Parameter load: Loads the column; nil if something else stores its values, as an event of a subscription does.
    /// - Returns: The field.
    @inlinable
    func field(load: FieldClosures.Load?) -> FieldClosures {
        if tail != nil { return streaming(load: load) }
        return unsafe FieldClosures(
            emit: { [slot, selection] _, row, writer in
                guard let column = unsafe writer.slots.read(slot, as: LoadedBatch<Value>.self) else {
                    return false
                }
                return unsafe column._withUnsafeGuaranteedRef { column in
                    column.write(row: row, selection, to: &writer)
                }
            },
            load: load)
    }

    /// Creates the field whose list is written from the column, without the items after the first ones.
    @usableFromInline
    func streaming(load: FieldClosures.Load?) -> FieldClosures {
        unsafe FieldClosures(
            emit: { _, row, writer in
                guard let column = unsafe writer.slots.read(slot, as: LoadedBatch<Value>.self) else {
                    return false
                }
                let isWritten = unsafe column._withUnsafeGuaranteedRef { column in
                    column.write(row: row, selection, to: &writer)
                }
                guard isWritten else { return false }
                // A list that is null because an item failed has no other items.
                if writer.lastByte == UInt8(ascii: "]") { tail?.finish(row: row, to: &writer) }
                return !writer.isOverLimit
            },
            load: load)
    }

    /// Stores values for the write pass after they are fetched, and awaits the loads below them.
    ///
    /// - Parameters:
    ///   - parents: The number of objects of the layer.
    ///   - execution: The execution.
    ///   - fetch: Fetches the values.
    ///   - values: The values for the column.
    @inlinable
    func storeFetched<Fetched>(
        of parents: Int, _ execution: Execution, _ fetch: () async throws -> Fetched,
        as values: (Fetched) -> LoadedValues<Value>
    ) async {
        var below: [PendingLoad] = []
        let loaded: LoadedValues<Value>
        do {
            loaded = values(try await fetch())
        } catch {
            loaded = .failure(execution.loadError(for: error))
        }
        store(loaded, of: parents, execution, &below)
        await finish(below)
    }

    /// Stores loaded values for the write pass, and starts the loads below them.
    ///
    /// - Parameters:
    ///   - values: The values.
    ///   - parents: The number of objects of the layer.
    ///   - execution: The execution.
    ///   - pending: Gets the asynchronous loads below the values.
    @inlinable
    @inline(never)
    func store(
        _ values: consuming LoadedValues<Value>, of parents: Int, _ execution: Execution,
        _ pending: inout [PendingLoad]
    ) {
        values.check(parents: parents)
        if let tail { values = tail.split(values, execution) }
        guard Value.hasLoads(selection) else {
            execution.slots.set(slot, to: LoadedBatch(values, starts: []))
            return
        }
        let layer = LoadedBatch.layer(values, parents: parents)
        execution.slots.set(slot, to: layer.column)
        Value.prepare(layer.nodes, selection, in: execution, pending: &pending)
    }
}

/// How a field is loaded for all objects of a layer.
///
/// This type and ``PropertyAccess`` are parameters instead of closures, and their `plan` is compiled for each type of value, but not
/// copied into the places that call it: the optimizer makes a copy of a function for each closure that it is called with, and these
/// copies were a third of the code of a schema's resolvers.
@usableFromInline
enum FieldLoad<Value: GraphQLOutput>: Sendable {
    /// A result for each object. The layer is valid during the call only.
    case batch(@Sendable (ObjectLayer, Execution) throws -> MaybeAsync<BatchResults<Value>>)
    /// One value for all objects.
    case once(@Sendable (Execution) throws -> MaybeAsync<Value>)

    /// Plans the field that is written from its column.
    @inlinable
    @inline(never)
    func plan(_ selected: FieldSelection, _ planner: inout Planner) throws -> FieldClosures {
        let selection = try Value.plan(selected.selectionSets, with: &planner)
        let tail = Value.isDivisible ? try planner.tail(of: selected, Value.self) : nil
        let column = ColumnPlan(slot: planner.newSlot(), selection: selection, tail: tail)
        return column.field { layer, execution, pending in
            do {
                try load(layer, into: column, execution, &pending)
            } catch {
                column.store(.failure(error), of: layer.count, execution, &pending)
            }
        }
    }

    /// Stores the values, or adds the load that stores them to `pending`.
    ///
    /// - Throws: The error of a resolver that fails before it returns a value or a closure.
    @inlinable
    func load(
        _ layer: ObjectLayer, into column: ColumnPlan<Value>, _ execution: Execution,
        _ pending: inout [PendingLoad]
    ) throws {
        let count = layer.count
        switch self {
        case .batch(let load):
            switch try load(layer, execution) {
            case .ready(let results): column.store(.results(results), of: count, execution, &pending)
            case .async(let fetch):
                pending.append {
                    await column.storeFetched(of: count, execution, fetch) { .results($0) }
                }
            }
        case .once(let load):
            switch try load(execution) {
            case .ready(let value): column.store(.shared([value]), of: count, execution, &pending)
            case .async(let fetch):
                pending.append {
                    await column.storeFetched(of: count, execution, fetch) { .shared([$0]) }
                }
            }
        }
    }
}

/// How a property is read.
@usableFromInline
struct PropertyAccess<Value: GraphQLOutput>: Sendable {
    /// Reads it for all objects of a layer, which is valid during the call only.
    @usableFromInline
    let values: @Sendable (ObjectLayer, Execution) throws -> LoadedValues<Value>
    /// Creates the field that reads it while an object is written.
    @usableFromInline
    let makeField: @Sendable (Value.Selection) -> FieldClosures

    @inlinable
    init(
        values: @escaping @Sendable (ObjectLayer, Execution) throws -> LoadedValues<Value>,
        makeField: @escaping @Sendable (Value.Selection) -> FieldClosures
    ) {
        (self.values, self.makeField) = (values, makeField)
    }

    /// Plans a field that is written from its object, or loaded if something below it is loaded or its list is streamed.
    @inlinable
    @inline(never)
    func plan(_ selected: FieldSelection, _ planner: inout Planner) throws -> FieldClosures {
        let selection = try Value.plan(selected.selectionSets, with: &planner)
        let tail = Value.isDivisible ? try planner.tail(of: selected, Value.self) : nil
        guard Value.hasLoads(selection) || tail != nil else { return makeField(selection) }
        return ColumnPlan(slot: planner.newSlot(), selection: selection, tail: tail).field(values: values)
    }
}
