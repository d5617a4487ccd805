import Alpaca
import Brokerage
import ProviderTestSupport
import Testing
import Upstream

/// Examples that Alpaca publishes in its OpenAPI descriptions; the other golden responses were written for this project.
@Suite("Published examples")
struct PublishedExampleTests {
    @Test("of an account, a number here and there where a text is usual, are read")
    func account() throws {
        let account = try AlpacaAccount(json: example("openapi/account"))
            .account(fetchedAt: wallTime)
        #expect(account.number == "PALPACA_123")
        #expect(account.equity?.description == "123346.11")
        #expect(account.cash?.description == "122086.5")
        #expect(account.lastEquity?.description == "122011.09751111286868")
    }

    @Test("of snapshots are read, each with its last trade and both sides")
    func snapshots() throws {
        let snapshots = try AlpacaSnapshots(json: example("openapi/snapshots")).bySymbol
        #expect(snapshots.count >= 1)
        let apple = try #require(snapshots[try symbol("AAPL")])
        let quote = try apple.quote(of: symbol("AAPL"), feed: nil, fetchedAt: wallTime)
        #expect(quote.price?.description == "172.61")
        #expect(quote.bid?.description == "172.6")
        #expect(quote.ask?.description == "172.7")
        // The trade is of the day after the bar.
        #expect(quote.high == nil)
        #expect(quote.previousClose?.description == "173.03")
    }

    @Test("of a history without a point are a history without a point")
    func history() throws {
        let history = try AlpacaHistory(json: example("history-empty"))
            .history(.oneDay, requestedInterval: .oneMinute, fetchedAt: wallTime)
        #expect(history.points.isEmpty)
    }
}
