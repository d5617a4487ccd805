import Brokerage
import Upstream

/// Saxo's word for what went wrong.
package struct SaxoErrorInfo: JSONDecodable, Hashable {
    package var code: String?
    /// For people; it changes from version to version, so nothing is decided by it.
    package var message: String?

    init(code: String?, message: String?) {
        self.code = code
        self.message = message
    }

    init(json reader: inout JSONReader) throws(JSONError) {
        try reader.object { key, reader throws(JSONError) in
            switch key {
            case "ErrorCode": code = try reader.stringOrNil()
            case "Message", "ErrorMessage": message = try reader.stringOrNil()
            default: try reader.skip()
            }
        }
    }
}

/// The body of a refusal.
///
/// It has one of four forms: `{"ErrorCode","Message","ModelState"}`, where the code may be missing;
/// `{"ErrorInfo":{…}}`; `{"Orders":[{"ErrorInfo":{…}}]}`; nothing at all (401, 404).
package struct SaxoErrorBody: JSONDecodable, Hashable {
    package var info = SaxoErrorInfo(code: nil, message: nil)
    /// What is wrong with which field of the request, in Saxo's words.
    package var fields: [Field] = []

    package struct Field: Hashable {
        package var name: String
        package var texts: [String]
    }

    init(json reader: inout JSONReader) throws(JSONError) {
        var (outer, inner) = (SaxoErrorInfo(code: nil, message: nil), SaxoErrorInfo?.none)
        try reader.object { key, reader throws(JSONError) in
            switch key {
            case "ErrorCode": outer.code = try reader.stringOrNil()
            case "Message", "ErrorMessage": outer.message = try reader.stringOrNil()
            case "ErrorInfo": inner = try reader.optional(SaxoErrorInfo.init(json:))
            case "Orders":
                let results = try reader.optional { reader throws(JSONError) in
                    try reader.array(of: SaxoOrderResult.Item.self)
                }
                inner = inner ?? results?.lazy.compactMap(\.error).first
            case "ModelState": fields = try reader.modelState()
            default: try reader.skip()
            }
        }
        info = inner ?? outer
    }

    /// The problem that a body tells of; nil for one that tells of none: HTML, or nothing.
    init?(_ response: HTTPClientResponse) {
        let problem = try? JSONReader.read(response.body) { reader throws(JSONError) in
            try SaxoErrorBody(json: &reader)
        }
        guard let problem else { return nil }
        self = problem
    }
}

extension JSONReader {
    fileprivate mutating func modelState() throws(JSONError) -> [SaxoErrorBody.Field] {
        var fields: [SaxoErrorBody.Field] = []
        guard try !null() else { return fields }
        try object { key, reader throws(JSONError) in
            guard try reader.kind() == .array else {
                try reader.skip()
                return
            }
            var texts: [String] = []
            try reader.array { reader throws(JSONError) in texts.append(try reader.string()) }
            fields.append(SaxoErrorBody.Field(name: key.string, texts: texts))
        }
        return fields
    }
}

extension ProviderFailure.Cause {
    /// What a response of Saxo means; nil for one that is to be read.
    init?(saxo response: HTTPClientResponse, now: Instant) {
        switch response.status {
        // What was asked is well formed, and Saxo does not have it: an instrument, a kind, a field group.
        case 400: self = .unsupported
        case 429: self = .rateLimited(retryAt: SaxoRateLimitHeaders.retryAt(in: response, now: now))
        default:
            guard let cause = ProviderFailure.Cause.status(of: response, now: now) else { return nil }
            self = cause
        }
    }
}
