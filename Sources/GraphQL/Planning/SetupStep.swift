/// What an execution does before anything is loaded.
enum SetupStep: Sendable {
    case arguments(ArgumentStep)
    case guarded(GuardedSetupSteps)

    func run(in execution: Execution) {
        switch self {
        case .arguments(let step): step.fill(execution)
        case .guarded(let steps): steps.run(in: execution)
        }
    }
}

/// The steps of a guarded field and of all below it: none is taken where the field is refused.
struct GuardedSetupSteps: Sendable {
    let guards: GuardedSlot
    let steps: [SetupStep]

    fileprivate func run(in execution: Execution) {
        if guards.refuse(in: execution) { return }
        for step in steps { step.run(in: execution) }
    }
}

/// The guards of a field, and the slot for a refusal.
struct GuardedSlot: Sendable {
    let slot: Int
    let checks: [FieldGuards.Check]

    /// Checks whether the field is refused, unless it has been refused already.
    func refuse(in execution: Execution) -> Bool {
        if execution.slots.refusal(in: slot) != nil { return true }
        for check in checks {
            guard let error = check(execution) else { continue }
            execution.slots.set(slot, to: FieldDenial(error))
            return true
        }
        return false
    }
}

/// Why a field is refused in this execution.
final class FieldDenial: Sendable {
    let error: any Error

    init(_ error: any Error) {
        self.error = error
    }
}
