import NIOCore
import Testing
import Web

@Suite("The deadline of a connection")
struct ConnectionTimerTests {
    private let start = NIODeadline.uptimeNanoseconds(1_000_000_000)
    private let limits = ServerLimits()

    @Test("moves its timer only if it would fire too late")
    func movesTimer() {
        var deadline = ConnectionTimer(now: start, limits)
        #expect(deadline.end == start + limits.idleTimeout)
        // Ten seconds for a head come before the sixty that the connection may be idle.
        let movesForHead = deadline.enter(.head, now: start, limits)
        #expect(movesForHead)
        #expect(deadline.end == start + limits.headTimeout)
        let movesForIdle = deadline.enter(.idle, now: start, limits)
        #expect(!movesForIdle)
        let movesForNextHead = deadline.enter(.head, now: start + .seconds(1), limits)
        #expect(!movesForNextHead)
        // The timer fires at 10 s, the head may take until 11 s.
        let isOverAtTen = deadline.timerFired(now: start + .seconds(10))
        #expect(!isOverAtTen)
        #expect(deadline.end == start + .seconds(11))
        let isOverAtEleven = deadline.timerFired(now: start + .seconds(11))
        #expect(isOverAtEleven)
        // The timer has fired, so each following phase must set it.
        let movesForEnding = deadline.enter(.ending, now: start + .seconds(11), limits)
        #expect(movesForEnding)
        #expect(deadline.end == start + .seconds(11) + limits.writeTimeout)
    }

    @Test("has a time for each phase")
    func phases() {
        let times: [(ConnectionPhase, TimeAmount)] = [
            (.idle, limits.idleTimeout), (.head, limits.headTimeout), (.body, limits.bodyTimeout),
            (.answering, limits.responseTimeout), (.writing, limits.writeTimeout),
            (.ending, limits.writeTimeout),
            (.lingering, limits.lingerTimeout),
        ]
        for (phase, time) in times { #expect(phase.timeout(limits) == time) }
    }
}
