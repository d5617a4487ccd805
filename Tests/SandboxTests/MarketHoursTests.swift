import Brokerage
import Sandbox
import TestSupport
import Testing

@Suite("A market that is always open")
struct MarketHoursTests {
    private static let market = Market(seed: 7, hours: .always)
    /// A Saturday, a Sunday, a holiday, and the days on which New York's clocks change, at various hours.
    private static let moments = [
        "2026-11-21T17:00:00Z", "2026-11-22T03:00:00Z", "2026-12-25T15:00:00Z", "2026-03-08T07:30:00Z",
        "2026-11-01T06:30:00Z", "2026-11-20T05:00:00Z",
    ]

    @Test("has a regular session at every hour of every day", arguments: moments)
    func open(moment: String) throws {
        let second = Int(try instant(moment).secondsSince1970)
        let view = MarketView(Self.market, at: try instant(moment))
        for instrument in FakeInstrument.all + FakeInstrument.london {
            let schedule = Self.market.schedule(of: instrument)
            #expect(schedule.phase(at: second) == .regular, "\(instrument.symbol)")
            #expect(view.phase(of: instrument) == .regular, "\(instrument.symbol)")
        }
        #expect(view.phase == .regular)
    }

    @Test("changes prices within two seconds", arguments: moments)
    func prices(moment: String) throws {
        let second = Int(try instant(moment).secondsSince1970)
        let instrument = try #require(Self.market.instrument("AAPL"))
        let changes = (0..<120).count { step in
            let prices = (0...2).map { Self.market.lastTrade(instrument, at: second + step + $0).price }
            return Set(prices).count > 1
        }
        #expect(changes > 100)
    }

    @Test("has one session a day that begins at midnight in New York and pauses one minute before the next")
    func sessions() throws {
        let days = Self.market.exchanges.sessions(
            from: try date("2026-01-01"), through: try date("2026-12-31"))
        #expect(days.count == 365)
        for (day, next) in zip(days, days.dropFirst()) {
            #expect(day.midnight == day.open && day.preMarketOpen == day.open)
            #expect(day.close == day.postMarketClose && next.open - day.close == 60, "\(day)")
        }
        // The clocks change on these days.
        let lengths = Dictionary(grouping: days) { $0.close - $0.open }.mapValues {
            $0.map(\.date.description)
        }
        #expect(lengths[82_740] == ["2026-03-08"] && lengths[89_940] == ["2026-11-01"])
    }

    @Test("has the same prices as the exchanges on a day of trading")
    func closes() throws {
        let session = try session("2026-11-19")
        for symbol in ["AAPL", "KO", "SPY"] {
            let instrument = try #require(Self.market.instrument(symbol))
            #expect(
                Self.market.close(instrument, session)
                    == Market(seed: 7).close(instrument, session))
        }
    }

    @Test("is open in Alpaca's clock and calendar on a Saturday")
    func providers() async throws {
        try await withSandbox(at: Moment.weekend) {
            $0.hours = .always
        } _: { fixture in
            let clock = try JSONValue(parsing: try await fixture.trading("/v2/clock").body)
            #expect(clock["is_open"] == .bool(true))
            #expect(clock["next_close"]?.string == "2026-11-21T23:59:00-05:00")
            let days = try JSONValue(
                parsing: try await fixture.trading("/v2/calendar?start=2026-11-16&end=2026-11-22").body)
            #expect(days.elements?.count == 7)
            #expect(days[5]?["date"] == "2026-11-21")
            #expect(days[5]?["open"] == "00:00" && days[5]?["close"] == "23:59")
            #expect(days[5]?["session_open"] == "0000" && days[5]?["session_close"] == "2359")
        }
    }
}
