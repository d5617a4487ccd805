import Alpaca
import Brokerage
import ProviderTestSupport
import Testing
import Upstream

@Suite("The clock")
struct ClockTests {
    private static let calendar =
        #"[{"date":"2026-11-20","open":"09:30","close":"16:00","session_open":"0400","session_close":"2000","#
        + #""settlement_date":"2026-11-23"},{"date":"2026-11-27","open":"09:30","close":"13:00","#
        + #""session_open":"0400","session_close":"1700","settlement_date":"2026-11-30"}]"#

    private static func clock(_ time: String, isOpen: Bool) -> String {
        #"{"timestamp":"\#(time)","is_open":\#(isOpen),"next_open":"2026-11-23T09:30:00-05:00","#
            + #""next_close":"2026-11-23T16:00:00-05:00"}"#
    }

    @Test(
        "tells where the day stands, by the calendar while there is no trade",
        arguments: [
            ("2026-11-20T11:00:00-05:00", true, MarketState.open, 1),
            ("2026-11-20T08:00:00-05:00", false, .pre, 2),
            ("2026-11-20T03:59:59-05:00", false, .closed, 2), ("2026-11-20T16:00:00-05:00", false, .post, 2),
            ("2026-11-20T20:00:00-05:00", false, .closed, 2),
            ("2026-11-21T11:00:00-05:00", false, .closed, 2),
            ("2026-11-27T14:00:00-05:00", false, .post, 2), ("2026-11-27T17:00:00-05:00", false, .closed, 2),
        ])
    func states(time: String, isOpen: Bool, state: MarketState, calls: Int) async throws {
        try await withAlpaca(answering: { request, _ in
            .text(request.target.contains("calendar") ? Self.calendar : Self.clock(time, isOpen: isOpen))
        }) { alpaca, server in
            let clock = try await alpaca.clock(in: .patient)
            #expect(clock.isOpen == isOpen)
            #expect(clock.state == state)
            #expect(clock.now == (try instant(time)))
            #expect(clock.nextOpen == (try instant("2026-11-23T14:30:00Z")))
            #expect(clock.nextClose == (try instant("2026-11-23T21:00:00Z")))
            #expect(server.requests.count == calls)
        }
    }

    @Test("is known without the calendar, but for what is before the opening and after the close")
    func withoutCalendar() async throws {
        let body = try example("clock")
        try await withAlpaca(answering: { request, _ in
            request.target.contains("calendar") ? .text("", status: 500) : .body(body)
        }) { alpaca, _ in
            let clock = try await alpaca.clock(in: .patient)
            #expect(!clock.isOpen)
            #expect(clock.state == nil)
            #expect(clock.now == (try instant("2026-11-21T07:05:00.123456789Z")))
        }
    }

    @Test("of Alpaca's own example is read, as are its days")
    func examples() throws {
        #expect(try AlpacaClock(json: example("openapi/clock")).nextOpen != nil)
        let days = try decodeList(of: AlpacaCalendarDay.self, from: example("calendar"))
        #expect(days.map(\.date.description) == ["2026-11-27"])
        #expect(days.first?.regularHours == 9 * 3600 + 1800..<13 * 3600)
        #expect(days.first?.session == 4 * 3600..<17 * 3600)
    }

    @Test("of a calendar with a time that is none names its place")
    func broken() throws {
        let body = try example("calendar").replacing(#""09:30""#, with: #""24:30""#)
        let error = #expect(throws: JSONError.self) { try decodeList(of: AlpacaCalendarDay.self, from: body) }
        #expect(error?.description.hasPrefix("[0].open: ") == true)
    }
}
