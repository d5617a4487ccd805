import Brokerage
import GraphQL
import Upstream

/// The id that the schema gives an article: whose it is, when it was published, and the provider's own id.
///
/// The time is part of it because no provider has a call for one article, but all have one for the articles from a time on.
struct ArticleID: Hashable, Sendable {
    let provider: Provider
    let mark: ArticleMark

    init(_ article: Article) {
        provider = article.provider
        mark = ArticleMark(id: article.id, publishedAt: article.publishedAt)
    }

    /// Nil for an id that no article has.
    init?(_ id: NodeID) {
        let parts = id.rest.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, let provider = Provider(rawValue: String(parts[0])),
            let seconds = Int64(parts[1]), let time = Instant(secondsSince1970: seconds),
            (1...Self.longestID).contains(parts[2].utf8.count)
        else { return nil }
        self.provider = provider
        mark = ArticleMark(id: String(parts[2]), publishedAt: time)
    }

    /// In bytes; providers' own have 64 at most.
    private static let longestID = 200

    var text: String {
        NodeID(.article, "\(provider.rawValue):\(mark.publishedAt.secondsSince1970):\(mark.id)").text
    }
}

extension GatewayContext {
    /// The articles with some ids, in their order; those of one provider are looked for together.
    func articles(_ ids: [ArticleID]) -> Loading<Answers<Article>> {
        let providers = Provider.allCases.filter { provider in ids.contains { $0.provider == provider } }
        let found: Loading<Answers<Answers<Article>>> = .each(providers) { provider in
            let marks = ids.filter { $0.provider == provider }.map(\.mark)
            return answers(for: marks, named: { "article \"\($0.id)\"" }, as: { $0 }) {
                () throws(FieldError) in
                RouteWalk(
                    sources: try sources(for: .news, from: provider), reads: backends.reads.singleArticles,
                    subject: \.subject, keysPerCall: { _ in .max },
                    fetch: { source, marks, call throws(ProviderFailure) in
                        try await source.news?.articles(marks, in: call) ?? [:]
                    })
            }
        }
        return found.map { answers in
            var rest = Dictionary(uniqueKeysWithValues: zip(providers, answers))
            return ids.map { id -> Result<Article, any Error> in
                switch rest[id.provider] {
                case .success(var articles)? where !articles.isEmpty:
                    let article = articles.removeFirst()
                    rest[id.provider] = .success(articles)
                    return article
                case .failure(let error)?: return .failure(error)
                case .success?, nil: return .failure(FieldError.noAnswer)
                }
            }
        }
    }
}

extension ArticleMark {
    /// What the article is kept under.
    fileprivate var subject: String { "\(publishedAt.secondsSince1970)/\(id)" }
}
