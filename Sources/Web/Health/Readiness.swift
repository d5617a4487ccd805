/// Whether the server can answer, and how its parts are.
package struct Readiness: Sendable, Hashable {
    /// False sends traffic elsewhere: `/health/ready` answers 503.
    package var isReady: Bool
    /// What stands behind the server, such as providers.
    ///
    /// One that is down does not make the server unready.
    package var components: [Component]

    /// A part of what stands behind the server.
    package struct Component: Sendable, Hashable {
        package var name: String
        package var state: State
        /// For people; no secrets.
        package var detail: String?

        package init(_ name: String, _ state: State, detail: String? = nil) {
            self.name = name
            self.state = state
            self.detail = detail
        }
    }

    /// How a part is.
    package enum State: String, Sendable, Hashable {
        case up
        /// It answers, and fails at times.
        case degraded
        case down
        /// Not asked yet.
        case unknown
    }

    package init(isReady: Bool = true, components: [Component] = []) {
        self.isReady = isReady
        self.components = components
    }
}
