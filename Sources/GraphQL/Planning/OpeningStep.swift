/// What an execution does before anything is loaded.
enum OpeningStep: Sendable {
    case arguments(ArgumentStep)
    case guarded(GuardedSteps)

    func run(in execution: Execution) {
        switch self {
        case .arguments(let step): step.fill(execution)
        case .guarded(let steps): steps.run(in: execution)
        }
    }
}

/// The steps of a guarded field and of all below it: none is taken where the field is refused.
struct GuardedSteps: Sendable {
    let guards: GuardedSlot
    let steps: [OpeningStep]

    fileprivate func run(in execution: Execution) {
        if guards.refuse(in: execution) { return }
        for step in steps { step.run(in: execution) }
    }
}

/// What guards a field, and the slot in which a refusal stands.
struct GuardedSlot: Sendable {
    let slot: Int
    let checks: [FieldGuards.Check]

    /// Asks whether the field is refused; not again where it has been.
    func refuse(in execution: Execution) -> Bool {
        if execution.slots.refusal(in: slot) != nil { return true }
        for check in checks {
            guard let error = check(execution) else { continue }
            execution.slots.set(slot, to: FieldRefusal(error))
            return true
        }
        return false
    }
}

/// Why a field is refused in this execution.
final class FieldRefusal: Sendable {
    let error: any Error

    init(_ error: any Error) {
        self.error = error
    }
}
