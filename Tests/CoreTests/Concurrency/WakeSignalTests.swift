import PorticoCore
import Testing

@Suite("Wake signals")
struct WakeSignalTests {
    /// Sleeps until it is cancelled.
    @Sendable private static func forever() async {
        try? await Task.sleep(for: .seconds(3_600))
    }

    @Test("signals that were sent while no task waited wake the next wait, once")
    func before() async {
        let signal = WakeSignal()
        signal.send()
        signal.send()
        #expect(await signal.wait(timeout: Self.forever))
        // No signal was sent since, so the timeout ends the wait.
        #expect(await !signal.wait {})
    }

    @Test("a signal wakes the waiting task")
    func during() async {
        let signal = WakeSignal()
        async let woken = signal.wait(timeout: Self.forever)
        signal.send()
        #expect(await woken)
    }
}
