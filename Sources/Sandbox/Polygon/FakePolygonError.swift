import NIOHTTP1

/// The errors of the fake Polygon.
enum FakePolygonError: Error, Hashable {
    case missingKey(status: Int)
    case unknownKey
    case tooManyRequests(hasBody: Bool)
    /// The plan does not include the data.
    case notEntitled
    /// The plan does not include the time range.
    case outsideTimeframe
    case notFound(message: String)
    case badRequest(String)
    /// A scripted status.
    case other(status: Int)

    var status: HTTPResponseStatus {
        switch self {
        case .missingKey(let status), .other(let status): HTTPResponseStatus(statusCode: status)
        case .unknownKey: .unauthorized
        case .tooManyRequests: .tooManyRequests
        case .notEntitled, .outsideTimeframe: .forbidden
        case .notFound: .notFound
        case .badRequest: .badRequest
        }
    }

    /// The value of `status`, the name of the member with the explanation, and its text.
    private var text: (status: String, member: String, text: String) {
        let pricing = "https://polygon.io/pricing"
        switch self {
        case .missingKey: return ("ERROR", "error", "API Key was not provided")
        case .unknownKey: return ("ERROR", "error", "Unknown API Key")
        case .tooManyRequests:
            return (
                "ERROR", "error",
                "You've exceeded the maximum requests per minute, please wait or upgrade your subscription to "
                    + "continue. \(pricing)"
            )
        case .notEntitled:
            return (
                "NOT_AUTHORIZED", "message",
                "You are not entitled to this data. Please upgrade your plan at \(pricing)"
            )
        case .outsideTimeframe:
            return (
                "NOT_AUTHORIZED", "message",
                "Your plan doesn't include this data timeframe. Please upgrade your plan at \(pricing)"
            )
        case .notFound(let message): return ("NOT_FOUND", "message", message)
        case .badRequest(let text): return ("ERROR", "error", text)
        case .other: return ("ERROR", "error", status.reasonPhrase)
        }
    }

    func response(requestID: String) -> SandboxResponse {
        if case .tooManyRequests(false) = self { return SandboxResponse(status: status) }
        let (word, member, text) = text
        return .json(
            .object([
                .init(name: "status", value: .string(word)),
                .init(name: "request_id", value: .string(requestID)),
                .init(name: member, value: .string(text)),
            ]), status: status)
    }
}

extension SandboxResponse {
    /// Returns the response of Polygon or its proxy for a scripted status.
    static func polygon(status code: Int, _ settings: FakePolygonSettings) -> SandboxResponse {
        let status = HTTPResponseStatus(statusCode: code)
        switch code {
        case 401: return FakePolygonError.unknownKey.response(requestID: FakePolygonHost.noRequestID)
        case 429:
            return FakePolygonError.tooManyRequests(hasBody: settings.tooManyRequestsHasBody)
                .response(requestID: FakePolygonHost.noRequestID)
        // The proxy answers for an unavailable service, with HTML.
        case 502, 503, 504:
            return .text(
                "<html><head><title>\(code) \(status.reasonPhrase)</title></head></html>\n",
                type: "text/html", status: status)
        default: return FakePolygonError.other(status: code).response(requestID: FakePolygonHost.noRequestID)
        }
    }
}
