package import Brokerage
import Upstream

/// An error in Saxo's form.
package struct SaxoErrorInfo: JSONObjectDecodable, Hashable {
    package var code: String?
    /// For people; it changes from version to version, so nothing is decided by it.
    package var message: String?
    /// The disclaimers for which an order was rejected; nil for another reason.
    package var disclaimers: [OrderDisclaimer.Reference]?

    init(code: String? = nil, message: String? = nil) {
        self.code = code
        self.message = message
    }

    static let json = JSONFields(Self()) {
        $0.optional("ErrorCode", \.code)
        $0.optional("Message", \.message)
        $0.optional("ErrorMessage", \.message)
        $0.update("PreTradeDisclaimers", \.disclaimers) { reader, value throws(JSONError) in
            value = try SaxoPendingDisclaimers.read(&reader)
        }
    }
}

/// The body of an error response.
///
/// It has one of four forms: `{"ErrorCode","Message","ModelState"}`, in which the code may be missing;
/// `{"ErrorInfo":{…}}`; `{"Orders":[{"ErrorInfo":{…}}]}`; empty (401, 404).
package struct SaxoErrorBody: JSONDecodable, Hashable {
    package var info = SaxoErrorInfo()
    /// The errors of fields of the request, with Saxo's texts.
    package var fields: [Field] = []

    package struct Field: Hashable {
        package var name: String
        package var texts: [String]
    }

    init(json reader: inout JSONReader) throws(JSONError) {
        var (outer, inner) = (SaxoErrorInfo(), SaxoErrorInfo?.none)
        try reader.object { key, reader throws(JSONError) in
            switch key {
            case "ErrorCode": outer.code = try reader.stringOrNil()
            case "Message", "ErrorMessage": outer.message = try reader.stringOrNil()
            case "PreTradeDisclaimers": outer.disclaimers = try SaxoPendingDisclaimers.read(&reader)
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
        info.disclaimers = info.disclaimers ?? outer.disclaimers
    }

    /// Whether the body has an error in Saxo's form: a code, a message, disclaimers or errors of fields.
    var hasError: Bool {
        info.code != nil || info.message != nil || info.disclaimers != nil || !fields.isEmpty
    }

    /// The error, with the texts of its fields in place of the message if there are any: they are more specific.
    var detailedInfo: SaxoErrorInfo {
        let details = fields.map { "\($0.name): \($0.texts.joined(separator: " "))" }
        var detailed = info
        if !details.isEmpty { detailed.message = details.joined(separator: "; ") }
        return detailed
    }

    /// Reads the error of a body; nil for a body without one: HTML, or empty.
    init?(_ response: HTTPClientResponse) {
        guard let problem = try? SaxoErrorBody(json: response.body) else { return nil }
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
    /// Classifies a response of Saxo; nil for a successful one.
    init?(saxo response: HTTPClientResponse, now: Instant) {
        switch response.status {
        // The request is well-formed, but Saxo does not have the instrument, the type or the field group.
        case 400: self = .unsupported
        case 429: self = .rateLimited(retryAt: SaxoRateLimitHeaders.retryAt(in: response, now: now))
        default:
            guard let cause = ProviderFailure.Cause.status(of: response, now: now) else { return nil }
            self = cause
        }
    }
}
