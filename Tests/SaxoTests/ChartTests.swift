import Brokerage
import ProviderTestSupport
import Testing
import Upstream

@testable import Saxo

@Suite("Saxo's charts")
struct ChartTests {
    /// A page of samples that are so many minutes after the epoch.
    private func page(_ minutes: Range<Int>, version: Int = 1, first: Int? = nil) throws -> SaxoChart {
        let samples = minutes.map { minute in
            let time = Instant(secondsSince1970: Int64(minute) * 60) ?? .earliest
            return #"{"Time":"\#(time)","Open":1,"High":2,"Low":1,"Close":2,"Volume":0}"#
        }
        let info = first.map { minute in
            let time = Instant(secondsSince1970: Int64(minute) * 60) ?? .earliest
            return #","ChartInfo":{"FirstSampleTime":"\#(time)"}"#
        }
        return try decode(
            SaxoChart.self,
            from: #"{"DataVersion":\#(version),"Data":[\#(samples.joined(separator: ","))]\#(info ?? "")}"#)
    }

    private func minute(_ minute: Int) -> Instant? { Instant(secondsSince1970: Int64(minute) * 60) }

    @Test("are collected backwards: each page ends with what the one before begins with")
    func pages() throws {
        var pages = SaxoChartPager(ChartWindow(interval: .oneMinute, last: 2_000))
        #expect(pages.first == .init(count: 1_200, upTo: nil))
        let outcome = pages.receive(try page(8_800..<10_000))
        #expect(outcome == .next(.init(count: 802, upTo: minute(8_800))))
        #expect(pages.receive(try page(7_999..<8_801)) == .complete)
        #expect(pages.samples.count == 2_000)
        #expect(pages.samples.first?.time == minute(8_000))
        #expect(pages.hasOlder)
    }

    @Test("end where a window begins, or where Saxo has no more")
    func bounds() throws {
        var pages = SaxoChartPager(
            ChartWindow(interval: .oneMinute, from: minute(9_000), to: minute(9_010)))
        #expect(pages.first == .init(count: 1_200, upTo: minute(9_010)))
        #expect(pages.receive(try page(8_000..<9_011)) == .complete)
        #expect(pages.samples.map(\.time) == (9_000..<9_010).compactMap(minute))
        #expect(!pages.hasOlder)
        var all = SaxoChartPager(ChartWindow(interval: .oneMinute, last: 50))
        #expect(all.receive(try page(100..<110)) == .complete)
        #expect(all.samples.count == 10)
    }

    @Test("that change under way are begun anew")
    func changed() throws {
        var pages = SaxoChartPager(ChartWindow(interval: .oneMinute, last: 2_000))
        _ = pages.receive(try page(8_800..<10_000))
        #expect(pages.receive(try page(7_999..<8_801, version: 2)) == .changed)
    }

    @Test("want nothing where nothing is wanted")
    func nothing() {
        #expect(SaxoChartPager(ChartWindow(interval: .oneDay, last: 0)).first == nil)
    }

    @Test("of days are named by the date that they open for")
    func days() throws {
        let cases = [
            ("2026-11-20T14:30:00Z", "2026-11-20T00:00:00Z"),
            ("2026-11-19T22:00:00Z", "2026-11-20T00:00:00Z"),
            ("2026-11-20T00:00:00Z", "2026-11-20T00:00:00Z"),
            ("2026-11-20T20:59:59Z", "2026-11-20T00:00:00Z"),
        ]
        for (time, day) in cases {
            let start = SaxoHorizon.start(try #require(Instant(time)), .oneDay)
            #expect(Instant(secondsSince1970: start)?.description == day)
        }
    }

    @Test("are read with the exact middle of both sides")
    func middle() async throws {
        let chart = try goldenText("chart")
        let found =
            #"{"Data":[{"Identifier":16,"AssetType":"FxSpot","Symbol":"EURDKK","CurrencyCode":"DKK"}]}"#
        try await withSaxo(["/chart/v3/charts": chart, "/ref/v1/instruments": found]) { saxo, server in
            let pair = try symbol("EUR/DKK")
            let window = ChartWindow(interval: .oneHour, to: Instant("2026-11-20T15:00:00Z"), last: 10)
            let series = try #require(try await saxo.charts(of: [pair], window, in: .patient)[pair])
            #expect(series.count == 1)
            #expect(series[0].prices.open.description == "7.4611")
            #expect(series[0].bid?.close.description == "7.46105")
            #expect(series[0].volume == nil)
            #expect(series.currency == "DKK")
            #expect(series.isLastComplete == true)
            let query = try #require(server.requests.last?.query)
            #expect(query["Horizon"] == "60")
            #expect(query["Count"] == "12")
            #expect(query["Mode"] == "UpTo")
            #expect(query["Time"] == "2026-11-20T15:00:00Z")
            #expect(query["Uic"] == "16")
            #expect(query["AssetType"] == "FxSpot")
        }
    }

    @Test(
        "that cannot be read are named with their place",
        arguments: [
            (
                #"{"Data":[{"Time":"2026-11-20T14:00:00Z","Open":1}]}"#,
                #"Data[0]: no "Open, High, Low, Close, or Bid and Ask of each" (byte 49)"#
            ),
            (
                #"{"Data":[{"Time":"x"}]}"#,
                "Data[0].Time: expected an instant, found a string that is none (byte 17)"
            ),
        ])
    func refusals(body: String, message: String) throws {
        let chart = try decode(SaxoChart.self, from: body)
        #expect(chart.samples.isEmpty && chart.failures.map(\.description) == [message])
    }

    @Test("without a list of candles cannot be read")
    func noList() throws {
        let error = #expect(throws: JSONError.self) {
            try decode(SaxoChart.self, from: #"{"DataVersion":1}"#)
        }
        #expect(error?.description == #"no "Data" (byte 17)"#)
    }
}
