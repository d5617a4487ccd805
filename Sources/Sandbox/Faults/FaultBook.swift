import Synchronization

/// The script of faults.
///
/// A lock, because taking a call's faults from the script is one step, and calls come from many tasks at
/// once.
package final class FaultBook: Sendable {
    private let entries = Mutex<[Entry]>([])

    private struct Entry {
        var fault: Fault
        /// Calls that the fault was meant for so far, struck or spared.
        var seen = 0
    }

    /// The most faults that a script holds.
    package static let maximumCount = 256

    /// What is still to come, in order.
    package var faults: [Fault] { entries.withLock { $0.map(\.fault) } }

    /// Adds to the script; false when it is full.
    package func add(_ fault: Fault) -> Bool {
        entries.withLock { entries in
            guard entries.count < Self.maximumCount else { return false }
            entries.append(Entry(fault: fault))
            return true
        }
    }

    package func reset() {
        entries.withLock { $0 = [] }
    }

    /// Takes the faults of one call from the script.
    func script(for endpoint: Endpoint) -> FaultScript {
        take { $0.strikes(endpoint) }
    }

    /// Takes the faults of one message of a stream from the script: those only that name messages.
    func script(forMessage endpoint: Endpoint) -> FaultScript {
        take { $0.endpoint != nil && $0.strikes(endpoint) }
    }

    private func take(_ strikes: (Fault) -> Bool) -> FaultScript {
        entries.withLock { entries in
            var effects: [Fault.Effect] = []
            for index in entries.indices where strikes(entries[index].fault) {
                entries[index].seen += 1
                guard entries[index].seen.isMultiple(of: entries[index].fault.every) else { continue }
                effects.append(entries[index].fault.effect)
                if let remaining = entries[index].fault.remaining {
                    entries[index].fault.remaining = remaining - 1
                }
            }
            entries.removeAll { ($0.fault.remaining ?? 1) <= 0 }
            return FaultScript(effects: effects)
        }
    }
}
