/// A guard that allows or denies fields with a directive, before any resolver of the operation is called.
///
/// The arguments and the selections of a denied field are not evaluated. The field is null with an error at
/// its path; other fields are unaffected.
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

    /// Creates a guard.
    ///
    /// - Parameters:
    ///   - directive: The directive's name, without the `@`; the schema must define it.
    ///   - denial: Creates a closure from the directive of a field's definition. The closure is called once
    ///     in an operation for each position that selects the field, and returns the reason for the denial,
    ///     or nil. It is called again before a root field of a mutation starts, because earlier fields may
    ///     have changed the result.
    public init(
        _ directive: String,
        denial: @escaping @Sendable (AppliedDirective) -> @Sendable (Context) -> (any Error)?
    ) {
        self.directive = directive
        self.denial = denial
    }
}

/// The guards of a schema, with type-erased context.
struct FieldGuards: Sendable {
    /// Returns the reason why a field is denied in an execution; nil if it is allowed.
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

    /// The guards of a schema that has none.
    static let none = FieldGuards([FieldGuard<EmptyContext>]())

    /// Records guards of directives that are missing in the schema: they would have no effect.
    func bind(to binder: inout SchemaBinder) {
        for check in checks where binder.schema.directive(named: check.directive) == nil {
            binder.differ(at: "@\(check.directive)", .notInSchema)
        }
    }

    /// Returns the checks that a field requires.
    func checks(of field: SchemaField) -> [Check] {
        if checks.isEmpty || field.appliedDirectives.isEmpty { return [] }
        return field.appliedDirectives.flatMap { directive in
            checks.filter { $0.directive == directive.name }.map { $0.make(directive) }
        }
    }
}

/// A step of an execution before the first load.
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

/// The steps of a guarded field and its selections; none is executed if the field is denied.
struct GuardedSetupSteps: Sendable {
    let guards: GuardedSlot
    let steps: [SetupStep]

    fileprivate func run(in execution: Execution) {
        if guards.isDenied(in: execution) { return }
        for step in steps { step.run(in: execution) }
    }
}

/// The guards of a field, with the slot for a denial.
struct GuardedSlot: Sendable {
    let slot: Int
    let checks: [FieldGuards.Check]

    /// Checks whether the field is denied, unless it is already denied.
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

/// The reason why a field is denied in this execution.
final class FieldDenial: Sendable {
    let error: any Error

    init(_ error: any Error) {
        self.error = error
    }
}
