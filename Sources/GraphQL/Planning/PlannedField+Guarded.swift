extension PlannedField {
    /// The field, unless the slot holds a refusal: then nothing of it is loaded, and it is written as a failure.
    func guarded(by guards: GuardedSlot, isNonNull: Bool) -> PlannedField {
        let slot = guards.slot
        let emit = unsafe PlannedField.emit(content, unlessRefusedIn: slot, isNonNull: isNonNull)
        var field = unsafe PlannedField(
            emit: emit, load: load.map { PlannedField.load($0, unlessRefusedIn: slot) })
        field.subscribe = subscribe.map { PlannedField.subscribe($0, unlessRefusedIn: slot) }
        field.guards = guards
        return field
    }

    private static func load(_ load: @escaping Load, unlessRefusedIn slot: Int) -> Load {
        { (layer: ObjectLayer, execution: Execution, pending: inout [PendingLoad]) -> Void in
            if execution.slots.refusal(in: slot) == nil { load(layer, execution, &pending) }
        }
    }

    private static func emit(
        _ content: Content, unlessRefusedIn slot: Int, isNonNull: Bool
    ) -> Emit {
        { (source: UnsafeRawPointer, row: Int, writer: inout ResponseWriter) -> Bool in
            guard let error = writer.slots.refusal(in: slot) else {
                switch content {
                case .stored(let leaf, let offset): return unsafe leaf.write(source + offset, to: &writer)
                case .emitted(let emit): return unsafe emit(source, row, &writer)
                }
            }
            writer.fail(error)
            if isNonNull { return false }
            writer.writeNull()
            return true
        }
    }

    private static func subscribe(
        _ subscribe: @escaping Subscribe, unlessRefusedIn slot: Int
    ) -> Subscribe {
        { (execution: Execution) async throws -> any AsyncSequence<SourceEvent, any Error> & Sendable in
            if let error = execution.slots.refusal(in: slot) { throw error }
            return try await subscribe(execution)
        }
    }
}

extension LoadSlots {
    /// Why the field that this slot guards is refused; nil where it is not.
    func refusal(in slot: Int) -> (any Error)? {
        guard let refusal = unsafe read(slot, as: FieldDenial.self) else { return nil }
        return unsafe refusal._withUnsafeGuaranteedRef { $0.error }
    }
}
