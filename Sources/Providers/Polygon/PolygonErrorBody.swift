import Brokerage
import Upstream

extension ProviderFailure.Cause {
    /// Classifies a response of Polygon; nil for a successful one.
    init?(polygon response: HTTPClientResponse, now: Instant) {
        switch response.status {
        // The body distinguishes a missing key from an invalid parameter; the message is matched loosely,
        // because messages change.
        case 400: self = PolygonErrorBody(response)?.isAboutKey == true ? .unauthorized : .unsupported
        // No header has the time of the next call; the limit is for a minute.
        case 429:
            self = .rateLimited(retryAt: RetryAfter.instant(in: response, now: now) ?? now + .seconds(60))
        default:
            guard let cause = ProviderFailure.Cause.status(of: response, now: now) else { return nil }
            self = cause
        }
    }
}

/// The body of a refusal: its text is under `error` or, for a plan that does not have something, under `message`.
struct PolygonErrorBody: JSONObjectDecodable, Hashable {
    var status: String?
    var text: String?

    init() {}

    static let json = JSONFields(Self()) {
        $0.optional("status", \.status)
        $0.optional("error", \.text)
        $0.optional("message", \.text)
    }

    /// Reads the error of a response; nil for a body without one: HTML, or empty.
    init?(_ response: HTTPClientResponse) {
        guard let problem = try? PolygonErrorBody(json: response.body) else { return nil }
        self = problem
    }

    var isAboutKey: Bool { text?.lowercased().contains("api key") == true }
}

extension JSONReader {
    /// Reads the `status` of a successful response; any other status is an error, whatever the HTTP status.
    mutating func goodStatus() throws(JSONError) -> PolygonStatus {
        try token(oneOf: "OK, DELAYED") { name in
            switch name {
            case "OK": .current
            case "DELAYED": .delayed
            default: nil
            }
        }
    }
}

/// The timeliness of a response.
enum PolygonStatus: Hashable {
    case current
    /// Of a plan whose prices are a quarter of an hour late.
    case delayed

    /// The delay of the prices with the status `delayed`, in minutes.
    static let delayMinutes = 15
}
