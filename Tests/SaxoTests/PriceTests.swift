import Brokerage
import ProviderTestSupport
import Saxo
import Testing
import Upstream

@Suite("Saxo's prices")
struct PriceTests {
    private func quote(_ body: String, _ assetType: String = "Stock", _ currency: String = "USD") throws
        -> Quote
    {
        let listing = SaxoListing(
            SaxoInstrumentKey(uic: 211, assetType: assetType), symbol: try symbol("AAPL"),
            currencyName: currency)
        return try decode(SaxoPrice.self, from: body).quote(of: listing, fetchedAt: wallTime)
    }

    @Test("of the golden snapshot are read")
    func snapshot() throws {
        let body = try goldenText("price-subscription")
        let start = try #require(body.firstRange(of: #""Snapshot":"#)).upperBound
        let pair = try quote(String(body[start...].dropLast(body.hasSuffix("\n") ? 2 : 1)), "FxSpot")
        #expect(pair.price?.description == "7.46155")
        #expect(pair.bid?.description == "7.46105")
        #expect(pair.ask?.description == "7.46205")
        #expect(pair.high?.description == "7.4633")
        #expect(pair.low?.description == "7.4601")
        #expect(pair.open?.description == "7.4607")
        #expect(pair.previousClose?.description == "7.46065")
        #expect(pair.volume == nil)
        #expect(pair.currency == "DKK")
        #expect(pair.timeliness == .realTime)
        #expect(pair.marketState == .open)
        #expect(pair.provenance.asOf?.description == "2026-11-20T15:14:00.578Z")
        #expect(pair.feed == "SBFX")
    }

    @Test("of a market without access are none, and none is zero")
    func none() throws {
        let page = try decode(SaxoPage<SaxoPrice>.self, from: try goldenText("infoprices"))
        let listing = SaxoListing(
            SaxoInstrumentKey(uic: 211, assetType: "Stock"), symbol: try symbol("AAPL"), currencyName: "USD")
        let share = try #require(page.items.first).quote(of: listing, fetchedAt: wallTime)
        #expect(share.price == nil)
        #expect(share.bid == nil)
        #expect(share.ask == nil)
        #expect(share.timeliness == nil)
        #expect(share.provenance.asOf == nil)
        #expect(share.marketState == .closed)
        #expect(share.delayMinutes == 15)
    }

    @Test("that were indicative before the close are no offer, but a price")
    func old() throws {
        let share = try quote(
            #"{"Quote":{"Bid":10,"Ask":10.01,"PriceTypeBid":"OldIndicative","PriceTypeAsk":"OldIndicative"}}"#
        )
        #expect(share.bid == nil)
        #expect(share.ask == nil)
        #expect(share.price?.description == "10.005")
        #expect(share.timeliness == .indicative)
    }

    @Test("of shares are the last trade, of pairs the middle, exact")
    func middle() throws {
        let body =
            #"{"Quote":{"Bid":"0.00005","Ask":7E-05,"PriceTypeBid":"Tradable","PriceTypeAsk":"Tradable","DelayedByMinutes":0},"#
            + #""PriceInfoDetails":{"LastTraded":5}}"#
        #expect(try quote(body).price == 5)
        #expect(try quote(body, "FxSpot").price?.description == "0.00006")
        #expect(Decimal.middle(1, 2)?.description == "1.5")
    }

    @Test("in pence are told in pounds, also if Saxo names pence as the currency")
    func pence() throws {
        let share = try quote(
            #"{"PriceInfoDetails":{"LastTraded":287.35,"Open":280},"DisplayAndFormat":{"Currency":"GBX"}}"#)
        #expect(share.currency == "GBP")
        #expect(share.price?.description == "2.8735")
        #expect(share.open?.description == "2.80")
    }

    @Test("change by what a message has, and nothing else")
    func merging() throws {
        var price = try decode(
            SaxoPrice.self,
            from:
                #"{"Uic":16,"Quote":{"Bid":1,"Ask":2,"PriceTypeBid":"Tradable","PriceTypeAsk":"Tradable"},"PriceInfo":{"High":3}}"#
        )
        let delta = Array(#"{"Quote":{"Bid":1.5,"Ask":null},"Uic":16}"#.utf8)
        _ = try JSONReader.read(delta) { reader throws(JSONError) in try price.merge(json: &reader) }
        #expect(price.quote.bid?.description == "1.5")
        #expect(price.quote.ask == nil)
        #expect(price.quote.bidKind == .tradable)
        #expect(price.high == 3)
    }
}
