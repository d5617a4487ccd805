import Brokerage
import Sandbox
import Testing

import struct Sandbox.FakeInstrument
import struct Sandbox.TimedBar

@Suite("A series of bars")
struct BarSeriesTests {
    private let market = Market(seed: 7)

    private func view(_ moment: String = Moment.weekend) throws -> MarketView {
        MarketView(market, at: try instant(moment))
    }

    private func apple() throws -> FakeInstrument {
        try #require(market.instrument("AAPL"))
    }

    private func second(_ text: String) throws -> Int {
        Int(try instant(text).secondsSince1970)
    }

    private func joined(_ bars: some Sequence<TimedBar>) -> Bar? {
        bars.reduce(nil as Bar?) { $0?.joined(with: $1.bar) ?? $1.bar }
    }

    @Test(
        "of market hours joins to the day's bar, whatever its length and alignment",
        arguments: [1, 5, 7, 15, 30, 60, 120, 1_440], [BarAlignment.clock, .opening])
    func minutesMakeTheDay(minutes: Int, alignment: BarAlignment) throws {
        for date in ["2026-11-19", "2025-11-28", "2026-03-09"] {
            let session = try session(date)
            let bars = try view().bars(
                of: apple(), every: .minutes(minutes), from: session.midnight,
                through: session.postMarketClose, extendedHours: false, alignment: alignment)
            #expect(joined(bars) == market.tape(try apple(), session).regularBar)
        }
    }

    @Test(
        "of days joins to weeks and months",
        arguments: [
            (BarLength.week, "2026-10-05T04:00:00Z", "2026-10-10T00:00:00Z"),
            (.month, "2026-10-01T04:00:00Z", "2026-11-01T00:00:00Z"),
            (.months(3), "2026-07-01T04:00:00Z", "2026-10-01T00:00:00Z"),
        ])
    func daysMakeMonths(length: BarLength, start: String, end: String) throws {
        let (start, end) = (try second(start), try second(end))
        let long = Array(try view().bars(of: apple(), every: length, from: start, through: start))
        let days = try view().bars(of: apple(), every: .day, from: start, through: end)
        #expect(long.map(\.bar) == [try #require(joined(days))])
        #expect(long.map(\.start) == [start])
    }

    @Test(
        "is the same from either end",
        arguments: [BarLength.minute, .minutes(15), .hour, .day, .week, .month], [false, true])
    func eitherEnd(length: BarLength, extendedHours: Bool) throws {
        let from = try second("2026-11-16T18:07:09Z")
        let series = { (newestFirst: Bool) in
            Array(
                try view().bars(
                    of: apple(), every: length, from: from - (length == .minute ? 0 : 300 * 86_400),
                    through: second("2026-11-20T19:03:00Z"), extendedHours: extendedHours,
                    newestFirst: newestFirst))
        }
        let (forward, backward) = (try series(false), try series(true))
        #expect(forward == backward.reversed())
        #expect(forward.count > 5)
        #expect(zip(forward, forward.dropFirst()).allSatisfy { $0.start < $1.start })
    }

    @Test("tells the running bar as far as it has come, and nothing after it", arguments: Moment.all)
    func running(moment: String) throws {
        let view = try view(moment)
        for length in [BarLength.minute, .hour, .day, .week, .month] {
            let last = try #require(
                Array(
                    try view.bars(of: apple(), every: length, from: 0, newestFirst: true).prefix(1)
                ).first)
            #expect(last.start <= view.now)
            let price = view.price("AAPL")
            if view.phase == .regular { #expect(last.bar.close == price, "\(length)") }
        }
    }

    @Test("begins each bar where its length says, in New York")
    func beginnings() throws {
        let session = try session("2026-11-19")
        func starts(_ length: BarLength, extendedHours: Bool, _ alignment: BarAlignment) throws -> [Int] {
            try view().bars(
                of: apple(), every: length, from: session.midnight, through: session.midnight + 86_399,
                extendedHours: extendedHours, alignment: alignment
            ).map { ($0.start - session.midnight) / 60 }
        }
        #expect(try starts(.hour, extendedHours: false, .clock) == (9...15).map { $0 * 60 })
        #expect(try starts(.hour, extendedHours: false, .opening) == (9...15).map { $0 * 60 + 30 })
        #expect(try starts(.hour, extendedHours: true, .clock) == (4...19).map { $0 * 60 })
        #expect(try starts(.minute, extendedHours: false, .clock) == Array(570..<960))
        #expect(try starts(.day, extendedHours: true, .clock) == [0])
    }

    @Test(
        "of a currency or a cryptocurrency begins and ends with its own day",
        arguments: ["EUR/USD", "BTC/USD", "SPX"])
    func others(symbol: String) throws {
        let instrument = try #require(market.anyInstrument(symbol))
        let session = try #require(instrument.schedule.session(on: date("2026-11-18")))
        let bars = { (length: BarLength, newestFirst: Bool) in
            Array(
                try view().bars(
                    of: instrument, every: length, from: session.close - 86_400, through: session.close - 1,
                    extendedHours: false, newestFirst: newestFirst))
        }
        let hours = try bars(.hour, false)
        #expect(joined(hours) == market.tape(instrument, session).regularBar)
        #expect(hours == (try bars(.hour, true)).reversed())
        #expect(hours.allSatisfy { $0.date == session.date })
        let day = try #require(
            Array(try view().bars(of: instrument, every: .day, from: session.close - 86_400)).first)
        #expect(day.date == session.date)
        #expect(day.bar == joined(hours))
    }

    @Test("of currencies has a running day after 17:00, whose date is tomorrow's")
    func runningDayOfCurrencies() throws {
        let euro = try #require(market.anyInstrument("EUR/USD"))
        let view = try view(Moment.evening)
        let last = try #require(
            Array(view.bars(of: euro, every: .day, from: 0, newestFirst: true).prefix(1)).first)
        #expect(last.date == (try date("2026-11-20")))
        #expect(last.start <= view.now)
    }

    @Test("leaves out what nobody traded")
    func untraded() throws {
        let share = try #require(market.instrument("BRK.A"))
        let session = try session("2026-11-19")
        let bars = Array(
            try view().bars(
                of: share, every: .minute, from: session.midnight, through: session.postMarketClose))
        #expect(bars.allSatisfy { $0.bar.volume > 0 })
        #expect(bars.count < 960)
    }

    @Test("is empty where nothing can be", arguments: [(5, 3), (Int.max, Int.max), (Int.max, 0)])
    func empty(first: Int, last: Int) throws {
        for length in [BarLength.minute, .day, .month] {
            #expect(
                Array(try view().bars(of: apple(), every: length, from: first, through: last)).isEmpty)
        }
    }

    @Test("is made as it is asked for: the newest minute of decades costs a minute")
    func lazy() throws {
        let view = try view()
        for instrument in FakeInstrument.listing {
            let last = Array(
                view.bars(of: instrument, every: .minute, from: .min, newestFirst: true).prefix(3))
            #expect(last.count == 3)
        }
    }
}
