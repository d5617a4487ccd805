import Brokerage
import Sandbox
import Testing

import struct Sandbox.FakeInstrument

@Suite("The market of currencies, indices and crypto")
struct CurrencyMarketTests {
    static let others =
        FakeInstrument.indices + FakeInstrument.currencyPairs + FakeInstrument.cryptocurrencies

    private let market = Market(seed: 7)

    private func find(_ symbol: String) throws -> FakeInstrument {
        try #require(market.anyInstrument(symbol))
    }

    @Test("lists everything once, and shares alone to those who ask for shares")
    func listing() throws {
        #expect(Set(FakeInstrument.all.map(\.symbol)).count == FakeInstrument.all.count)
        #expect(Set(FakeInstrument.all.map(\.id)).count == FakeInstrument.all.count)
        for instrument in Self.others {
            #expect(market.instrument(instrument.symbol) == nil)
            #expect(market.anyInstrument(instrument.symbol) == instrument)
            #expect(Symbol(instrument.symbol) != nil)
        }
        #expect(market.anyInstrument("AAPL") == market.instrument("AAPL"))
    }

    @Test("has prices in the instrument's own decimals and currency")
    func prices() throws {
        let expected = [
            ("EUR/DKK", "7.46860", "DKK"), ("USD/JPY", "156.790", "JPY"), ("SPX", "6858.47", "USD"),
        ]
        for (symbol, price, currency) in expected {
            let instrument = try find(symbol)
            #expect(instrument.price(instrument.anchor).description == price)
            #expect(instrument.currency == currency)
        }
    }

    @Test(
        "tells one story at every scale: the seconds of a day add up to its bar",
        arguments: ["EUR/DKK", "USD/JPY", "NDX", "BTC/USD"])
    func secondsMakeTheDay(symbol: String) throws {
        let instrument = try find(symbol)
        let session = try #require(instrument.schedule.session(on: try date("2026-11-19")))
        let tape = market.tape(instrument, session)
        let prices =
            try (session.open..<session.close).map { try #require(tape.price(at: $0)) } + [tape.close]
        #expect(prices.first == tape.regularBar.open)
        #expect(prices.max() == tape.regularBar.high)
        #expect(prices.min() == tape.regularBar.low)
        #expect(zip(prices, prices.dropFirst()).count { $0 != $1 } > prices.count / 4)
    }

    @Test("has no gap where trading knows no pause", arguments: ["EUR/USD", "BTC/USD"])
    func seamless(symbol: String) throws {
        let instrument = try find(symbol)
        let days = instrument.schedule.sessions(from: try date("2026-11-16"), through: try date("2026-11-20"))
        #expect(days.count == 5)
        for (earlier, later) in zip(days, days.dropFirst()) {
            #expect(market.tape(instrument, earlier).close == market.tape(instrument, later).regularBar.open)
        }
    }

    @Test(
        "crosses agree with their legs within a percent, over years",
        arguments: [("EUR/GBP", "EUR/USD", "GBP/USD"), ("EUR/DKK", "EUR/USD", "USD/DKK")])
    func crosses(cross: String, left: String, right: String) throws {
        let tolerance = try #require(Decimal("0.008"))
        let isQuotient = right.hasPrefix("GBP")
        for session in TradingHours.currencies.sessions(
            from: try date("2024-01-02"), through: try date("2026-12-31"))
        {
            func close(_ symbol: String) throws -> Decimal {
                let instrument = try find(symbol)
                return instrument.price(market.close(instrument, session))
            }
            let legs =
                isQuotient
                ? try close(left).divided(by: close(right), to: 8, .halfEven) : try close(left) * close(right)
            let error = try (legs - close(cross)).magnitude.divided(by: close(cross), to: 8, .halfEven)
            #expect(error < tolerance)
        }
    }

    @Test("the krone keeps to its euro")
    func peg() throws {
        let pair = try find("EUR/DKK")
        for session in TradingHours.currencies.sessions(
            from: try date("2010-01-02"), through: try date("2026-12-31"))
        {
            #expect((7_30000...7_65000).contains(market.close(pair, session)))
        }
    }

    @Test("is quoted on both sides while it is traded, and after", arguments: others)
    func quotes(_ instrument: FakeInstrument) throws {
        for moment in Moment.all {
            let second = Int(try instant(moment).secondsSince1970)
            let (quote, last) = (
                market.quote(instrument, at: second), market.lastTrade(instrument, at: second)
            )
            let (bid, ask) = (try #require(quote.bid), try #require(quote.ask))
            #expect(bid.price < last.price && last.price < ask.price)
            #expect((ask.price - bid.price) * 1_000 < last.price)
        }
    }

    @Test(
        "every instrument stands at its listed price on the day that anchors it",
        arguments: [1, 7, UInt64.max])
    func anchored(seed: UInt64) throws {
        let market = Market(seed: seed)
        let day = try date("2026-01-02")
        for instrument in Self.others {
            let session = try #require(instrument.schedule.session(on: day))
            #expect(market.close(instrument, session) == instrument.anchor)
        }
    }

    @Test("answers at the ends of time", arguments: [Int.min, -1, 0, 253_402_300_799, Int.max])
    func ends(second: Int) throws {
        for instrument in Self.others {
            #expect(market.lastTrade(instrument, at: second).price > 0)
            #expect((market.quote(instrument, at: second).bid?.price ?? 0) > 0)
        }
    }
}

@Suite("A series of bars of what is no share")
struct CurrencyBarSeriesTests {
    private let market = Market(seed: 7)

    private func view(_ moment: String) throws -> MarketView {
        MarketView(market, at: try instant(moment))
    }

    @Test(
        "joins to the days, whatever its length, from either end",
        arguments: ["EUR/USD", "BTC/USD", "SPX"], [BarLength.minutes(30), .hour, .minutes(240)])
    func joins(symbol: String, length: BarLength) throws {
        let instrument = try #require(market.anyInstrument(symbol))
        let view = try view("2026-11-20T15:04:05Z")
        let (from, to) = (try instant("2026-11-15T22:00:00Z"), try instant("2026-11-19T22:00:00Z"))
        let range = (Int(from.secondsSince1970), Int(to.secondsSince1970) - 1)
        let bars = Array(view.bars(of: instrument, every: length, from: range.0, through: range.1))
        let reversed = view.bars(
            of: instrument, every: length, from: range.0, through: range.1, newestFirst: true)
        #expect(bars == reversed.reversed())
        #expect(Set(bars.map(\.start)).count == bars.count)
        guard symbol != "BTC/USD" else { return }
        let days = instrument.schedule.sessions(from: try date("2026-11-16"), through: try date("2026-11-19"))
        let whole = days.map { market.tape(instrument, $0).regularBar }
        #expect(bars.map(\.bar.high).max() == whole.map(\.high).max())
        #expect(bars.map(\.bar.volume).reduce(0, +) == whole.map(\.volume).reduce(0, +))
        #expect(bars.first?.bar.open == whole.first?.open)
        #expect(bars.last?.bar.close == whole.last?.close)
    }

    @Test(
        "is told up to the running bar",
        arguments: [("EUR/USD", "2026-11-19T23:30:00Z"), ("BTC/USD", "2026-11-21T17:10:00Z")])
    func running(symbol: String, moment: String) throws {
        let instrument = try #require(market.anyInstrument(symbol))
        let view = try view(moment)
        let newest = view.bars(of: instrument, every: .hour, from: 0, newestFirst: true).prefix(2).map { $0 }
        #expect(newest.first?.start == view.now / 3600 * 3600)
        #expect(newest.first?.bar.close == view.price(symbol))
        #expect(newest.last?.start == view.now / 3600 * 3600 - 3600)
    }

    @Test("days begin when the instrument's day does")
    func days() throws {
        let view = try view("2026-11-20T15:04:05Z")
        let starts = [("EUR/USD", "2026-11-19T22:00:00Z"), ("BTC/USD", "2026-11-20T00:00:00Z")]
        for (symbol, start) in starts {
            let instrument = try #require(market.anyInstrument(symbol))
            let today = view.bars(of: instrument, every: .day, from: 0, newestFirst: true).first { _ in true }
            #expect(Int64(try #require(today).start) == (try instant(start).secondsSince1970))
            #expect(today?.bar.close == view.price(symbol))
        }
    }

    @Test("indices stand still outside of market hours", arguments: [Moment.morning, Moment.evening])
    func indices(moment: String) throws {
        let index = try #require(market.anyInstrument("SPX"))
        let view = try view(moment)
        #expect(view.phase(of: index) == nil && view.phase != nil)
        let day = try #require(view.tradingDay(of: index))
        #expect(view.price("SPX") == market.close(index, day))
    }
}
