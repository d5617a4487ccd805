import GraphQL
import NIOHTTP1

/// `/health/live` and `/health/ready`, for orchestrators and load balancers.
struct HealthRoute: Sendable {
    let readiness: @Sendable () -> Readiness

    /// The process and its event loops run, otherwise there would be no response.
    var liveness: HTTPResponse {
        HealthRoute.response(.ok, ["status": .string("alive")])
    }

    func readiness(isStopping: Bool) -> HTTPResponse {
        guard !isStopping else {
            return HealthRoute.response(.serviceUnavailable, ["status": .string("stopping")])
        }
        let readiness = readiness()
        var report: InputObject = ["status": .string(readiness.isReady ? "ready" : "not ready")]
        if !readiness.components.isEmpty {
            report["components"] = .list(readiness.components.map { .object($0.report) })
        }
        return HealthRoute.response(readiness.isReady ? .ok : .serviceUnavailable, report)
    }

    private static func response(_ status: HTTPResponseStatus, _ report: InputObject) -> HTTPResponse {
        var response = HTTPResponse(
            status, ResponseMediaType.json.contentType, body: InputValue.object(report).json)
        response.headers = [HTTPResponse.Header("cache-control", "no-store")]
        return response
    }
}

extension Readiness.Component {
    fileprivate var report: InputObject {
        var report: InputObject = ["name": .string(name), "state": .string(state.rawValue)]
        report["detail"] = detail.map { .string($0) }
        return report
    }
}

/// Whether the server is ready, and the state of its components.
package struct Readiness: Sendable, Hashable {
    /// If it is false, `/health/ready` returns 503 and load balancers choose another server.
    package var isReady: Bool
    /// The components behind the server, such as providers.
    ///
    /// A failing component does not make the server unready.
    package var components: [Component]

    /// A component behind the server.
    package struct Component: Sendable, Hashable {
        package var name: String
        package var state: State
        /// For people; no secrets, and no addresses or paths, because the public port shows it.
        package var detail: String?

        package init(_ name: String, _ state: State, detail: String? = nil) {
            self.name = name
            self.state = state
            self.detail = detail
        }
    }

    /// The state of a component.
    package enum State: String, Sendable, Hashable {
        case up
        /// It responds, and some calls fail.
        case degraded
        case down
        /// Not called yet.
        case unknown
    }

    package init(isReady: Bool = true, components: [Component] = []) {
        self.isReady = isReady
        self.components = components
    }
}
