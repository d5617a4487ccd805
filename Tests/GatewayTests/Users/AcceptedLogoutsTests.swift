import Brokerage
import Testing

@testable import Gateway

@Suite("Accepted logout tokens")
struct AcceptedLogoutsTests {
    private static let start = Instant(secondsSince1970: 1_800_000_000) ?? .earliest

    @Test("are replays until they expire, unless they had no effect")
    func replays() {
        let logouts = AcceptedLogouts()
        let end = Self.start + .seconds(300)
        #expect(logouts.add("1", until: end, now: Self.start))
        #expect(!logouts.add("1", until: end, now: end - .milliseconds(1)))
        #expect(logouts.add("2", until: end, now: Self.start))
        #expect(logouts.add("1", until: end + .seconds(300), now: end))
        logouts.remove("1")
        #expect(logouts.add("1", until: end + .seconds(300), now: end))
    }

    @Test("have a maximum number, above which tokens are accepted and not remembered")
    func bounded() {
        let logouts = AcceptedLogouts(capacity: 2)
        let end = Self.start + .seconds(300)
        for id in ["1", "2", "3", "3"] { #expect(logouts.add(id, until: end, now: Self.start), "\(id)") }
        for id in ["1", "2"] { #expect(!logouts.add(id, until: end, now: Self.start), "\(id)") }
        // Those that have expired make room.
        #expect(logouts.add("3", until: end + .seconds(300), now: end))
        #expect(!logouts.add("3", until: end + .seconds(300), now: end))
    }
}
