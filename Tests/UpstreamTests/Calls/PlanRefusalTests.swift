import Testing
import Upstream

@Suite("A refusal by a plan")
struct PlanRefusalTests {
    @Test("is recent for an hour, and again after the next one")
    func hour() {
        let refusal = PlanRefusal()
        let start = ContinuousClock.now
        #expect(!refusal.isRecent(at: start))
        for refused in [start, start + .seconds(5_000)] {
            refusal.record(at: refused)
            #expect(refusal.isRecent(at: refused) && refusal.isRecent(at: refused + .seconds(3_599)))
            #expect(!refusal.isRecent(at: refused + .seconds(3_600)))
        }
    }
}
