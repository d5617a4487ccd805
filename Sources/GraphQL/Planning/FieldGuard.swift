/// Decides whether fields that bear a directive may be asked for, before anything of an operation is called.
///
/// Of a refused field neither arguments nor anything below it is looked at: it is null with the error at its path, and
/// all other fields stand.
///
/// ```swift
/// FieldGuard<Context>("requires") { directive in
///     let scope = directive.arguments["scope"]
///     return { context in context.scopes.contains(scope) ? nil : Forbidden() }
/// }
/// ```
public struct FieldGuard<Context: AnyObject & Sendable>: Sendable {
    let directive: String
    let denial: @Sendable (AppliedDirective) -> @Sendable (Context) -> (any Error)?

    /// - Parameters:
    ///   - directive: the directive's name, without the `@`; the schema must define it.
    ///   - denial: creates a closure from the directive of a field's definition. The closure is called once
    ///     in an operation for each place that selects the field, and returns the reason for the refusal, or
    ///     nil. It is called again before a root field of a mutation starts, because earlier fields may have
    ///     changed the result.
    public init(
        _ directive: String,
        denial: @escaping @Sendable (AppliedDirective) -> @Sendable (Context) -> (any Error)?
    ) {
        self.directive = directive
        self.denial = denial
    }
}

/// The guards of a schema, the type of their context forgotten.
struct FieldGuards: Sendable {
    /// Why a field is refused in an execution; nil where it is not.
    typealias Check = @Sendable (Execution) -> (any Error)?

    private let checks: [(directive: String, make: @Sendable (AppliedDirective) -> Check)]

    init<Context>(_ guards: [FieldGuard<Context>]) {
        checks = guards.map { known in
            (
                known.directive,
                { directive in
                    let refusal = known.denial(directive)
                    return { execution in refusal(execution.context(as: Context.self)) }
                }
            )
        }
    }

    /// For a schema that has none.
    static let none = FieldGuards([FieldGuard<EmptyContext>]())

    /// Notes guards of directives that the schema does not have: they would guard nothing.
    func bind(to binder: inout SchemaBinder) {
        for check in checks where binder.schema.directive(named: check.directive) == nil {
            binder.differ(at: "@\(check.directive)", .notInSchema)
        }
    }

    /// What must be asked before a field may be.
    func checks(of field: SchemaField) -> [Check] {
        if checks.isEmpty || field.appliedDirectives.isEmpty { return [] }
        return field.appliedDirectives.flatMap { directive in
            checks.filter { $0.directive == directive.name }.map { $0.make(directive) }
        }
    }
}

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
        if guards.isDenied(in: execution) { return }
        for step in steps { step.run(in: execution) }
    }
}

/// The guards of a field, and the slot for a refusal.
struct GuardedSlot: Sendable {
    let slot: Int
    let checks: [FieldGuards.Check]

    /// Checks whether the field is refused, unless it has been refused already.
    func isDenied(in execution: Execution) -> Bool {
        if execution.slots.denial(in: slot) != nil { return true }
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
