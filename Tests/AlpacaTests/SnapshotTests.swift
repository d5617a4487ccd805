import Alpaca
import Brokerage
import ProviderTestSupport
import Testing
import Upstream

@Suite("A snapshot")
struct SnapshotTests {
    private func quotes(_ body: [UInt8], feed: AlpacaFeed? = nil) throws -> [String: Quote] {
        let snapshots = try AlpacaSnapshots(json: body).bySymbol
        return Dictionary(
            uniqueKeysWithValues: snapshots.map { symbol, snapshot in
                (symbol.text, snapshot.quote(of: symbol, feed: feed, fetchedAt: wallTime))
            })
    }

    @Test("is a quote, as of its last trade")
    func whole() throws {
        let quote = try #require(try quotes(example("snapshots"))["AAPL"])
        #expect(quote.symbol.text == "AAPL")
        #expect(quote.price?.description == "227.45")
        #expect(quote.bid?.description == "227.41")
        #expect(quote.ask?.description == "227.5")
        #expect(quote.open?.description == "226.1")
        #expect(quote.high?.description == "228.02")
        #expect(quote.low?.description == "225.4")
        #expect(quote.volume?.description == "1288401")
        #expect(quote.previousClose?.description == "226")
        #expect(quote.change?.description == "1.45")
        #expect(quote.currency == "USD")
        #expect(quote.feed == nil)
        #expect(quote.delayMinutes == nil)
        #expect(quote.provenance.source == .alpaca)
        #expect(quote.provenance.fetchedAt == wallTime)
        #expect(quote.provenance.asOf?.description == "2026-11-20T20:59:59.913847612Z")
    }

    @Test("before the opening counts from yesterday's bar, and has no bar of today")
    func beforeOpening() throws {
        let quote = try #require(try quotes(example("snapshots-premarket"))["AAPL"])
        #expect(quote.price?.description == "227.1")
        #expect(quote.previousClose?.description == "226")
        #expect(quote.open == nil)
        #expect(quote.high == nil)
        #expect(quote.low == nil)
        #expect(quote.volume == nil)
    }

    @Test("at night still belongs to its day, though the date in UTC has changed")
    func afterMidnightInUTC() throws {
        let body = try example("snapshots")
            .replacing("2026-11-20T20:59:59.913847612Z", with: "2026-11-21T00:30:00Z")
        let quote = try #require(try quotes(body)["AAPL"])
        #expect(quote.previousClose?.description == "226")
        #expect(quote.open?.description == "226.1")
    }

    @Test("whose last trade is older than its daily bar has the bar's close, at a time that is not known")
    func outdatedTrade() throws {
        let body = try example("snapshots")
            .replacing("2026-11-20T20:59:59.913847612Z", with: "2026-08-20T20:59:59Z")
            .replacing(#""p":227.45"#, with: #""p":910"#)
        let quote = try #require(try quotes(body)["AAPL"])
        #expect(quote.price?.description == "227.45")
        #expect(quote.previousClose?.description == "226")
        #expect(quote.change?.description == "1.45")
        #expect(quote.open?.description == "226.1")
        #expect(quote.provenance.asOf == nil)
    }

    @Test("has no side where nobody bids or asks, and no part that was not sent")
    func missing() throws {
        let quotes = try quotes(example("snapshots-premarket"))
        #expect(quotes["AAPL"]?.ask == nil)
        #expect(quotes["AAPL"]?.bid?.description == "227.02")
        let empty = try #require(quotes["NEWCO"])
        #expect(empty.price == nil)
        #expect(empty.bid == nil)
        #expect(empty.ask == nil)
        #expect(empty.previousClose == nil)
        #expect(empty.provenance.asOf?.description == "2026-11-20T12:30:00Z")
        #expect(quotes.keys.sorted() == ["AAPL", "NEWCO"])
    }

    @Test("may be anything between full and empty", arguments: ["{}", #"{"AAPL":{}}"#, #"{"AAPL":null}"#])
    func empty(body: String) throws {
        let quote = try quotes(Array(body.utf8))["AAPL"]
        #expect(quote?.price == nil)
        #expect((quote != nil) == body.contains("{}}"))
    }

    @Test(
        "says which feed it is of, and how far that lags, where one was asked for",
        arguments: [
            (AlpacaFeed.iex, "iex", 0), (.sip, "sip", 0), (.delayedSIP, "delayed_sip", 15),
            (.otc, "otc", nil),
        ] as [(AlpacaFeed, String, Int?)])
    func feeds(feed: AlpacaFeed, name: String, delay: Int?) throws {
        let quote = try quotes(example("snapshots"), feed: feed)["AAPL"]
        #expect(quote?.feed == name)
        #expect(quote?.delayMinutes == delay)
    }

    @Test(
        "that cannot be read is named with its place, and does not remove the others",
        arguments: [
            (
                #"{"AAPL":{"latestTrade":{"p":"x"}}}"#,
                "AAPL.latestTrade.p: expected a decimal, found a string that is none (byte 28)"
            ),
            (
                #"{"AAPL":{"latestQuote":{"t":17}}}"#,
                "AAPL.latestQuote.t: expected an instant, found a number (byte 28)"
            ),
            (#"{"AAPL":{"dailyBar":[]}}"#, "AAPL.dailyBar: expected an object, found an array (byte 20)"),
            (#"{"AAPL":7}"#, "AAPL: expected an object, found a number (byte 8)"),
        ])
    func refusals(body: String, message: String) throws {
        let more = body.dropLast() + #","MSFT":{"latestTrade":{"p":5}}}"#
        let snapshots = try AlpacaSnapshots(json: Array(more.utf8))
        let (aapl, msft) = (try symbol("AAPL"), try symbol("MSFT"))
        #expect(snapshots.failures[aapl]?.description == message)
        #expect(snapshots.bySymbol[aapl] == nil && snapshots.failures.count == 1)
        #expect(snapshots.bySymbol[msft]?.quote(of: msft, feed: nil, fetchedAt: wallTime).price == 5)
    }

    @Test("is in a map")
    func map() {
        let error = #expect(throws: JSONError.self) {
            try AlpacaSnapshots(json: Array("[]".utf8))
        }
        #expect(error?.description == "expected an object, found an array (byte 0)")
    }
}
