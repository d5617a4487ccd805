import NIOHTTP1

/// The notices that Alpha Vantage returns instead of data, always with status 200.
enum FakeAlphaVantageNotice: Error, Hashable {
    case missingKey(FakeAlphaVantageSettings.NoticeMember)
    /// The key `demo` is accepted for the documented examples only.
    case demoKey
    /// The daily limit of a free key is reached; `key` is nil if the notice omits it.
    case dayIsUsedUp(limit: Int, key: String?)
    /// The limit per minute is reached, with the text used until 2023.
    case minuteIsUsedUp(limit: Int, perDay: Int)
    case tooSoon(perDay: Int)
    case premiumEndpoint
    /// The plan does not include the American prices of this value of `entitlement`.
    case notEntitled(String)
    /// An unknown symbol or parameter value.
    case invalidCall(function: String)

    private var member: FakeAlphaVantageSettings.NoticeMember {
        switch self {
        case .missingKey(let member): member
        case .invalidCall: .errorMessage
        case .minuteIsUsedUp: .note
        case .demoKey, .dayIsUsedUp, .tooSoon, .premiumEndpoint, .notEntitled: .information
        }
    }

    private var text: String {
        let premium = "https://www.alphavantage.co/premium/"
        switch self {
        case .missingKey:
            return """
                the parameter apikey is invalid or missing. Please claim your free API key on \
                (https://www.alphavantage.co/support/#api-key). It should take less than 20 seconds.
                """
        case .demoKey:
            return """
                The **demo** API key is for demo purposes only. Please claim your free API key at \
                (https://www.alphavantage.co/support/#api-key) to explore our full API offerings. It takes \
                fewer than 20 seconds.
                """
        case .dayIsUsedUp(let limit, let key?):
            return """
                We have detected your API key as \(key) and our standard API rate limit is \(limit) requests \
                per day. Please subscribe to any of the premium plans at \(premium) to instantly remove all \
                daily rate limits.
                """
        case .dayIsUsedUp(let limit, nil):
            return """
                Thank you for using Alpha Vantage! Our standard API rate limit is \(limit) requests per day. \
                Please subscribe to any of the premium plans at \(premium) to instantly remove all daily \
                rate limits.
                """
        case .minuteIsUsedUp(let limit, let perDay):
            return """
                Thank you for using Alpha Vantage! Our standard API call frequency is \(limit) calls per \
                minute and \(perDay) calls per day. Please visit \(premium) if you would like to target a \
                higher API call frequency.
                """
        case .tooSoon(let perDay):
            return """
                Thank you for using Alpha Vantage! Please consider spreading out your free API requests more \
                sparingly. You may subscribe to any of the premium plans at \(premium) to lift the free key \
                rate limit (\(perDay) requests per day) and instantly unlock all premium endpoints
                """
        case .premiumEndpoint:
            return """
                Thank you for using Alpha Vantage! This is a premium endpoint. You may subscribe to any of \
                the premium plans at \(premium) to instantly unlock all premium endpoints
                """
        case .notEntitled(let entitlement):
            let prices = entitlement == "delayed" ? "15-minute delayed" : entitlement
            return """
                Thank you for using Alpha Vantage! You are not yet entitled to \(prices) US market data access. \
                Please subscribe to a premium plan with such data at \(premium) to unlock it
                """
        case .invalidCall(let function):
            return """
                Invalid API call. Please retry or visit the documentation \
                (https://www.alphavantage.co/documentation/) for \(function).
                """
        }
    }

    var json: JSONDocument { .object([.init(name: member.rawValue, value: .string(text))]) }
}

extension SandboxResponse {
    init(_ notice: FakeAlphaVantageNotice) {
        self = .json(notice.json)
    }

    /// Returns the response of Alpha Vantage or its proxy for a scripted status.
    ///
    /// Alpha Vantage does not use 429: it reports rate limits with status 200.
    static func alphaVantage(status code: Int, _ settings: FakeAlphaVantageSettings) -> SandboxResponse {
        guard code != 429 else { return SandboxResponse(.tooSoon(perDay: settings.requestsPerDay ?? 25)) }
        let status = HTTPResponseStatus(statusCode: code)
        return .text(
            "<html><head><title>\(code) \(status.reasonPhrase)</title></head></html>\n", type: "text/html",
            status: status)
    }
}
