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
    /// Where a refusal stands.
    let slot: Int
    let checks: [FieldGuards.Check]
    let steps: [OpeningStep]

    fileprivate func run(in execution: Execution) {
        for check in checks {
            guard let error = check(execution) else { continue }
            return execution.slots.set(slot, to: FieldRefusal(error))
        }
        for step in steps { step.run(in: execution) }
    }
}

/// Why a field is refused in this execution.
final class FieldRefusal: Sendable {
    let error: any Error

    init(_ error: any Error) {
        self.error = error
    }
}
