import Brokerage
import Sandbox
import TestSupport
import Testing

import struct Sandbox.FakeInstrument

@Suite("Alpaca's assets, clock and calendar")
struct FakeAlpacaReferenceTests {
    @Test("every listed share is an asset, found by symbol and by id")
    func assets() async throws {
        try await withSandbox({ $0.alpaca.untradable = ["KO"] }) { fixture in
            let list = try JSONValue(parsing: await fixture.trading("/v2/assets").body)
            #expect(
                list.elements?.compactMap { $0["symbol"]?.string } == FakeInstrument.listing.map(\.symbol))
            let apple = try #require(list.elements?.first { $0["symbol"] == "AAPL" })
            for wanted in ["AAPL", try #require(apple["id"]?.string)] {
                #expect(try JSONValue(parsing: await fixture.trading("/v2/assets/\(wanted)").body) == apple)
            }
            let cola = try JSONValue(parsing: await fixture.trading("/v2/assets/KO").body)
            #expect(cola["tradable"] == .bool(false) && apple["tradable"] == .bool(true))
            let arca = try JSONValue(parsing: await fixture.trading("/v2/assets?exchange=ARCA").body)
            #expect(arca.elements?.allSatisfy { $0["exchange"] == "ARCA" } == true)
            #expect(arca.elements?.isEmpty == false)
        }
    }

    @Test("an asset that is not there")
    func noAsset() async throws {
        let reply = try await withSandbox { try await $0.trading("/v2/assets/aapl") }
        #expect(reply.status == 404)
        #expect(reply.body == #"{"code":40410000,"message":"asset not found for aapl"}"#)
    }

    @Test(
        "the clock tells when the market opens and closes next",
        arguments: [
            ("2026-11-19T17:34:56.25Z", true, "2026-11-20T09:30:00-05:00", "2026-11-19T16:00:00-05:00"),
            ("2026-11-19T13:00:00Z", false, "2026-11-19T09:30:00-05:00", "2026-11-19T16:00:00-05:00"),
            ("2026-11-25T22:00:00Z", false, "2026-11-27T09:30:00-05:00", "2026-11-27T13:00:00-05:00"),
            ("2026-07-03T17:00:00Z", false, "2026-07-06T09:30:00-04:00", "2026-07-06T16:00:00-04:00"),
        ])
    func clock(moment: String, isOpen: Bool, open: String, close: String) async throws {
        let reply = try await withSandbox(at: moment) { try await $0.trading("/v2/clock") }
        let clock = try JSONValue(parsing: reply.body)
        #expect(clock["is_open"] == .bool(isOpen))
        #expect(clock["next_open"] == .string(open))
        #expect(clock["next_close"] == .string(close))
        let received = try #require(clock["timestamp"]?.string.flatMap { Instant($0) })
        #expect(received.secondsSince1970 == (try instant(moment)).secondsSince1970)
    }

    @Test("the calendar has the days of trading, half days shorter")
    func calendar() async throws {
        let reply = try await withSandbox {
            try await $0.trading("/v2/calendar?start=2026-11-25&end=2026-11-29")
        }
        #expect(
            reply.body
                == #"[{"date":"2026-11-25","open":"09:30","close":"16:00","session_open":"0400","#
                + #""session_close":"2000","settlement_date":"2026-11-27"},"#
                + #"{"date":"2026-11-27","open":"09:30","close":"13:00","session_open":"0400","#
                + #""session_close":"1700","settlement_date":"2026-11-30"}]"#)
    }
}
