import Brokerage

/// Generates the news of one day; a company is in the news about every third day.
struct NewsGenerator {
    let market: Market
    /// Days since 1970, in UTC.
    let day: Int

    /// The plans of the day's stories, in the order of publication.
    var assignments: [StoryPlan] {
        FakeInstrument.listing.enumerated()
            .compactMap { index, instrument in assignment(about: instrument, index) }
            .sorted { ($0.published, $0.id) < ($1.published, $1.id) }
    }

    /// The facts of a story, determined before its text.
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
        // Three of four stories are about one company only.
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
        /// The magnitude, with two decimals.
        let percent: Decimal
        let isUp: Bool
    }

    /// The change of the share since the previous close, at the time of publication.
    private var change: Change {
        let price = market.lastTrade(instrument, at: published).price
        let schedule = market.schedule(of: instrument)
        let close =
            schedule.session(begunBy: published)
            .flatMap { schedule.session(before: $0.date) }
            .map { market.close(instrument, $0) } ?? price
        let hundredths = close > 0 ? (abs(price - close) * 20_000 + close) / (2 * close) : 0
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

/// The stories of a range of time, a pure function of the market's seed.
///
/// They are generated day by day on demand, so the cost of a page is that of its days.
package struct NewsSequence: Sendable, Sequence {
    /// Stories must be published in this range of seconds, both ends included.
    package let range: ClosedRange<Int>
    /// Stories must be about one of these symbols; nil for all.
    package let symbols: Set<String>?
    package let newestFirst: Bool
    let market: Market

    /// The archive begins on 2015-01-01, in UTC.
    package static let beginning = 1_420_070_400

    package func makeIterator() -> Iterator { Iterator(self) }

    package struct Iterator: IteratorProtocol {
        private let sequence: NewsSequence
        /// The next day to generate, since 1970 in UTC.
        private var day: Int
        /// The remaining stories of a day, in reverse order.
        private var stories: [NewsStory] = []

        init(_ sequence: NewsSequence) {
            self.sequence = sequence
            day = (sequence.newestFirst ? sequence.range.upperBound : sequence.range.lowerBound) / 86_400
        }

        package mutating func next() -> NewsStory? {
            // Without symbols there are no stories; a search of the whole archive would be slow.
            guard sequence.symbols?.isEmpty != true else { return nil }
            let days = sequence.range.lowerBound / 86_400...sequence.range.upperBound / 86_400
            while stories.isEmpty {
                guard days.contains(day) else { return nil }
                stories = sequence.stories(onDay: day)
                if !sequence.newestFirst { stories.reverse() }
                day += sequence.newestFirst ? -1 : 1
            }
            return stories.popLast()
        }
    }

    /// Returns a day's stories of the sequence, oldest first.
    private func stories(onDay day: Int) -> [NewsStory] {
        NewsGenerator(market: market, day: day).assignments
            .filter { assignment in
                range.contains(assignment.published)
                    && symbols.map { !$0.isDisjoint(with: assignment.symbols) } ?? true
            }
            .map(\.story)
    }
}

extension MarketView {
    /// Returns the stories published between two seconds, both included, and not after now; unlisted
    /// `symbols` have none.
    package func news(
        about symbols: Set<String>? = nil, from first: Int = NewsSequence.beginning, through last: Int = .max,
        newestFirst: Bool = true
    ) -> NewsSequence {
        let first = max(first, NewsSequence.beginning)
        let last = min(last, now)
        return NewsSequence(
            // An empty range is replaced by one without publications.
            range: first <= last ? first...last : (now + 1)...(now + 1),
            symbols: first <= last ? symbols?.filter { market.instrument($0) != nil } : [],
            newestFirst: newestFirst, market: market)
    }
}

/// One article about one or two listed companies, shared by all news providers.
package struct NewsStory: Sendable, Hashable {
    /// Unique; later stories have higher ones.
    package let id: Int
    package let headline: String
    package let author: String
    package let summary: String
    /// HTML; empty for a story with a headline only.
    package let content: String
    /// The symbols that it is about, the main one first.
    package let symbols: [String]
    /// The time of publication, in seconds since 1970.
    package let published: Int
    /// The time of the last change, in seconds since 1970.
    package let updated: Int

    /// The publisher's page; it does not exist.
    package var url: String { "https://news.example/articles/\(id)" }
    package var imageURL: String { "https://news.example/images/\(id)-thumb.png" }
}

/// UUIDs in their text form (RFC 9562).
enum UUIDFormat {
    /// Returns a version 8 UUID: 122 of the given bits, and the fixed bits of the format.
    static func version8(_ high: UInt64, _ low: UInt64) -> String {
        let high = high & 0xFFFF_FFFF_FFFF_0FFF | 0x8000
        let low = low & 0x3FFF_FFFF_FFFF_FFFF | 0x8000_0000_0000_0000
        let digits = Array(hexadecimal(high) + hexadecimal(low))
        return [0..<8, 8..<12, 12..<16, 16..<20, 20..<32].map { String(digits[$0]) }.joined(separator: "-")
    }

    private static func hexadecimal(_ bits: UInt64) -> String {
        let digits = String(bits, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}
