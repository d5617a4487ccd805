import Brokerage
import PorticoCore

/// Alpaca's news: `GET /v1beta1/news`.
struct FakeAlpacaNews: Sendable {
    let host: FakeAlpacaHost

    var routes: [SandboxRoute] {
        [
            host.get("/v1beta1/news") { context in
                try document(context)
            }
        ]
    }

    private func document(_ context: FakeAlpacaHost.AuthenticatedRequest) throws(FakeAlpacaError)
        -> JSONDocument
    {
        let request = context.request
        let limit = try request.integer("limit", in: 1...50) ?? 10
        let newestFirst = try request.choice("sort", of: ["asc", "desc"]) != "asc"
        let wantsContent = try request.flag("include_content")
        let excludesContentless = try request.flag("exclude_contentless")
        let start = try request.timestamp("start", isEnd: false) ?? NewsSequence.beginning
        let end = try request.timestamp("end", isEnd: true) ?? context.view.now
        let symbols = request[query: "symbols"].map { Set($0.split(separator: ",").map(String.init)) }
        let token = try request[query: "page_token"].map { text throws(FakeAlpacaError) in
            guard let token = Token(text) else { throw .badRequest("invalid page_token: \(text)") }
            return token
        }
        let news = context.view.news(
            about: symbols, from: newestFirst ? start : max(start, token?.published ?? start),
            through: newestFirst ? min(end, token?.published ?? end) : end, newestFirst: newestFirst)
        let stories = news.lazy
            .filter { token?.allows($0, newestFirst: newestFirst) ?? true }
            .filter { !excludesContentless || !$0.content.isEmpty }
            .prefix(limit + 1)
        let page = Array(stories)
        let next = page.count > limit ? Token(page[limit]).text : nil
        return [
            "news": .array(page.prefix(limit).map { story($0, includesContent: wantsContent) }),
            "next_page_token": .optional(next) { .string($0) },
        ]
    }

    /// A page token: the first story of the next page.
    private struct Token {
        let published: Int
        let id: Int

        var text: String { Base64.standard.padded("\(published)|\(id)") }

        init(_ story: NewsStory) {
            published = story.published
            id = story.id
        }

        init?(_ text: String) {
            guard let parts = Base64.standard.text(padded: text)?.split(separator: "|"), parts.count == 2,
                let published = Int(parts[0]), let id = Int(parts[1])
            else { return nil }
            self.published = published
            self.id = id
        }

        func allows(_ story: NewsStory, newestFirst: Bool) -> Bool {
            let (this, that) = ((story.published, story.id), (published, id))
            return newestFirst ? this <= that : this >= that
        }
    }

    private func story(_ story: NewsStory, includesContent: Bool) -> JSONDocument {
        func stamp(_ second: Int) -> JSONDocument {
            .string((Instant(secondsSince1970: Int64(second)) ?? .earliest).description)
        }
        return [
            "id": .integer(story.id), "headline": .string(story.headline),
            "author": .string(story.author), "created_at": stamp(story.published),
            "updated_at": stamp(story.updated), "summary": .string(story.summary),
            "content": .string(includesContent ? story.content : ""),
            "images": [["size": "thumb", "url": .string(story.imageURL)]],
            "symbols": .array(story.symbols.map { .string($0) }), "source": "benzinga",
            "url": .string(story.url),
        ]
    }
}
