import Alpaca
import Brokerage
import Foundation
import ProviderTestSupport
import TestSupport
import Testing
import Upstream

@Suite("An instrument")
struct InstrumentTests {
    private static func asset(
        _ symbol: String, _ name: String, class assetClass: String = "us_equity", tradable: Bool = true
    ) -> String {
        #"{"id":"x","class":"\#(assetClass)","exchange":"NYSE","symbol":"\#(symbol)","name":"\#(name)","status":"active","#
            + #""tradable":\#(tradable),"marginable":true,"shortable":true,"easy_to_borrow":true,"fractionable":false}"#
    }

    private static let list =
        "["
        + [
            asset("AAPL", "Apple Inc. Common Stock"), asset("APLE", "Apple Hospitality REIT, Inc."),
            asset("T", "AT&T Inc."), asset("TSLA", "Tesla, Inc. Common Stock"),
            asset("TSLAW", "Tesla warrants", tradable: false),
            asset("SPY", "SPDR S&P 500 ETF Trust"), asset("MAAPL", "Pineapple Growers"),
            asset("AAPB", "Granite Daily Apple ETF", tradable: false),
            asset("BRK.B", "Berkshire Hathaway Inc. Class B"),
        ].joined(separator: ",") + "]"

    @Test("is told of as Alpaca trades it")
    func example() throws {
        let asset = try AlpacaAsset(json: AlpacaTests.example("asset"))
        let instrument = asset.instrument(fetchedAt: wallTime)
        #expect(instrument.symbol.text == "AAPL")
        #expect(instrument.name == "Apple Inc. Common Stock")
        #expect(instrument.assetClass == .equity)
        #expect(instrument.exchange == "XNAS")
        #expect(instrument.currency == "USD")
        #expect(instrument.provenance == Provenance(source: .alpaca, fetchedAt: wallTime))
        let listing = try #require(instrument.listing)
        #expect(listing.provider == .alpaca)
        #expect(listing.key == "AAPL")
        #expect(listing.assetType == "us_equity")
        #expect(listing.exchange == "NASDAQ")
        #expect(listing.isTradable == true)
        #expect(listing.isFractionable == true)
        #expect(listing.isShortable == true)
        #expect(listing.quantityIncrement?.description == "0.000000001")
        #expect(listing.orderTypes?.count == 5)
    }

    @Test("of coins has their steps, and a slash in its symbol")
    func coin() throws {
        let body = Array(
            #"""
            {"class":"crypto","exchange":"CRYPTO","symbol":"BTCUSD","name":"","status":"inactive","tradable":true,\#
            "fractionable":true,"shortable":false,"min_order_size":"0.0001","min_trade_increment":0.0001,\#
            "price_increment":"1"}
            """#.utf8)
        let instrument = try AlpacaAsset(json: body).instrument(fetchedAt: wallTime)
        #expect(instrument.symbol.text == "BTC/USD")
        #expect(instrument.name == nil)
        #expect(instrument.assetClass == .crypto)
        #expect(instrument.listing?.key == "BTCUSD")
        #expect(instrument.listing?.isTradable == false)
        #expect(instrument.listing?.tickSize == 1)
        #expect(instrument.listing?.minimumQuantity?.description == "0.0001")
        #expect(instrument.listing?.quantityIncrement?.description == "0.0001")
        #expect(instrument.listing?.orderTypes == [.market, .limit, .stopLimit])
    }

    @Test("of Alpaca's own example is read")
    func openAPI() throws {
        let assets = try decodeList(of: AlpacaAsset.self, from: AlpacaTests.example("openapi/assets"))
        #expect(assets.map(\.key) == ["AAPL"])
    }

    @Test(
        "is found by ticker, by the start of it, by the words of its name, best first",
        arguments: [
            ("aapl", ["AAPL"]), ("AAP", ["AAPL", "AAPB"]), ("tsla", ["TSLA", "TSLAW"]),
            ("t", ["T", "TSLA", "TSLAW", "SPY"]),
            ("apple", ["AAPL", "APLE", "AAPB"]), ("apple ho", ["APLE"]), ("inc apple", ["AAPL", "APLE"]),
            ("at&t", ["T"]), ("s&p 500", ["SPY"]), ("brk.b", ["BRK.B"]), ("BRK B", []), ("pple", []),
            ("  ", []),
            ("berkshire class b", ["BRK.B"]),
        ])
    func search(text: String, expected: [String]) async throws {
        try await withAlpaca(answering: { _, _ in .text(Self.list) }) { alpaca, server in
            let hits = try await alpaca.search(text, limit: 20, in: .patient)
            #expect(hits.map(\.instrument.symbol.text) == expected)
            #expect(hits.allSatisfy { $0.matchScore == nil })
            #expect(
                server.requests.map(\.target) == ["/trading/v2/assets?status=active&asset_class=us_equity"])
        }
    }

    @Test("is looked for in a list that is read once, and bounded in number")
    func once() async throws {
        try await withAlpaca(answering: { _, _ in .text(Self.list) }) { alpaca, server in
            let three = try await alpaca.search("t", limit: 3, in: .patient)
            #expect(three.count == 3)
            let tesla = try await alpaca.instrument(symbol("TSLA"), in: .patient)
            #expect(tesla.name == "Tesla, Inc. Common Stock")
            let spy = try await alpaca.search("spy", limit: 1, in: .patient)
            #expect(spy.first?.instrument.assetClass == .etf)
            #expect(server.requests.count == 1)
        }
    }

    @Test("is searched on another thread than the one that begins the search, such as an event loop")
    func thread() async throws {
        try await withAlpaca(answering: { _, _ in .text(Self.list) }) { alpaca, _ in
            _ = try await alpaca.search("t", limit: 3, in: .patient)
            // With the list in memory nothing waits. The yield has no effect if another thread has executed its job before the
            // task waits for it, which is rare.
            var isOther = false
            for _ in 0..<5 where !isOther {
                let (beginning, end) = await CallingThread.begin {
                    _ = try? await alpaca.search("tesla", limit: 1, in: .patient)
                    return CallingThread.current()
                }
                isOther = beginning != end
            }
            #expect(isOther)
        }
    }

    @Test("is requested alone while the list is not in memory")
    func single() async throws {
        let body = try AlpacaTests.example("asset")
        try await withAlpaca(answering: { request, _ in
            request.target.hasSuffix("NOSUCH")
                ? .text(#"{"code":40410000,"message":"asset not found for NOSUCH"}"#, status: 404)
                : .body(body)
        }) { alpaca, server in
            let apple = try await alpaca.instrument(symbol("AAPL"), in: .patient)
            #expect(apple.exchange == "XNAS")
            await #expect(throws: ProviderFailure(.alpaca, .notFound)) {
                try await alpaca.instrument(symbol("NOSUCH"), in: .patient)
            }
            await #expect(throws: ProviderFailure(.alpaca, .notFound)) {
                try await alpaca.instrument(symbol("EUR/USD"), in: .patient)
            }
            _ = try await alpaca.instrument(symbol("BTC/USD"), in: .patient)
            #expect(
                server.requests.map(\.target) == [
                    "/trading/v2/assets/AAPL", "/trading/v2/assets/NOSUCH", "/trading/v2/assets/BTC%2FUSD",
                ])
        }
    }
}
