import Brokerage
import Upstream

/// The notice that Alpha Vantage returns instead of data, with status 200.
///
/// Its text may contain the key, so it is only compared with known texts, and not stored.
enum AlphaVantageErrorNotice: Hashable, CaseIterable {
    /// The key is missing, not valid, or the one for demonstrations.
    case badKey
    /// The plan does not include the function, a value of a parameter, or real-time or delayed prices.
    case premium
    /// More than about one call a second.
    case burst
    /// More than five calls a minute, as it was until 2023.
    case minute
    /// More calls than a day has.
    case day
    /// An unknown symbol, or an invalid parameter.
    case invalidCall
    /// An unknown text.
    case unknown

    /// Reads the notice of a response; nil if the response has data.
    init?(_ response: HTTPClientResponse) {
        // Notices have some hundred bytes; a longer body is data, and is not parsed twice.
        guard response.body.count <= Self.maximumLength else { return nil }
        let notice = try? JSONReader.read(response.body) { reader throws(JSONError) in
            var text: String?
            try reader.object { key, reader throws(JSONError) in
                switch key {
                case "Note", "Information", "Error Message": text = try reader.string()
                default: try reader.skip()
                }
            }
            return text.map(AlphaVantageErrorNotice.init(text:))
        }
        guard let notice else { return nil }
        self = notice
    }

    private static let maximumLength = 8_192

    private init(text: String) {
        // The order matters: the text about bursts names the limit of the day and premium endpoints as well.
        let notice = Self.patterns.first { mark in mark.words.contains { text.contains($0) } }?.notice
        self = notice ?? .unknown
    }

    private static let patterns: [(notice: AlphaVantageErrorNotice, words: [String])] = [
        (.badKey, ["apikey is invalid or missing", "demo** API key", "demo API key"]),
        (.burst, ["spreading out"]),
        (.premium, ["is a premium", "not yet entitled"]),
        (.minute, ["calls per minute"]),
        (.day, ["requests per day", "calls per day"]),
        (.invalidCall, ["Invalid API call"]),
    ]

    /// The cause of the failure.
    func cause(now: Instant) -> ProviderFailure.Cause {
        switch self {
        case .badKey: .unauthorized
        case .premium: .notEntitled
        case .burst: .rateLimited(retryAt: now + .seconds(1))
        case .minute: .rateLimited(retryAt: now + .seconds(60))
        case .day: .quotaExhausted(retryAt: now.nextMidnightInNewYork)
        case .invalidCall: .notFound
        case .unknown: .invalidResponse(nil)
        }
    }
}

extension ProviderFailure.Cause {
    /// Classifies a response of Alpha Vantage; nil for a successful one.
    init?(alphaVantage response: HTTPClientResponse, now: Instant) {
        if let notice = AlphaVantageErrorNotice(response) {
            self = notice.cause(now: now)
        } else if let cause = ProviderFailure.Cause.status(of: response, now: now) {
            self = cause
        } else {
            return nil
        }
    }
}

extension Instant {
    /// When the day ends in New York, with which Alpha Vantage's is assumed to end.
    var nextMidnightInNewYork: Instant? {
        inNewYork.date.adding(days: 1).map(Instant.init(newYorkMidnight:))
    }
}
