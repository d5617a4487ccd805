import Brokerage
import Testing

@Suite("A series of candles")
struct CandleSeriesTests {
    private static func candle(_ time: Int64, open: String, high: String, volume: String? = nil) throws
        -> Candle
    {
        let (open, high) = (try #require(Decimal(open)), try #require(Decimal(high)))
        return Candle(
            time: time, prices: OHLC(open: open, high: high, low: open, close: open),
            volume: try volume.map { try #require(Decimal($0)) })
    }

    @Test(
        "is not changed by a candle with more digits than it holds, also if some of its figures fit",
        arguments: [
            ("10.123456789012345678", "11"), ("0.123456789012345678", "10.123456789012345678"),
            ("1", "10000000000000000000"),
        ])
    func refused(open: String, high: String) throws {
        let provenance = Provenance(source: .polygon, fetchedAt: .earliest)
        for hasFirst in [false, true] {
            var series = CandleSeries(symbol: .example, interval: .oneDay, provenance: provenance)
            if hasFirst { #expect(series.append(try Self.candle(0, open: "1.25", high: "1.5", volume: "7"))) }
            #expect(!series.append(try Self.candle(60, open: open, high: high)))
            #expect(series.count == (hasFirst ? 1 : 0))
            // It needs all digits that a column has at this scale.
            #expect(series.append(try Self.candle(120, open: "1234567890123.5", high: "1234567890124")))
            #expect(series[series.count - 1].prices.open == Decimal("1234567890123.5"))
            if hasFirst { #expect(series[0].prices.open == Decimal("1.25") && series[0].volume == 7) }
        }
    }
}
