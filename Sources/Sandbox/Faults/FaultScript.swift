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

    package func reset() {
        script.withLock { $0 = Script() }
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
            return CallFaults(effects: effects)
        }
    }
}
