/// A broker or market-data service behind Portico.
package enum ProviderID: String, Sendable, CaseIterable {
    case alpaca = "ALPACA"
    case saxo = "SAXO"
    case alphaVantage = "ALPHA_VANTAGE"
    case yahoo = "YAHOO"
    case polygon = "POLYGON"
}

/// Which of a broker's worlds an account lives in.
package enum Environment: String, Sendable, CaseIterable {
    /// Real money.
    case live = "LIVE"
    /// The broker's own practice environment: Alpaca paper, Saxo SIM.
    case paper = "PAPER"
    /// Portico's embedded stand-in.
    case sandbox = "SANDBOX"
}
