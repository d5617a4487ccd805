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
    /// Portico's embedded sandbox.
    case sandbox = "SANDBOX"
}

/// The source of a live value and its age.
package struct Provenance: Hashable, Sendable {
    /// Who reported it.
    package let source: ProviderID
    /// When Portico read it; a fresh reading may still be of an old price.
    package let fetchedAt: Instant
    /// The time of the value by the source's clock; nil if the source does not report it.
    package let asOf: Instant?
    /// It outlived its time and could not be renewed.
    package let isStale: Bool

    package init(source: ProviderID, fetchedAt: Instant, asOf: Instant? = nil, isStale: Bool = false) {
        self.source = source
        self.fetchedAt = fetchedAt
        self.asOf = asOf
        self.isStale = isStale
    }
}

extension Provenance {
    /// The same reading, past its time.
    package var markedStale: Provenance {
        Provenance(source: source, fetchedAt: fetchedAt, asOf: asOf, isStale: true)
    }
}
