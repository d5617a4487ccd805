/// The stories of a range of time, a pure function of the market's seed as prices are.
///
/// They are made day by day as they are asked for, so a page costs its days and not the archive.
package struct NewsSequence: Sendable, Sequence {
    /// Only stories published in this range of seconds, both included.
    package let range: ClosedRange<Int>
    /// Only stories about one of these; nil for all.
    package let symbols: Set<String>?
    package let newestFirst: Bool
    let market: Market

    /// The archive begins on 2015-01-01, in UTC.
    package static let beginning = 1_420_070_400

    package func makeIterator() -> Iterator { Iterator(self) }

    package struct Iterator: IteratorProtocol {
        private let sequence: NewsSequence
        /// The next day to look into, since 1970 in UTC.
        private var day: Int
        /// What is left of a day, in reverse.
        private var stories: [NewsStory] = []

        init(_ wire: NewsSequence) {
            self.sequence = wire
            day = (wire.newestFirst ? wire.range.upperBound : wire.range.lowerBound) / 86_400
        }

        package mutating func next() -> NewsStory? {
            // Nothing is to be found about whom nobody knows, and the archive is long.
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

    /// A day's stories that belong to the wire, oldest first.
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
    /// The stories published from one second to another, both included, and not after now; `symbols` that are
    /// not listed have none.
    package func news(
        about symbols: Set<String>? = nil, from first: Int = NewsSequence.beginning, through last: Int = .max,
        newestFirst: Bool = true
    ) -> NewsSequence {
        let first = max(first, NewsSequence.beginning)
        let last = min(last, now)
        return NewsSequence(
            // A range that is empty becomes one in which nothing can be published.
            range: first <= last ? first...last : (now + 1)...(now + 1),
            symbols: first <= last ? symbols?.filter { market.instrument($0) != nil } : [],
            newestFirst: newestFirst, market: market)
    }
}
