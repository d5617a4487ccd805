import Brokerage
import Upstream

extension ProviderFailure.Cause {
    /// What a response of Polygon means; nil for one that is to be read.
    init?(polygon response: HTTPClientResponse, now: Instant) {
        switch response.status {
        // The body tells a missing key from a parameter that is none; messages change, this one is matched loosely.
        case 400: self = PolygonErrorBody(response)?.isAboutKey == true ? .unauthorized : .unsupported
        // No header says when to come again; the limit counts by the minute.
        case 429:
            self = .rateLimited(retryAt: RetryAfter.instant(in: response, now: now) ?? now + .seconds(60))
        default:
            guard let cause = ProviderFailure.Cause.status(of: response, now: now) else { return nil }
            self = cause
        }
    }
}

/// The body of a refusal: its text is under `error` or, for a plan that does not have something, under `message`.
struct PolygonErrorBody: JSONDecodable, Hashable {
    var status: String?
    var text: String?

    init(json reader: inout JSONReader) throws(JSONError) {
        try reader.object { key, reader throws(JSONError) in
            switch key {
            case "status": status = try reader.stringOrNil()
            case "error", "message": text = try reader.stringOrNil()
            default: try reader.skip()
            }
        }
    }

    /// The problem that a response tells of; nil for a body that tells of none, HTML or nothing.
    init?(_ response: HTTPClientResponse) {
        let problem = try? JSONReader.read(response.body) { reader throws(JSONError) in
            try PolygonErrorBody(json: &reader)
        }
        guard let problem else { return nil }
        self = problem
    }

    var isAboutKey: Bool { text?.lowercased().contains("api key") == true }
}

extension JSONReader {
    /// Reads the `status` of an answer that has something to tell: anything else is none, whatever the status of HTTP.
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

/// How an answer's figures stand to the market.
enum PolygonStatus: Hashable {
    case current
    /// Of a plan whose prices are a quarter of an hour late.
    case delayed
}
