import GraphQL
import Storage

extension FieldGuard where Context == GatewayContext {
    /// `@requires`: the field needs a session that carries a scope.
    static var requires: FieldGuard {
        FieldGuard("requires") { directive in
            guard case .enum(let name)? = directive.arguments["scope"], let scope = Scope(rawValue: name)
            else {
                // A schema that says what this program does not know: closed rather than open.
                return { _ in FieldError.internalError }
            }
            return { context in context.session.denial(requiring: scope) }
        }
    }
}
