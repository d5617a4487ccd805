import Brokerage
import Testing

@Suite("RFC 3339")
struct RFC3339Tests {
    @Test(
        "reads offsets and fractions, writes UTC",
        arguments: [
            ("2026-11-20T14:30:00Z", "2026-11-20T14:30:00Z"),
            ("2026-11-20t14:30:00z", "2026-11-20T14:30:00Z"),
            ("2026-11-20T09:30:00-05:00", "2026-11-20T14:30:00Z"),
            ("2026-11-21T00:15:00+09:45", "2026-11-20T14:30:00Z"),
            ("2026-11-20T14:30:00-00:00", "2026-11-20T14:30:00Z"),
            ("2026-11-20T14:30:00.5Z", "2026-11-20T14:30:00.500Z"),
            ("2026-11-20T14:30:00.000Z", "2026-11-20T14:30:00Z"),
            ("2026-11-20T14:30:00.1234567Z", "2026-11-20T14:30:00.123456700Z"),
            ("2026-11-20T14:30:00.123456Z", "2026-11-20T14:30:00.123456Z"),
            ("2026-11-20T14:30:00.123456789Z", "2026-11-20T14:30:00.123456789Z"),
            ("2026-11-20T14:30:00.12345678999999Z", "2026-11-20T14:30:00.123456789Z"),
            ("1969-12-31T23:59:59.001Z", "1969-12-31T23:59:59.001Z"),
            ("0001-01-01T00:00:00.000000Z", "0001-01-01T00:00:00Z"),
            ("9999-12-31T23:59:59.999999999Z", "9999-12-31T23:59:59.999999999Z"),
            ("2024-02-29T12:00:00Z", "2024-02-29T12:00:00Z"),
            ("2016-12-31T23:59:60Z", "2017-01-01T00:00:00Z"),
            ("2016-12-31T18:59:60-05:00", "2017-01-01T00:00:00Z"),
        ])
    func reads(_ text: String, _ expected: String) throws {
        #expect(Instant(text)?.description == expected)
        #expect(Instant(expected) == Instant(text))
    }

    @Test(
        "refuses what has no such form",
        arguments: [
            "", "2026-11-20", "2026-11-20T14:30Z", "2026-11-20T14:30:00", "2026-11-20 14:30:00Z",
            "2026-11-20T14:30:00.Z", "2026-11-20T14:30:00,5Z", "2026-11-20T14:30:00+0500",
            "2026-11-20T14:30:00+05",
            "2026-11-20T14:30:00Zx", "2026-11-20T14:30:00+05:00x", "2026-11-20T1a:30:00Z",
            "2026-11-20T-1:30:00Z",
            " 2026-11-20T14:30:00Z", "12026-11-20T14:30:00Z", "2026-11-20T14:30:00.5",
        ])
    func malformed(_ text: String) {
        let bytes = Array(text.utf8)
        #expect(throws: RFC3339.Failure.malformed) { try RFC3339.instant(bytes.span) }
    }

    @Test(
        "refuses moments that never were",
        arguments: [
            "2023-02-29T00:00:00Z", "2026-13-01T00:00:00Z", "2026-00-01T00:00:00Z", "2026-11-31T00:00:00Z",
            "0000-01-01T00:00:00Z", "2026-11-20T24:00:00Z", "2026-11-20T14:60:00Z", "2026-11-20T14:30:61Z",
            "2026-11-20T14:30:60Z", "2026-06-29T23:59:60Z", "2026-11-20T14:30:00+24:00",
            "2026-11-20T14:30:00+05:60",
        ])
    func noSuchTime(_ text: String) {
        let bytes = Array(text.utf8)
        #expect(throws: RFC3339.Failure.noSuchTime) { try RFC3339.instant(bytes.span) }
    }

    @Test(
        "refuses what UTC has outside of four-digit years",
        arguments: ["0001-01-01T00:00:00+00:01", "9999-12-31T23:59:59-00:01"])
    func outOfRange(_ text: String) {
        let bytes = Array(text.utf8)
        #expect(throws: RFC3339.Failure.outOfRange) { try RFC3339.instant(bytes.span) }
    }

    @Test("refuses every beginning of an instant")
    func truncated() {
        let text = "2026-11-20T09:30:00.123456-05:00"
        for count in 0..<text.utf8.count {
            #expect(Instant(text.prefix(count)) == nil, "\(text.prefix(count))")
        }
        #expect(Instant(text) != nil)
    }
}
