package import Brokerage
import PorticoCore

/// Knows the news.
package protocol NewsSource: Sendable {
    /// Returns articles, newest first.
    ///
    /// - Parameters:
    ///   - symbols: Articles about any of these symbols; nil for all articles.
    ///   - limit: The maximum number of articles, 1 to 100.
    ///   - next: `ArticlePage.next` of the previous page; nil for the first page.
    ///   - call: The deadline and the recorder of the operation.
    /// - Returns: The page, and the start of the next one.
    /// - Throws: `ProviderFailure`, with the cause `unsupported` for a `next` that is not of this provider.
    func news(
        about symbols: [Symbol]?, limit: Int, after next: String?, in call: CallContext
    ) async throws(ProviderFailure) -> ArticlePage

    /// Articles on any subject from a time on, oldest first, at most fifty; an article that was changed may
    /// be sorted by the time of its change.
    func news(from time: Instant, in call: CallContext) async throws(ProviderFailure) -> [Article]
}

extension NewsSource {
    /// The requested articles, without those that are not among the fifty articles from their time on.
    ///
    /// Articles that were published shortly after each other are read with one call.
    ///
    /// - Throws: `ProviderFailure` if none could be read.
    package func articles(
        _ marks: [ArticleMark], in call: CallContext
    ) async throws(ProviderFailure) -> KeyedResults<ArticleMark, Article> {
        var batch = KeyedResults<ArticleMark, Article>()
        for mark in marks.sorted(by: { $0.publishedAt < $1.publishedAt }) where batch[mark] == nil {
            do throws(ProviderFailure) {
                for article in try await news(from: mark.publishedAt, in: call) {
                    let found = ArticleMark(id: article.id, publishedAt: article.publishedAt)
                    if marks.contains(found) { batch[found] = article }
                }
            } catch {
                guard !batch.found.isEmpty else { throw error }
                batch.failures[mark] = error
            }
        }
        return batch
    }
}

/// The key with which an article is found again.
package struct ArticleMark: Hashable, Sendable {
    private let exactID: ExactText
    /// The time of publication in whole seconds.
    package let publishedAt: Instant

    package init(id: String, publishedAt: Instant) {
        exactID = ExactText(id)
        self.publishedAt = Instant(secondsSince1970: publishedAt.secondsSince1970) ?? publishedAt
    }

    /// The provider's own id of the article.
    package var id: String { exactID.text }
}

/// Knows whether its main market trades.
package protocol MarketClockSource: Sendable {
    func clock(in call: CallContext) async throws(ProviderFailure) -> MarketClock
}
