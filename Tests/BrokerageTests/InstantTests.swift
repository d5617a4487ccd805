import Brokerage
import Testing

@Suite("Instants")
struct InstantTests {
    static func instant(_ text: String) throws -> Instant { try #require(Instant(text)) }

    @Test("is made of seconds, milliseconds or nanoseconds")
    func units() throws {
        let expected = try Self.instant("2026-11-20T14:30:00.123Z")
        #expect(Instant(millisecondsSince1970: 1_795_185_000_123) == expected)
        #expect(Instant(nanosecondsSince1970: 1_795_185_000_123_000_000) == expected)
        #expect(Instant(secondsSince1970: 1_795_185_000, nanoseconds: 123_000_000) == expected)
        #expect(Instant(millisecondsSince1970: -1)?.description == "1969-12-31T23:59:59.999Z")
        #expect(Instant(nanosecondsSince1970: .min).description == "1677-09-21T00:12:43.145224192Z")
        #expect(Instant(nanosecondsSince1970: .max).description == "2262-04-11T23:47:16.854775807Z")
    }

    @Test("refuses what lies outside", arguments: [Int64.max, .min, 253_402_300_800, -62_135_596_801])
    func outside(_ seconds: Int64) {
        #expect(Instant(secondsSince1970: seconds) == nil)
        #expect(Instant(secondsSince1970: 0, nanoseconds: 1_000_000_000) == nil)
        #expect(Instant(secondsSince1970: 0, nanoseconds: -1) == nil)
        #expect(Instant(millisecondsSince1970: .max) == nil)
        #expect(Instant(millisecondsSince1970: .min) == nil)
    }

    @Test("adds durations and stops at its ends")
    func arithmetic() throws {
        let instant = try Self.instant("2026-11-20T14:30:00.900Z")
        #expect((instant + .milliseconds(200)).description == "2026-11-20T14:30:01.100Z")
        #expect((instant - .milliseconds(1_000)).description == "2026-11-20T14:29:59.900Z")
        #expect((instant - .seconds(86_400)).dateInUTC.description == "2026-11-19")
        #expect(instant + .seconds(Int64.max) == .latest)
        #expect(instant - .seconds(Int64.max) == .earliest)
        #expect(Instant.latest + .nanoseconds(1) == .latest)
        #expect(Instant.earliest - .nanoseconds(1) == .earliest)
        #expect((instant + .milliseconds(200)).duration(since: instant) == .milliseconds(200))
        #expect(Instant.earliest.duration(since: .latest) < .zero)
    }

    @Test(
        "is written for clients with three fraction digits, or with six if the microseconds are not zero",
        arguments: [
            ("2026-11-20T14:30:00Z", "2026-11-20T14:30:00.000Z"),
            ("2026-11-20T14:30:00.9Z", "2026-11-20T14:30:00.900Z"),
            ("2026-11-20T14:30:00.000007Z", "2026-11-20T14:30:00.000007Z"),
            ("2026-11-20T14:30:00.123456789Z", "2026-11-20T14:30:00.123456Z"),
            ("2026-11-20T14:30:00.123000789Z", "2026-11-20T14:30:00.123Z"),
            ("9999-12-31T23:59:59.999999999Z", "9999-12-31T23:59:59.999999Z"),
            ("0001-01-01T00:00:00Z", "0001-01-01T00:00:00.000Z"),
        ])
    func dateTime(_ text: String, written: String) throws {
        #expect(try Self.instant(text).dateTime == written)
    }

    @Test("orders by time")
    func orders() throws {
        let texts = [
            "0001-01-01T00:00:00Z", "1969-12-31T23:59:59.9Z", "1970-01-01T00:00:00Z", "2026-11-20T14:30:00Z",
        ]
        let instants = try texts.map(Self.instant)
        #expect(instants == instants.shuffled().sorted())
        #expect(Instant.now > instants[3])
    }

    @Test(
        "tells New York's time on both sides of its changes",
        arguments: [
            ("2026-03-08T06:59:59Z", "2026-03-08", "1:59:59"),
            ("2026-03-08T07:00:00Z", "2026-03-08", "3:0:0"),
            ("2026-11-01T05:59:59Z", "2026-11-01", "1:59:59"),
            ("2026-11-01T06:00:00Z", "2026-11-01", "1:0:0"),
            ("2026-11-21T01:00:00Z", "2026-11-20", "20:0:0"),
            ("2026-07-04T00:00:00Z", "2026-07-03", "20:0:0"),
            ("2027-01-01T04:59:00Z", "2026-12-31", "23:59:0"),
            ("2015-03-08T07:00:00Z", "2015-03-08", "3:0:0"),
            ("2009-11-01T06:00:00Z", "2009-11-01", "1:0:0"),
        ])
    func newYork(_ utc: String, date: String, time: String) throws {
        let local = try Self.instant(utc).inNewYork
        #expect(local.date.description == date)
        #expect("\(local.hour):\(local.minute):\(local.second)" == time)
    }

    @Test(
        "finds the instant of a time in New York",
        arguments: [
            ("2026-11-20", 9, 30, "2026-11-20T14:30:00Z"), ("2026-07-01", 9, 30, "2026-07-01T13:30:00Z"),
            ("2026-11-20", 20, 0, "2026-11-21T01:00:00Z"), ("2026-11-01", 1, 30, "2026-11-01T05:30:00Z"),
            ("2026-03-08", 2, 30, "2026-03-08T07:30:00Z"),
        ])
    func fromNewYork(_ date: String, _ hour: Int, _ minute: Int, _ utc: String) throws {
        let day = try #require(CalendarDate(date))
        let local = try #require(LocalTime(date: day, hour: hour, minute: minute))
        #expect(Instant(newYork: local).description == utc)
    }

    @Test("New York's day never leaves the range")
    func newYorkAtTheEnds() throws {
        #expect(Instant.earliest.inNewYork.date == .earliest)
        #expect(Instant.latest.inNewYork.date == .latest)
        let last = try #require(LocalTime(date: .latest, hour: 23))
        #expect(Instant(newYork: last) == .latest)
    }
}
