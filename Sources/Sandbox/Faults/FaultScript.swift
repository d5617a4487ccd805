import Synchronization

/// The fault script.
///
/// It uses a lock: calls arrive concurrently, and each must take its faults in one step.
package final class FaultScript: Sendable {
    private let random: SeededRandom
    private let script = Mutex(Script())

    private struct Script {
        var entries: [Entry] = []
        /// The number of faults added since the script was last empty, so that a reset restarts the same
        /// random sequence.
        var added = 0
        let reset = ScriptReset()
    }

    private struct Entry {
        var fault: Fault
        let random: SeededRandom
        /// The number of matching calls so far, with and without the effect.
        var callCount = 0

        mutating func appliesToNextCall() -> Bool {
            callCount += 1
            return callCount.isMultiple(of: fault.every)
                && random.number(callCount, below: 100) < fault.percent
        }
    }

    /// The seed is that of the market: the same script applies to the same calls.
    init(seed: UInt64) {
        random = SeededRandom(seed: seed).branch("faults")
    }

    /// The maximum number of faults of a script.
    package static let maximumCount = 256

    /// The remaining faults, in order.
    package var faults: [Fault] { script.withLock { $0.entries.map(\.fault) } }

    /// Adds a fault; returns false if the script is full.
    package func add(_ fault: Fault) -> Bool {
        script.withLock { script in
            guard script.entries.count < Self.maximumCount else { return false }
            script.entries.append(Entry(fault: fault, random: random.branch(String(script.added))))
            script.added += 1
            return true
        }
    }

    /// Removes all faults, and ends the latencies of calls in progress.
    package func reset() {
        let old = script.withLock { script in
            defer { script = Script() }
            return script.reset
        }
        old.happen()
    }

    /// Returns the faults of one call, and counts them as used.
    func script(for endpoint: Endpoint) -> CallFaults {
        consume { $0.applies(to: endpoint) }
    }

    /// Returns the faults of one stream message, and counts them as used; only faults that name messages
    /// apply.
    func script(forMessage endpoint: Endpoint) -> CallFaults {
        consume { $0.endpoint != nil && $0.applies(to: endpoint) }
    }

    private func consume(where applies: (Fault) -> Bool) -> CallFaults {
        script.withLock { script in
            var effects: [Fault.Effect] = []
            for index in script.entries.indices where applies(script.entries[index].fault) {
                guard script.entries[index].appliesToNextCall() else { continue }
                effects.append(script.entries[index].fault.effect)
                if let remaining = script.entries[index].fault.remaining {
                    script.entries[index].fault.remaining = remaining - 1
                }
            }
            script.entries.removeAll { ($0.fault.remaining ?? 1) <= 0 }
            return CallFaults(effects: effects, reset: script.reset)
        }
    }
}

/// The end of a script, which ends the latencies of its calls.
final class ScriptReset: Sendable {
    private struct State {
        var hasHappened = false
        var next = 0
        var sleeps: [Int: Task<Void, Never>] = [:]
    }

    // Calls sleep on any task; held for a few look-ups.
    private let state = Mutex(State())

    func happen() {
        let sleeps = state.withLock { state in
            state.hasHappened = true
            return Array(state.sleeps.values)
        }
        for sleep in sleeps { sleep.cancel() }
    }

    /// Sleeps for a duration, or until the script is reset or the task is cancelled.
    func sleep(for duration: Duration) async {
        let (number, sleep) = state.withLock { state in
            let sleep = Task<Void, Never> { try? await Task.sleep(for: duration) }
            if state.hasHappened { sleep.cancel() }
            state.next += 1
            state.sleeps[state.next] = sleep
            return (state.next, sleep)
        }
        await withTaskCancellationHandler {
            await sleep.value
        } onCancel: {
            sleep.cancel()
        }
        _ = state.withLock { $0.sleeps.removeValue(forKey: number) }
    }
}
