import Brokerage
import Upstream

/// The error in a response, in place of a result:
/// `{"finance":{"result":null,"error":{"code":"Unauthorized","description":"Invalid Crumb"}}}`.
struct YahooErrorBody: JSONDecodable, Hashable {
    var code: String?
    var text: String?

    init() {}

    init(json reader: inout JSONReader) throws(JSONError) {
        // The envelope has the name of the endpoint, or `finance`.
        try reader.object { _, reader throws(JSONError) in
            guard try reader.kind() == .object else { return try reader.skip() }
            try reader.object { key, reader throws(JSONError) in
                switch key {
                case "error": try readError(&reader)
                default: try reader.skip()
                }
            }
        }
    }

    /// Reads the value of the member `error`.
    mutating func readError(_ reader: inout JSONReader) throws(JSONError) {
        if try reader.null() { return }
        try reader.object { key, reader throws(JSONError) in
            switch key {
            case "code": code = try reader.stringOrNil()
            case "description": text = try reader.stringOrNil()
            default: try reader.skip()
            }
        }
    }

    /// Reads the error of a response; nil for a body without one: HTML or plain text.
    init?(_ response: HTTPClientResponse) {
        guard let problem = try? YahooErrorBody(json: response.body) else { return nil }
        self = problem
    }

    /// Whether a chart is refused because its window ends before the first trade, so that it has no bars: 400 with
    /// `Data doesn't exist for startDate = 0, endDate = 86400`.
    var isWindowBeforeFirstTrade: Bool { text?.hasPrefix("Data doesn't exist for startDate") == true }

    /// Whether the cookie or the crumb is refused, so that a new one may be valid.
    ///
    /// The reason is not read: `Invalid Crumb`, `Invalid Cookie` and `User is unable to access this feature` were all
    /// reported for crumbs that had expired.
    static func isStaleCrumb(_ response: HTTPClientResponse) -> Bool {
        response.status == 401 || response.status == 403
    }
}

extension ProviderFailure.Cause {
    /// Classifies a response of Yahoo; nil for a successful one.
    init?(yahoo response: HTTPClientResponse, now: Instant) {
        switch response.status {
        case 400 where YahooErrorBody(response)?.isWindowBeforeFirstTrade == true: return nil
        // A period or interval that Yahoo does not have.
        case 400, 422: self = .unsupported
        // A crumb is not the credential of a user who could connect again; Yahoo rejects all clients of this
        // kind.
        case 401: self = .notEntitled
        // Older servers send 999.
        case 429, 999: self = Self.throttled(response, now: now)
        case 200..<300 where YahooPlainTextError.isTooManyRequests(response.body):
            self = Self.throttled(response, now: now)
        default:
            guard let cause = ProviderFailure.Cause.status(of: response, now: now) else { return nil }
            self = cause
        }
    }

    /// Throttling lasts from minutes to a day, and no header states the duration; further requests extend
    /// it.
    private static func throttled(_ response: HTTPClientResponse, now: Instant) -> Self {
        .rateLimited(retryAt: RetryAfter.instant(in: response, now: now) ?? now + .seconds(300))
    }
}

/// Plain text where JSON or a crumb should be.
enum YahooPlainTextError {
    /// `Too Many Requests` or `Edge: Too Many Requests`.
    static func isTooManyRequests(_ body: [UInt8]) -> Bool {
        // A response with data that contains the same words is longer.
        body.count < 256 && String(decoding: body, as: UTF8.self).contains("Too Many Requests")
    }
}
