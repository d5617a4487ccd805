import GraphQL
import NIOHTTP1

/// `/health/live` and `/health/ready`, for those who start, stop and balance servers.
struct HealthRoute: Sendable {
    let readiness: @Sendable () -> Readiness

    /// The process runs and its event loops turn: it could not say so otherwise.
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
