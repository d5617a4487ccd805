import Brokerage
import Sandbox
import TestSupport
import Testing

@Suite("Saxo's charts")
struct SaxoChartTests {
    private func times(_ document: JSONValue) throws -> [String] {
        try #require(document["Data"]?.elements).compactMap { $0["Time"]?.string }
    }

    @Test(
        "paging backwards from the oldest candle meets it again, and leaves no gap",
        arguments: ["AssetType=FxSpot&Uic=21&Horizon=60", "AssetType=Stock&Uic=211&Horizon=1440"])
    func pagesBackwards(query: String) async throws {
        try await withSandbox { fixture in
            let path = "/chart/v3/charts?\(query)"
            let all = try times(await fixture.saxoDocument("\(path)&Count=60"))
            #expect(all.count == 60 && all == all.sorted())
            let newest = try times(await fixture.saxoDocument("\(path)&Count=20"))
            #expect(newest == all.suffix(20))
            let oldest = try #require(newest.first)
            let before = try times(await fixture.saxoDocument("\(path)&Count=21&Mode=UpTo&Time=\(oldest)"))
            #expect(before == Array(all[20...40]))
            let forward = try times(await fixture.saxoDocument("\(path)&Count=20&Mode=From&Time=\(oldest)"))
            #expect(forward == newest)
        }
    }

    @Test("the running candle closes at the price of the moment")
    func running() async throws {
        try await withSandbox({ $0.saxo.delaysPricesWithoutTradeLevel = false }) { fixture in
            let chart = try await fixture.saxoDocument(
                "/chart/v3/charts?AssetType=Stock&Uic=211&Horizon=1&Count=1")
            let price = try await fixture.saxoDocument(
                "/trade/v1/infoprices?Uic=211&AssetType=Stock&FieldGroups=PriceInfoDetails")
            #expect(chart["Data"]?[0]?["Close"] == price["PriceInfoDetails"]?["LastTraded"])
            #expect(chart["Data"]?[0]?["Time"] == "2026-11-19T17:34:00.000000Z")
        }
    }

    @Test("hours of shares begin with the opening; in the first version, with the clock's")
    func alignment() async throws {
        try await withSandbox({
            $0.saxo.servesOldEndpoints = true
            $0.saxo.delaysPricesWithoutTradeLevel = false
        }) { fixture in
            let query = "AssetType=Stock&Uic=211&Horizon=60&Count=1"
            let third = try times(await fixture.saxoDocument("/chart/v3/charts?\(query)"))
            let first = try times(await fixture.saxoDocument("/chart/v1/charts?\(query)"))
            #expect(third == ["2026-11-19T17:30:00.000000Z"])
            #expect(first == ["2026-11-19T17:00:00.000000Z"])
        }
    }

    @Test(
        "bids lie below asks in every candle of currencies and contracts",
        arguments: ["FxSpot&Uic=42", "CfdOnStock&Uic=211"])
    func sides(query: String) async throws {
        try await withSandbox { fixture in
            let chart = try await fixture.saxoDocument(
                "/chart/v3/charts?AssetType=\(query)&Horizon=30&Count=50")
            for candle in try #require(chart["Data"]?.elements) {
                for name in ["Open", "High", "Low", "Close"] {
                    #expect(try decimal(candle["\(name)Bid"]) < decimal(candle["\(name)Ask"]))
                }
                #expect(try decimal(candle["LowBid"]) <= decimal(candle["CloseBid"]))
                #expect(try decimal(candle["CloseAsk"]) <= decimal(candle["HighAsk"]))
            }
        }
    }
}
