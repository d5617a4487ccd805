/// Which trades and quotes Alpaca's market data is made of; the raw value is Alpaca's name.
package enum AlpacaFeed: String, Sendable, CaseIterable {
    /// One exchange, IEX: free.
    case iex
    /// All American exchanges, for who pays.
    case sip
    /// All American exchanges, a quarter of an hour late.
    case delayedSIP = "delayed_sip"
    /// Blue Ocean, the trading by night.
    case boats
    /// Prices by night, derived from Blue Ocean's.
    case overnight
    /// Over the counter, for broker partners.
    case otc

    /// How far the feed lags; nil where Alpaca does not say.
    var delayMinutes: Int? {
        switch self {
        case .iex, .sip, .boats: 0
        case .delayedSIP: 15
        case .overnight, .otc: nil
        }
    }

    /// The feed of past prices that goes with it.
    var historical: AlpacaFeed {
        switch self {
        case .iex, .sip, .boats, .otc: self
        case .delayedSIP: .sip
        case .overnight: .boats
        }
    }

    /// How long ago the past begins that may be asked for; nil where that is up to the credential.
    var lag: Duration? {
        switch self {
        case .delayedSIP: .seconds(15 * 60)
        case .iex, .sip, .boats, .overnight, .otc: nil
        }
    }
}
