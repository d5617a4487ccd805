import Brokerage
package import Upstream

extension FieldError {
    /// No connection of the user has this id.
    static func noConnection(_ id: String) -> FieldError {
        FieldError(.notFound, "There is no connection \"\(id.beginning(80))\".")
    }

    /// The error for a user or a connection that cannot be deleted, because the broker has not responded to
    /// requests about orders.
    ///
    /// - Parameters:
    ///   - count: The number of writes that are not sent or have no response.
    ///   - whose: `this user's`.
    ///   - remedy: The action that is possible afterwards: `Delete the user`.
    /// - Returns: CONFLICT.
    static func ordersInProgress(_ count: Int, _ whose: String, _ remedy: String) -> FieldError {
        let requests = count == 1 ? "1 request" : "\(count) requests"
        return FieldError(
            .conflict,
            """
            \(requests) about \(whose) orders \(count == 1 ? "is" : "are") in progress at a broker. \(remedy) when \
            \(count == 1 ? "it has" : "they have") ended, in a minute at most.
            """)
    }

    /// What a user is told whose credential could not be tried, or was refused.
    ///
    /// It is not the credential of a connection, so to connect again is no way out.
    package init(connecting failure: ProviderFailure) {
        guard failure.cause == .unauthorized else {
            self.init(failure)
            return
        }
        self = .argument(
            "input.credential",
            """
            \(failure.provider.rawValue) did not accept the credential: look whether it is whole, still good, and of \
            this environment.
            """, provider: failure.provider)
    }
}
