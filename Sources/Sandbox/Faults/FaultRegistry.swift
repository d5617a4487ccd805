import Synchronization

/// The script of faults.
///
/// A lock, because taking a call's faults from the script is one step, and calls come from many tasks at
/// once.
package final class FaultRegistry: Sendable {
    private let random: SeededRandom
    private let script = Mutex(Script())

    private struct Script {
        var entries: [Entry] = []
        /// Faults added since the script was empty at last, so that a reset begins the same luck anew.
        var added = 0
    }

    private struct Entry {
        var fault: Fault
        let random: SeededRandom
        /// Calls that the fault was meant for so far, struck or spared.
        var seen = 0

        /// Whether the next call is struck.
        mutating func strikesNext() -> Bool {
            seen += 1
            return seen.isMultiple(of: fault.every) && random.number(seen, below: 100) < fault.percent
        }
    }

    /// The seed is that of the market: the same script strikes the same calls.
    init(seed: UInt64) {
        random = SeededRandom(seed: seed).branch("faults")
    }

    /// The most faults that a script holds.
    package static let maximumCount = 256

    /// What is still to come, in order.
    package var faults: [Fault] { script.withLock { $0.entries.map(\.fault) } }

    /// Adds to the script; false when it is full.
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

    /// Takes the faults of one call from the script.
    func script(for endpoint: Endpoint) -> FaultScript {
        consume { $0.strikes(endpoint) }
    }

    /// Takes the faults of one message of a stream from the script: those only that name messages.
    func script(forMessage endpoint: Endpoint) -> FaultScript {
        consume { $0.endpoint != nil && $0.strikes(endpoint) }
    }

    private func consume(where strikes: (Fault) -> Bool) -> FaultScript {
        script.withLock { script in
            var effects: [Fault.Effect] = []
            for index in script.entries.indices where strikes(script.entries[index].fault) {
                guard script.entries[index].strikesNext() else { continue }
                effects.append(script.entries[index].fault.effect)
                if let remaining = script.entries[index].fault.remaining {
                    script.entries[index].fault.remaining = remaining - 1
                }
            }
            script.entries.removeAll { ($0.fault.remaining ?? 1) <= 0 }
            return FaultScript(effects: effects)
        }
    }
}
