import Brokerage
package import Upstream

extension FieldError {
    /// No connection of the user has this id.
    static func noConnection(_ id: String) -> FieldError {
        FieldError(.notFound, "There is no connection \"\(id.prefix(80))\".")
    }

    /// What a user is told whose credential could not be tried, or was refused.
    ///
    /// It is not the credential of a connection, so to connect again is no way out.
    package init(connecting failure: ProviderFailure) {
        guard failure.cause == .unauthorized else {
            self.init(failure)
            return
        }
        self.init(
            .badUserInput,
            """
            \(failure.provider.rawValue) did not accept the credential: look whether it is whole, still good, and of \
            this environment.
            """, provider: failure.provider)
    }
}
