import Brokerage

/// `GET /v2/reference/news`: stories by time, in pages.
struct FakePolygonNews: Sendable {
    private let context: FakePolygonHost.AuthenticatedRequest
    private let isDescending: Bool
    private let limit: Int
    /// Stories must be published in these seconds, both included; nil for none.
    private let seconds: ClosedRange<Int>?
    /// Stories must be about one of these symbols; nil for all.
    private let symbols: Set<String>?
    /// The last story of the previous page.
    private let last: Position?

    /// The position of a story in the order of time.
    private struct Position: Comparable {
        let second: Int
        let id: Int

        static func < (left: Position, right: Position) -> Bool {
            (left.second, left.id) < (right.second, right.id)
        }
    }

    /// Throws ``FakePolygonError`` for an invalid parameter.
    init(_ context: FakePolygonHost.AuthenticatedRequest) throws(FakePolygonError) {
        self.context = context
        switch context["order"] ?? "desc" {
        case "asc": isDescending = false
        case "desc": isDescending = true
        case let order: throw .badRequest("could not parse '\(order)' for 'order'")
        }
        guard (context["sort"] ?? "published_utc") == "published_utc" else {
            throw .badRequest("could not parse '\(context["sort"] ?? "")' for 'sort'")
        }
        guard let limit = Int(context["limit"] ?? "10"), (1...1_000).contains(limit) else {
            throw .badRequest("the limit must be a number from 1 to 1000")
        }
        self.limit = limit
        seconds = try Self.seconds(context)
        let range = FakePolygonRangeFilter(of: "ticker", context)
        symbols =
            range.isEverything ? nil : Set(FakeInstrument.listing.map(\.symbol).filter(range.contains))
        let position = context["after"]?.split(separator: ".").compactMap { Int($0) } ?? []
        last = position.count == 2 ? Position(second: position[0], id: position[1]) : nil
    }

    func document() -> JSONDocument {
        // One additional story shows whether there is another page.
        let stories = Array(remainingStories.prefix(limit + 1))
        let page = stories.prefix(limit)
        var members: [JSONDocument.Member] = [
            .init(name: "results", value: .array(page.map(article))),
            .init(name: "status", value: "OK"),
            .init(name: "request_id", value: .string(context.requestID)),
            .init(name: "count", value: .integer(page.count)),
        ]
        if stories.count > limit, let last = page.last {
            members.append("next_url", .string(link(after: last)))
        }
        return .object(members)
    }

    /// The remaining stories, lazily: the cost of a page is that of its days.
    private var remainingStories: some Sequence<NewsStory> {
        let (first, end) = seconds.map { ($0.lowerBound, $0.upperBound) } ?? (1, 0)
        let news = context.now.news(
            about: symbols, from: isDescending ? first : max(first, last?.second ?? first),
            through: isDescending ? min(end, last?.second ?? end) : end, newestFirst: isDescending)
        return news.lazy.drop { story in
            guard let last else { return false }
            let position = Position(second: story.published, id: story.id)
            return isDescending ? position >= last : position <= last
        }
    }

    /// Returns the intersection of `published_utc` and its variants; nil if it is empty.
    private static func seconds(_ context: FakePolygonHost.AuthenticatedRequest) throws(FakePolygonError)
        -> ClosedRange<Int>?
    {
        var (first, last) = (NewsSequence.beginning, context.now.now)
        for suffix in ["", ".gte", ".gt", ".lte", ".lt"] {
            guard let text = context["published_utc\(suffix)"], !text.isEmpty else { continue }
            guard let moment = secondRange(of: text) else {
                throw .badRequest("could not parse the time '\(text)' for 'published_utc\(suffix)'")
            }
            if suffix == "" || suffix == ".gte" { first = max(first, moment.lowerBound) }
            if suffix == ".gt" { first = max(first, moment.upperBound + 1) }
            if suffix == "" || suffix == ".lte" { last = min(last, moment.upperBound) }
            if suffix == ".lt" { last = min(last, moment.lowerBound - 1) }
        }
        return first <= last ? first...last : nil
    }

    /// Returns the seconds of a day in UTC, or the one second of a time.
    private static func secondRange(of text: String) -> ClosedRange<Int>? {
        if let date = CalendarDate(text) {
            let start = date.daysSince1970 * 86_400
            return start...(start + 86_399)
        }
        return Instant(text).map { Int($0.secondsSince1970)...Int($0.secondsSince1970) }
    }

    private func link(after story: NewsStory) -> String {
        let names = [
            "limit", "order", "published_utc", "published_utc.gt", "published_utc.gte", "published_utc.lt",
            "published_utc.lte", "ticker", "ticker.gt", "ticker.gte", "ticker.lt", "ticker.lte",
        ]
        let cursor = FakePolygonCursor.text(
            names.compactMap { name in context[name].map { (name, $0) } }
                + [("after", "\(story.published).\(story.id)")])
        return "\(context.linkBase)/v2/reference/news?cursor=\(cursor)"
    }

    /// Writes a story; one with a headline only has none of the optional members.
    private func article(_ story: NewsStory) -> JSONDocument {
        let published = Instant(secondsSince1970: Int64(story.published)) ?? .earliest
        let noise = SeededRandom(seed: UInt64(story.id))
        let members: [JSONDocument.Member] = [
            .init(
                name: "id",
                value: .string(UUIDFormat.version8(noise.bits(0), noise.bits(1)).replacing("-", with: ""))),
            .init(
                name: "publisher",
                value: [
                    "name": "Example Wire", "homepage_url": "https://news.example/",
                    "logo_url": "https://news.example/logo.svg",
                    "favicon_url": "https://news.example/favicon.ico",
                ]),
            .init(name: "title", value: .string(story.headline)),
            .init(name: "author", value: .string(story.author)),
            .init(name: "published_utc", value: .string(published.description)),
            .init(name: "article_url", value: .string(story.url)),
            .init(name: "tickers", value: .array(story.symbols.map { .string($0) })),
        ]
        guard !story.content.isEmpty else { return .object(members) }
        return .object(
            members + [
                .init(name: "image_url", value: .string(story.imageURL)),
                .init(name: "description", value: .string(story.summary)),
                .init(name: "keywords", value: ["companies", "markets"]),
                .init(name: "insights", value: .array(story.symbols.map { insight($0, noise) })),
            ])
    }

    private func insight(_ symbol: String, _ noise: SeededRandom) -> JSONDocument {
        let sentiments = ["positive", "neutral", "negative"]
        return [
            "ticker": .string(symbol),
            "sentiment": .string(sentiments[noise.branch(symbol).number(0, below: sentiments.count)]),
            "sentiment_reasoning": "The sandbox draws lots.",
        ]
    }
}
