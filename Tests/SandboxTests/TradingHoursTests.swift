import Brokerage
import Sandbox
import Testing

@Suite("The hours of trading")
struct TradingHoursTests {
    private func second(_ text: String) throws -> Int {
        Int(try instant(text).secondsSince1970)
    }

    @Test(
        "currencies trade from Sunday 17:00 to Friday 17:00 in New York",
        arguments: [
            ("2026-11-22T21:59:59Z", nil), ("2026-11-22T22:00:00Z", "2026-11-23"),
            ("2026-11-23T21:59:59Z", "2026-11-23"), ("2026-11-23T22:00:00Z", "2026-11-24"),
            ("2026-11-26T15:00:00Z", "2026-11-26"), ("2026-11-27T21:59:59Z", "2026-11-27"),
            ("2026-11-27T22:00:00Z", nil), ("2026-11-28T15:00:00Z", nil),
            ("2026-07-10T20:59:59Z", "2026-07-10"),
            ("2026-07-10T21:00:00Z", nil),
        ])
    func currencies(moment: String, day: String?) throws {
        let second = try second(moment)
        let running = TradingHours.currencies.session(begunBy: second)
        #expect((TradingHours.currencies.phase(at: second) != nil) == (day != nil))
        if let day { #expect(running?.date.description == day) }
    }

    @Test("the day of the currencies follows New York's clock through the year")
    func daylight() throws {
        let sessions = TradingHours.currencies.sessions(
            from: try date("2026-01-01"), through: try date("2026-12-31"))
        #expect(sessions.count == 261)
        for session in sessions {
            #expect(session.close - session.open == 86_400)
            #expect(
                try #require(Instant(secondsSince1970: Int64(session.close))).inNewYork.secondOfDay == 17
                    * 3600)
        }
        #expect(zip(sessions, sessions.dropFirst()).count { $0.close == $1.open } == 261 - 1 - 52)
    }

    @Test("crypto never rests, and its day is UTC's")
    func continuous() throws {
        for moment in [Moment.midday, Moment.weekend, "2026-12-25T00:00:00Z"] {
            let session = try #require(TradingHours.continuous.session(begunBy: try second(moment)))
            #expect(session.date.description == String(moment.prefix(10)))
            #expect(TradingHours.continuous.phase(at: try second(moment)) == .regular)
        }
    }

    @Test("the exchanges' schedule is the trading calendar", arguments: Moment.all)
    func exchanges(moment: String) throws {
        let second = try second(moment)
        #expect(TradingHours.exchanges.session(begunBy: second) == Market(seed: 1).session(begunBy: second))
        #expect(TradingHours.exchanges.session(openedBy: second) == Market(seed: 1).session(openedBy: second))
    }
}
