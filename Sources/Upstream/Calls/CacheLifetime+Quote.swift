package import Brokerage

extension CacheLifetime {
    /// Of a quote, by who tells it and whether its market trades.
    ///
    /// Fresh for 1 to 15 seconds. A source that tells prices late, or of whose calls there are few, is asked less often;
    /// so is one whose market is closed. A price is never served unmarked beyond that; the last one stays known over a long
    /// weekend.
    package static func quote(_ quote: Quote) -> CacheLifetime {
        CacheLifetime(fresh: .seconds(quote.secondsFresh), ifError: .seconds(4 * 86_400))
    }
}

extension Quote {
    fileprivate var secondsFresh: Int {
        switch marketState {
        case .closed, .halted: return 15
        case .pre, .post, .open, nil: break
        }
        switch timeliness {
        case .delayed, .endOfDay, .indicative: return 15
        case .realTime, nil: break
        }
        switch provenance.source {
        case .alpaca, .saxo: return 1
        case .yahoo: return 5
        case .alphaVantage, .polygon: return 15
        }
    }
}
