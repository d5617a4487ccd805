import Brokerage
package import Upstream

/// The body of a refusal: `{"code":40410000,"message":"position does not exist"}`, without a code if the
/// edge refuses.
///
/// Some bodies have more members, with figures of the account; they are not read. Clients see none of it:
/// only the status determines their error, and messages change from version to version.
package struct AlpacaErrorBody: JSONObjectDecodable, Hashable {
    package var code: Int?
    package var message: String?

    package static let json = JSONFields(Self()) {
        $0.optional("code", \.code)
        $0.optional("message", \.message)
    }
}

extension AlpacaErrorBody {
    /// The error in a response; nil for a body without one, for HTML and for an empty body.
    init?(_ response: HTTPClientResponse) {
        guard let problem = try? AlpacaErrorBody(json: response.body) else { return nil }
        self = problem
    }

    /// The symbol that the market data host calls malformed, refusing all others along with it.
    ///
    /// Its message is `code=400, message=invalid symbol: ANG-PD`, and was `invalid symbol: ANG-PD` before (observed in several
    /// public projects).
    static func rejectedSymbol(in response: HTTPClientResponse) -> Symbol? {
        guard response.status == 400, let message = AlpacaErrorBody(response)?.message,
            let words = message.firstRange(of: invalidSymbol)
        else { return nil }
        return Symbol(String(message[words.upperBound...].prefix { !symbolEnds.contains($0) }))
    }

    private static let invalidSymbol = "invalid symbol: "
    /// The characters that no symbol has, and that may follow one in a message.
    private static let symbolEnds: Set<Character> = [" ", "\"", ","]

    /// Whether bars are refused because they are newer than the plan allows: 403 with `subscription does not permit querying
    /// recent SIP data`, or 422 with `end is too late for subscription`.
    static func isTooRecent(_ response: HTTPClientResponse) -> Bool {
        guard response.status == 403 || response.status == 422,
            let message = AlpacaErrorBody(response)?.message?.lowercased()
        else { return false }
        return message.contains("recent sip data") || message.contains("too late for subscription")
    }

    /// Whether the edge refuses the credential, as it does with keys of the other environment.
    ///
    /// Its message has no code; the hosts behind the edge respond with a code if something is not allowed.
    static func rejectsCredential(_ response: HTTPClientResponse) -> Bool {
        guard response.status == 403, let problem = AlpacaErrorBody(response), problem.code == nil else {
            return false
        }
        return problem.message?.hasPrefix("forbidden") == true
    }
}

extension ProviderFailure.Cause {
    /// The failure of a response of Alpaca; nil for a response to be read.
    init?(alpaca response: HTTPClientResponse, now: Instant) {
        switch response.status {
        // It names one of many symbols, and is read to find out which.
        case 400 where AlpacaErrorBody.rejectedSymbol(in: response) != nil: return nil
        // The request is well-formed and Alpaca does not support its value: a timeframe, a feed, a currency.
        case 400, 422: self = .unsupported
        case 403 where AlpacaErrorBody.rejectsCredential(response): self = .unauthorized
        case 429: self = .rateLimited(retryAt: AlpacaRateLimit.retryAt(in: response, now: now))
        default:
            guard let cause = ProviderFailure.Cause.status(of: response, now: now) else { return nil }
            self = cause
        }
    }
}

/// Alpaca's plain no to a write: it was understood, and nothing was done.
package struct AlpacaWriteRejection: Hashable {
    let status: Int
    let code: Int
    let message: String?

    /// Nil for a response that is not a refusal by the trading host, whose refusals have a code: a response of the edge, or
    /// of a proxy before Alpaca, does not show what became of the order.
    package init?(_ response: HTTPClientResponse) {
        guard [400, 403, 404, 422].contains(response.status), let problem = AlpacaErrorBody(response),
            let code = problem.code
        else { return nil }
        status = response.status
        self.code = code
        message = problem.message
    }
}

extension ProviderFailure.Cause {
    /// The failure in the response to a write; nil for a response that the caller must read, possibly a
    /// rejection.
    ///
    /// A response without a code does not show whether Alpaca has received the write: a proxy before Alpaca may have
    /// sent it in place of Alpaca's response.
    init?(alpacaWrite response: HTTPClientResponse, now: Instant) {
        if AlpacaWriteRejection(response) != nil { return nil }
        let hasCode = AlpacaErrorBody(response)?.code != nil
        if !hasCode, [400, 401, 422].contains(response.status) {
            self = .unavailable
            return
        }
        self.init(alpacaOrders: response, now: now)
        // Alpaca's own response to wrong keys is a 403 without a code.
        if self == .notEntitled, !hasCode { self = .unavailable }
    }

    /// The failure that a response to a read of orders means; nil for a good response.
    ///
    /// A 404 is Alpaca's own response about an order only if it has a code: a 404 of a proxy before Alpaca
    /// does not show whether the order exists.
    init?(alpacaOrders response: HTTPClientResponse, now: Instant) {
        self.init(alpaca: response, now: now)
        if self == .notFound, AlpacaErrorBody(response)?.code == nil { self = .unavailable }
    }
}
