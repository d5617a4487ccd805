import Brokerage
import GraphQL
import Upstream

/// The id of an article in the schema: its provider, its time of publication, and the provider's own id.
///
/// It contains the time because no provider has a call for one article, but each has a call for the articles
/// from a given time on.
struct ArticleID: Hashable, Sendable {
    let provider: ProviderID
    let mark: ArticleMark

    init(_ article: Article) {
        provider = article.provider
        mark = ArticleMark(id: article.id, publishedAt: article.publishedAt)
    }

    /// Nil for an id that no article can have.
    init?(_ id: NodeID) {
        let parts = id.localID.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, let provider = ProviderID(named: String(parts[0])),
            let seconds = Int64(parts[1]), let time = Instant(secondsSince1970: seconds),
            (1...Self.maximumIDLength).contains(parts[2].utf8.count)
        else { return nil }
        self.provider = provider
        mark = ArticleMark(id: String(parts[2]), publishedAt: time)
    }

    /// The limit in bytes.
    ///
    /// Ids of providers have at most 64.
    private static let maximumIDLength = 200

    var text: String {
        NodeID(.article, "\(provider.name.text):\(mark.publishedAt.secondsSince1970):\(mark.id)").text
    }
}

extension NewsService {
    /// The articles with some ids, in the order of `ids`.
    ///
    /// Those of one provider are requested together.
    func articles(_ ids: [ArticleID]) -> MaybeAsync<BatchResults<Article>> {
        let providers = Set(ids.map(\.provider)).sorted { $0.name.text < $1.name.text }
        let found: MaybeAsync<BatchResults<BatchResults<Article>>> = .each(providers) { provider in
            let marks = ids.filter { $0.provider == provider }.map(\.mark)
            return reads.results(for: marks, named: { "article \"\($0.id)\"" }, as: { $0 }) {
                () throws(FieldError) in
                RoutedRead(
                    sources: try reads.sources(for: .news, from: provider), cache: caches.singleArticles,
                    batchSize: { _ in .max },
                    load: { source, marks, call throws(ProviderFailure) in
                        try await source.news?.articles(marks, in: call) ?? [:]
                    })
            }
        }
        return found.map { results in
            var rest = Dictionary(uniqueKeysWithValues: zip(providers, results))
            return ids.map { id -> Result<Article, any Error> in
                switch rest[id.provider] {
                case .success(var articles)? where !articles.isEmpty:
                    let article = articles.removeFirst()
                    rest[id.provider] = .success(articles)
                    return article
                case .failure(let error)?: return .failure(error)
                case .success?, nil: return .failure(FieldError.internalError)
                }
            }
        }
    }
}
