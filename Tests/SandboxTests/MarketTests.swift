import Brokerage
import Sandbox
import Testing

import struct Sandbox.FakeInstrument

@Suite("The market")
struct MarketTests {
    static let symbols = ["AAPL", "BRK.A", "T", "SPY", "PLTR"]
    static let dates = ["1999-12-31", "2024-02-29", "2026-11-19", "2026-11-27", "2041-05-06"]

    private func tape(_ symbol: String, _ date: String, seed: UInt64 = 7) throws -> DayTape {
        let market = Market(seed: seed)
        return market.tape(try #require(market.instrument(symbol)), try session(date))
    }

    @Test("tells one story at every scale: the seconds of a day add up to its bar", arguments: symbols, dates)
    func secondsMakeTheDay(symbol: String, date: String) throws {
        let tape = try tape(symbol, date)
        let session = tape.session
        let prices = try (session.open...session.close).map { try #require(tape.price(at: $0)) }
        #expect(prices.first == tape.regularBar.open)
        #expect(prices.last == tape.regularBar.close)
        #expect(prices.max() == tape.regularBar.high)
        #expect(prices.min() == tape.regularBar.low)
    }

    @Test(
        "bars of any interval join to the day's bar, volume included", arguments: symbols,
        [1, 60, 300, 900, 3600, 7])
    func intervalsMakeTheDay(symbol: String, seconds: Int) throws {
        let tape = try tape(symbol, "2026-11-19")
        let session = tape.session
        // One hour is sufficient for intervals of one second.
        let end = seconds < 60 ? session.open + 3600 : session.close
        let bars = try stride(from: session.open, to: end, by: seconds).map { start in
            try #require(tape.bar(of: .regular, from: start, through: min(start + seconds, end)))
        }
        let joined = try #require(bars.dropFirst().reduce(bars.first) { $0?.joined(with: $1) })
        #expect(joined == tape.bar(of: .regular, from: session.open, through: end))
        for bar in bars {
            #expect(bar.high >= max(bar.open, bar.close))
            #expect(bar.low <= min(bar.open, bar.close))
            #expect(bar.volume >= 0)
            #expect(
                Decimal(cents: bar.low) <= bar.averagePrice && bar.averagePrice <= Decimal(cents: bar.high))
        }
    }

    @Test("phases follow each other without a gap", arguments: symbols, dates)
    func phases(symbol: String, date: String) throws {
        let tape = try tape(symbol, date)
        let session = tape.session
        let before = tape.bar(of: .preMarket, from: session.preMarketOpen, through: session.open)
        let after = tape.bar(of: .postMarket, from: session.close, through: session.postMarketClose)
        #expect(before?.open == tape.previousClose)
        #expect(before?.close == tape.regularBar.open)
        #expect(after?.open == tape.close)
        #expect(tape.price(at: session.preMarketOpen - 1) == nil)
        #expect(tape.price(at: session.postMarketClose) == nil)
    }

    @Test("prices move by the second while there is trading", arguments: symbols)
    func moves(symbol: String) throws {
        let tape = try tape(symbol, "2026-11-19")
        let prices = (0..<600).compactMap { tape.price(at: tape.session.open + 7_200 + $0) }
        #expect(zip(prices, prices.dropFirst()).count { $0 != $1 } > 100)
    }

    @Test("while nothing is traded, the price stands at the official close")
    func stands() throws {
        let market = Market(seed: 7)
        let apple = try #require(market.instrument("AAPL"))
        let friday = try session("2026-11-20")
        let monday = try #require(TradingHours.exchanges.session(after: friday.date))
        for second in stride(from: friday.postMarketClose, to: monday.preMarketOpen, by: 3_571) {
            let last = market.lastTrade(apple, at: second)
            #expect(last.price == market.close(apple, friday))
            #expect(last.second == friday.close)
        }
    }

    @Test("has a history over decades without leaps that no share makes", arguments: FakeInstrument.listing)
    func history(_ instrument: FakeInstrument) throws {
        let market = Market(seed: 7)
        let sessions = TradingHours.exchanges.sessions(
            from: try date("2006-01-03"), through: try date("2026-12-31"))
        let closes = sessions.map { market.close(instrument, $0) }
        for (earlier, later) in zip(closes, closes.dropFirst()) where abs(later - earlier) > 3 {
            #expect(abs(later - earlier) * 100 < max(earlier, 1) * 25)
        }
        #expect(Set(closes).count > closes.count / 20)
    }

    @Test(
        "every instrument stands at its listed price on the day that anchors it",
        arguments: [1, 7, UInt64.max])
    func anchored(seed: UInt64) throws {
        let market = Market(seed: seed)
        let session = try SandboxTests.session("2026-01-02")
        for instrument in FakeInstrument.listing {
            #expect(market.close(instrument, session) == instrument.anchor)
        }
    }

    @Test(
        "is a pure function of its seed: asked in any order it says the same, and another seed something else"
    )
    func pure() throws {
        let market = Market(seed: 7)
        let apple = try #require(market.instrument("AAPL"))
        let moments = (0..<500).map { 1_790_000_000 + $0 * 86_399 }
        let forward = moments.map { market.lastTrade(apple, at: $0).price }
        let backward = moments.reversed().map { Market(seed: 7).lastTrade(apple, at: $0).price }
        #expect(forward == backward.reversed())
        #expect(forward != moments.map { Market(seed: 8).lastTrade(apple, at: $0).price })
    }

    @Test("answers at the ends of time", arguments: [Int.min, -1, 0, 253_402_300_799, Int.max])
    func ends(second: Int) throws {
        let market = Market(seed: 7)
        for instrument in FakeInstrument.listing {
            #expect(market.lastTrade(instrument, at: second).price > 0)
            #expect((market.quote(instrument, at: second).bid?.price ?? 1) > 0)
        }
    }

    @Test("lists each symbol and each id once, under ids that do not change")
    func listing() {
        #expect(Set(FakeInstrument.listing.map(\.symbol)).count == FakeInstrument.listing.count)
        #expect(Set(FakeInstrument.listing.map(\.id)).count == FakeInstrument.listing.count)
        #expect(FakeInstrument.listing.count >= 40)
        #expect(
            FakeInstrument.listing.first { $0.symbol == "AAPL" }?.id == "9107c204-c4a6-8cdf-a088-3d01ac25cd51"
        )
    }

    @Test("quotes stand around the last price; thin shares lack sides outside of market hours")
    func quotes() throws {
        let market = Market(seed: 7)
        let session = try SandboxTests.session("2026-11-19")
        for instrument in FakeInstrument.listing {
            let open = market.quote(instrument, at: session.open + 3_600)
            let last = market.lastTrade(instrument, at: session.open + 3_600).price
            #expect((open.bid?.price ?? .max) < last && last < (open.ask?.price ?? 0))
            let evening = market.quote(instrument, at: session.close + 3_600)
            #expect((evening.ask == nil) == instrument.isThin && evening.bid != nil)
            let night = market.quote(instrument, at: session.postMarketClose + 3_600)
            #expect((night.ask == nil) == instrument.isThin && (night.bid == nil) == instrument.isThin)
        }
    }
}
