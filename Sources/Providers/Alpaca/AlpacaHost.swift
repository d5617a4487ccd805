/// Alpaca's hosts for calls that are over with one answer; each has a rate limit of its own, which bears its name.
enum AlpacaHost: String, Sendable, Hashable {
    case trading
    case data
}
