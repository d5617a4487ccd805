import Brokerage
import Upstream

/// The error that stands in an envelope in place of a result:
/// `{"finance":{"result":null,"error":{"code":"Unauthorized","description":"Invalid Crumb"}}}`.
struct YahooErrorBody: JSONDecodable, Hashable {
    var code: String?
    var text: String?

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

    private mutating func readError(_ reader: inout JSONReader) throws(JSONError) {
        if try reader.null() { return }
        try reader.object { key, reader throws(JSONError) in
            switch key {
            case "code": code = try reader.stringOrNil()
            case "description": text = try reader.stringOrNil()
            default: try reader.skip()
            }
        }
    }

    /// The problem that a response tells of; nil for a body that tells of none, HTML or plain text.
    init?(_ response: HTTPClientResponse) {
        let problem = try? JSONReader.read(response.body) { reader throws(JSONError) in
            try YahooErrorBody(json: &reader)
        }
        guard let problem else { return nil }
        self = problem
    }

    /// Whether the crumb is no longer good, and a new one may be.
    static func isStaleCrumb(_ response: HTTPClientResponse) -> Bool {
        response.status == 401 && YahooErrorBody(response)?.text == "Invalid Crumb"
    }
}

extension ProviderFailure.Cause {
    /// What a response of Yahoo means; nil for one that is to be read.
    init?(yahoo response: HTTPClientResponse, now: Instant) {
        switch response.status {
        // A period or interval that Yahoo does not have.
        case 400, 422: self = .unsupported
        // A crumb is not a credential of anybody who could connect again; what Yahoo refuses, it refuses to everybody like us.
        case 401: self = .notEntitled
        // 999 is what older servers say.
        case 429, 999: self = Self.throttled(response, now: now)
        case 200..<300 where YahooPlainTextError.isTooManyRequests(response.body):
            self = Self.throttled(response, now: now)
        default:
            guard let cause = ProviderFailure.Cause.status(of: response, now: now) else { return nil }
            self = cause
        }
    }

    /// It lasts minutes to a day, and no header says how long; asking on makes it longer.
    private static func throttled(_ response: HTTPClientResponse, now: Instant) -> Self {
        .rateLimited(retryAt: RetryAfter.instant(in: response, now: now) ?? now + .seconds(300))
    }
}

/// Plain text where JSON or a crumb should be.
enum YahooPlainTextError {
    /// `Too Many Requests` or `Edge: Too Many Requests`.
    static func isTooManyRequests(_ body: [UInt8]) -> Bool {
        // An answer that happens to have the words further in is longer.
        body.count < 256 && String(decoding: body, as: UTF8.self).contains("Too Many Requests")
    }
}
