extension PlannedField {
    /// A field whose values become a column at once.
    @inlinable
    static func column<Source, Value: GraphQLOutput>(
        _ slot: Int, _ selection: Value.Selection, of source: Source.Type,
        _ resolve: @escaping @Sendable ([Source], Execution) -> LoadedValues<Value>
    ) -> PlannedField {
        loaded(slot, selection, of: source) { sources, execution in .ready(resolve(sources, execution)) }
    }

    /// A field whose values become a column when they have been loaded.
    @inlinable
    static func loaded<Source, Value: GraphQLOutput>(
        _ slot: Int, _ selection: Value.Selection, of source: Source.Type,
        _ resolve: @escaping @Sendable ([Source], Execution) throws -> MaybeAsync<LoadedValues<Value>>
    ) -> PlannedField {
        reading(slot, selection, of: Value.self) { layer, execution, pending in
            let sources = layer.objects(as: Source.self)
            let parents = sources.count
            let loading: MaybeAsync<LoadedValues<Value>>
            do {
                loading = try resolve(sources, execution)
            } catch {
                loading = .ready(.failure(error))
            }
            switch consume loading {
            case .ready(let values):
                keep(values, of: parents, in: slot, selection, execution, &pending)
            case .later(let fetch):
                pending.append {
                    var below: [PendingLoad] = []
                    let values: LoadedValues<Value>
                    do {
                        values = try await fetch()
                    } catch {
                        values = .failure(execution.meaning(of: error))
                    }
                    keep(values, of: parents, in: slot, selection, execution, &below)
                    await finish(below)
                }
            }
        }
    }

    /// A field that is written from its column.
    @inlinable
    static func reading<Value: GraphQLOutput>(
        _ slot: Int, _ selection: Value.Selection, of type: Value.Type, load: Load? = nil
    ) -> PlannedField {
        unsafe PlannedField(
            emit: { _, row, writer in
                guard let column = unsafe writer.slots.read(slot, as: LoadedColumn<Value>.self) else {
                    return false
                }
                return unsafe column._withUnsafeGuaranteedRef { column in
                    column.write(row: row, selection, to: &writer)
                }
            },
            load: load)
    }

    /// Puts loaded values where the write pass finds them, and starts the loads below them.
    @inlinable
    static func keep<Value: GraphQLOutput>(
        _ values: consuming LoadedValues<Value>, of parents: Int, in slot: Int,
        _ selection: Value.Selection, _ execution: Execution, _ pending: inout [PendingLoad]
    ) {
        values.check(parents: parents)
        guard Value.hasLoads(selection) else {
            execution.slots.set(slot, to: LoadedColumn(values, starts: []))
            return
        }
        let layer = LoadedColumn.layer(values, parents: parents)
        execution.slots.set(slot, to: layer.column)
        Value.prepare(layer.nodes, selection, in: execution, pending: &pending)
    }
}
