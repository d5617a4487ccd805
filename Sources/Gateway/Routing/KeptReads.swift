import Brokerage
package import Upstream

/// What was read from providers a moment ago, each kind for as long as its values are good.
package struct KeptReads: Sendable {
    let accounts: Reads<[Account]>
    let positions: Reads<[Position]>
    let histories: Reads<EquityHistory>
    let quotes: Reads<Quote>
    let charts: Reads<CandleSeries>
    let instruments: Reads<Instrument>
    let searches: Reads<[SearchHit]>
    let fundamentals: Reads<Fundamentals>
    let articles: Reads<ProviderPage>
    let clocks: Reads<MarketClock>

    package init(clock: CallClock = .system) {
        accounts = Reads("accounts", bounds: .init(timeToLive: .seconds(2)), clock: clock) { accounts in
            accounts.count * MemoryLayout<Account>.stride
        }
        positions = Reads("positions", bounds: .init(timeToLive: .seconds(2)), clock: clock) { positions in
            positions.count * MemoryLayout<Position>.stride
        }
        histories = Reads("history", bounds: .init(timeToLive: .seconds(30)), clock: clock) { history in
            history.points.count * MemoryLayout<EquityPoint>.stride
        }
        quotes = Reads("quotes", bounds: .init(timeToLive: .seconds(1)), clock: clock)
        charts = Reads("charts", bounds: .init(timeToLive: .seconds(30)), clock: clock, weight: \.weight)
        instruments = Reads("instruments", bounds: .init(timeToLive: Self.day), clock: clock)
        searches = Reads("search", bounds: .init(timeToLive: .seconds(3_600)), clock: clock) { hits in
            hits.count * MemoryLayout<SearchHit>.stride
        }
        fundamentals = Reads("fundamentals", bounds: .init(timeToLive: Self.day), clock: clock) { figures in
            MemoryLayout<Fundamentals>.stride + (figures.about?.utf8.count ?? 0)
        }
        articles = Reads("news", bounds: .init(timeToLive: .seconds(300)), clock: clock) { page in
            page.page.articles.reduce(0) {
                $0 + MemoryLayout<Article>.stride + $1.headline.utf8.count + ($1.summary?.utf8.count ?? 0)
            }
        }
        clocks = Reads("clock", bounds: .init(timeToLive: .seconds(10)), clock: clock)
    }

    private static let day = Duration.seconds(86_400)
}

extension CandleSeries {
    /// About how many bytes it takes: eight for each figure.
    fileprivate var weight: Int {
        let columns = 6 + (bid == nil ? 0 : 4) + (ask == nil ? 0 : 4)
        return MemoryLayout<CandleSeries>.stride + count * columns * 8
    }
}
