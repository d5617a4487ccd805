import NIOHTTP1

/// The errors of the fake Yahoo: each endpoint has its own envelope, or plain text.
struct FakeYahooError: Error, Hashable {
    let status: Int
    let envelope: Envelope
    let code: String
    let description: String

    enum Envelope: String, Hashable {
        case chart
        case quoteSummary
        /// Errors of the front end, before the endpoint.
        case finance
    }

    static func unauthorized(_ description: String) -> FakeYahooError {
        FakeYahooError(status: 401, envelope: .finance, code: "Unauthorized", description: description)
    }

    static func badRequest(_ description: String) -> FakeYahooError {
        FakeYahooError(status: 400, envelope: .finance, code: "Bad Request", description: description)
    }

    /// Returns the error for a symbol without a chart.
    static func noChart(status: Int) -> FakeYahooError {
        FakeYahooError(
            status: status, envelope: .chart, code: "Not Found",
            description: "No data found, symbol may be delisted")
    }

    /// Returns the error for an unavailable range or interval.
    static func badRange(status: Int, _ description: String) -> FakeYahooError {
        FakeYahooError(
            status: status, envelope: .chart, code: status == 400 ? "Bad Request" : "Unprocessable Entity",
            description: description)
    }

    /// Returns the error for a range before the first trade.
    static func noData(from first: Int, to last: Int) -> FakeYahooError {
        FakeYahooError(
            status: 400, envelope: .chart, code: "Bad Request",
            description: "Data doesn't exist for startDate = \(first), endDate = \(last)")
    }

    static func noSummary(of modules: [String]) -> FakeYahooError {
        FakeYahooError(
            status: 404, envelope: .quoteSummary, code: "Not Found",
            description: "No fundamentals data found for any of the summaryTypes="
                + modules.joined(separator: ","))
    }
}

extension SandboxResponse {
    init(_ error: FakeYahooError) {
        self = .json(
            .object([
                .init(
                    name: error.envelope.rawValue,
                    value: [
                        "result": nil,
                        "error": ["code": .string(error.code), "description": .string(error.description)],
                    ])
            ]), status: HTTPResponseStatus(statusCode: error.status))
    }

    /// Returns the response of Yahoo's edge to an address over its rate limit.
    static func yahooTooManyRequests(_ settings: FakeYahooSettings) -> SandboxResponse {
        .text(settings.tooManyRequestsText, status: .tooManyRequests)
    }

    /// Returns the response of Yahoo or its proxy for a scripted status.
    static func yahoo(status code: Int, _ settings: FakeYahooSettings) -> SandboxResponse {
        let status = HTTPResponseStatus(statusCode: code)
        switch code {
        case 429: return .yahooTooManyRequests(settings)
        // The proxy answers for an unavailable service, with HTML.
        case 502, 503, 504:
            return .text(
                "<html><head><title>Yahoo - \(code) \(status.reasonPhrase)</title></head></html>\n",
                type: "text/html", status: status)
        default:
            return SandboxResponse(
                FakeYahooError(
                    status: code, envelope: .finance, code: status.reasonPhrase,
                    description: status.reasonPhrase))
        }
    }
}
