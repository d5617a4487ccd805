import NIOHTTP1

/// `/metrics`, in the text format that Prometheus reads.
struct MetricsRoute: Route {
    let audience: MetricsAudience
    let families: @Sendable () -> [MetricFamily]

    func admit(_ head: RequestHead, id: RequestID) -> Result<RequestHandler, RequestRejection> {
        switch audience {
        case .everyone: break
        // A proxy on this machine asks for others.
        case .thisMachine where head.client.isThisMachine && head.fields.forwardedFor == nil: break
        case .thisMachine, .nobody:
            return .failure(RequestRejection(.unknownPath(String(head.target.path)), id: id))
        }
        return ReadOnlyRoute { _ in
            let text = families().map(\.text).joined()
            var response = HTTPResponse(
                .ok, "text/plain; version=0.0.4; charset=utf-8", body: Array(text.utf8))
            response.headers = [HTTPResponse.Header("cache-control", "no-store")]
            return response
        }.admit(head, id: id)
    }
}

/// Who may read metrics: they name operations, and tell how much is asked for.
package enum MetricsAudience: Sendable, Hashable {
    case nobody
    /// Clients of this machine, such as a collector beside the server; not what a proxy asks for others, where it says
    /// so in `X-Forwarded-For`.
    case thisMachine
    case everyone
}
