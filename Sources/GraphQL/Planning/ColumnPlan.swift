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

    /// Creates the field that is written from the column, and loads it.
    @inlinable
    func field(_ load: FieldLoad<Value>) -> FieldClosures {
        reading { layer, execution, pending in
            do {
                switch load {
                case .values(let values):
                    store(values(layer, execution), of: layer.count, execution, &pending)
                case .results(let start):
                    switch try start(layer, execution) {
                    case .ready(let results): store(.results(results), of: layer.count, execution, &pending)
                    case .async(let fetch):
                        pending.append { [count = layer.count] in
                            await store(of: count, execution) { .results(try await fetch()) }
                        }
                    }
                case .shared(let start):
                    switch try start(execution) {
                    case .ready(let value): store(.shared([value]), of: layer.count, execution, &pending)
                    case .async(let fetch):
                        pending.append { [count = layer.count] in
                            await store(of: count, execution) { .shared([try await fetch()]) }
                        }
                    }
                }
            } catch {
                store(.failure(error), of: layer.count, execution, &pending)
            }
        }
    }

    /// Creates the field that is written from the column.
    @inlinable
    func reading(load: FieldClosures.Load?) -> FieldClosures {
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
    @inlinable
    func store(
        of parents: Int, _ execution: Execution, _ fetch: () async throws -> LoadedValues<Value>
    ) async {
        var below: [PendingLoad] = []
        let values: LoadedValues<Value>
        do {
            values = try await fetch()
        } catch {
            values = .failure(execution.loadError(for: error))
        }
        store(values, of: parents, execution, &below)
        await finish(below)
    }

    /// Stores loaded values for the write pass, and starts the loads below them.
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

/// How the values of a field are read for all objects of a layer.
///
/// It is a type, because the code of a plan is compiled once for each type of value then: the compiler would make a copy of a
/// function for each closure that it receives, which was a third of the code of a schema's resolvers.
@usableFromInline
enum FieldLoad<Value: GraphQLOutput>: Sendable {
    /// The values are known at once.
    case values(@Sendable (ObjectLayer, Execution) -> LoadedValues<Value>)
    /// A result for each object.
    case results(@Sendable (ObjectLayer, Execution) throws -> MaybeAsync<BatchResults<Value>>)
    /// One value for all objects.
    case shared(@Sendable (Execution) throws -> MaybeAsync<Value>)
}
