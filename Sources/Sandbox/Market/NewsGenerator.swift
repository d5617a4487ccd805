import Brokerage

/// Who writes what on one day; a company is in the news every third day, roughly.
struct NewsGenerator {
    let market: Market
    /// Since 1970, in UTC.
    let day: Int

    /// The day's stories yet to be written, in the order of their publication.
    var assignments: [StoryPlan] {
        FakeInstrument.listing.enumerated()
            .compactMap { index, instrument in assignment(about: instrument, index) }
            .sorted { ($0.published, $0.id) < ($1.published, $1.id) }
    }

    /// A story's facts, known before a word of it is written.
    struct StoryPlan {
        let id: Int
        let instrument: FakeInstrument
        let peer: FakeInstrument?
        let published: Int
        let market: Market
        let random: SeededRandom

        var symbols: [String] { [instrument.symbol] + (peer.map { [$0.symbol] } ?? []) }
    }

    private func assignment(about instrument: FakeInstrument, _ index: Int) -> StoryPlan? {
        let noise = market.newsRandom(for: instrument).branch(.news, day)
        guard noise.number(0, below: 3) == 0 else { return nil }
        // Three of four stories are of one company alone.
        let other = noise.number(1, below: FakeInstrument.listing.count * 4)
        let peer =
            other < FakeInstrument.listing.count && other != index ? FakeInstrument.listing[other] : nil
        let published = day * 86_400 + noise.number(2, below: 86_400)
        return StoryPlan(
            id: 10_000_000 + (day - NewsSequence.beginning / 86_400) * 1_000 + index, instrument: instrument,
            peer: peer, published: published, market: market, random: noise)
    }
}

extension NewsGenerator.StoryPlan {
    var story: NewsStory {
        let move = change
        let headline = headline(move)
        let summary =
            "\(instrument.name) (\(instrument.symbol)) traded at \(instrument.price(move.price)) US dollars "
            + "when this was written, \(move.percent) % \(move.isUp ? "above" : "below") the last close."
        let isContentless = random.number(3, below: 4) == 0
        return NewsStory(
            id: id, headline: headline, author: Self.authors[random.number(4, below: Self.authors.count)],
            summary: summary, content: isContentless ? "" : "<p>\(headline).</p><p>\(summary)</p>",
            symbols: symbols, published: published, updated: published + random.number(5, below: 4) * 37)
    }

    private struct Change {
        let price: Int
        /// Without its sign, with two decimals.
        let percent: Decimal
        let isUp: Bool
    }

    /// What the share has done since the close before, at the moment of publication.
    private var change: Change {
        let price = market.lastTrade(instrument, at: published).price
        let close =
            instrument.schedule.session(begunBy: published)
            .flatMap { instrument.schedule.session(before: $0.date) }
            .map { market.close(instrument, $0) } ?? price
        let hundredths = close > 0 ? abs(price - close) * 10_000 / close : 0
        return Change(price: price, percent: Decimal(cents: hundredths), isUp: price >= close)
    }

    private func headline(_ move: Change) -> String {
        if let peer {
            return "\(instrument.name) and \(peer.name) announce a joint venture"
        }
        let name = instrument.name
        return switch random.number(6, below: 6) {
        case 0: "\(name) shares \(move.isUp ? "rise" : "fall") \(move.percent) % in active trading"
        case 1: "Analyst \(move.isUp ? "raises" : "cuts") price target of \(name)"
        case 2: "\(name) to present at investor conference"
        case 3: "\(name) names new head of operations"
        case 4: "What options traders expect of \(name)"
        default: "\(name) expands its buyback programme"
        }
    }

    private static let authors = ["Newsdesk", "Ada Lindqvist", "Tomás Ferreira", "R. Okafor"]
}
