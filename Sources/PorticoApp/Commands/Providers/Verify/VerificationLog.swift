import Brokerage
import PorticoCore
import Synchronization
import Upstream

/// The outcomes of the calls of `portico providers verify`, by the operations of each provider.
final class VerificationLog: Sendable {
    /// The calls of one operation.
    struct Operation: Sendable {
        let name: String
        var calls = 0
        /// The failure of the last call, whose response could not be read or that had none; nil if a later call has one, because
        /// the adapter has then called another endpoint in place of the first.
        var failure: ProviderFailure.Cause?
        var findings: Set<JSONInspection.Finding> = []
    }

    // Calls end on any thread; held for additions only.
    private let operations = Mutex<[ProviderID: [Operation]]>([:])

    func add(_ record: CallRecord) {
        change(record.operation, of: record.provider) { operation in
            operation.calls += 1
            if case .failed(let cause) = record.outcome {
                operation.failure = cause
            } else {
                operation.failure = nil
            }
        }
    }

    func add(_ findings: [JSONInspection.Finding], in operation: String, of provider: ProviderID) {
        change(operation, of: provider) { $0.findings.formUnion(findings) }
    }

    /// Adds the failure of a read, unless it is already the failure of one of its calls.
    func add(_ cause: ProviderFailure.Cause, of read: String, at provider: ProviderID) {
        guard !operations(of: provider).contains(where: { $0.failure == cause }) else { return }
        change(read, of: provider) { $0.failure = cause }
    }

    /// Removes the failures of calls that are made again.
    func removeFailures(of provider: ProviderID, where isRepeated: (ProviderFailure.Cause) -> Bool) {
        operations.withLock { operations in
            for place in operations[provider, default: []].indices {
                guard let cause = operations[provider]?[place].failure, isRepeated(cause) else { continue }
                operations[provider]?[place].failure = nil
            }
        }
    }

    /// The operations of a provider, in the order of their first calls.
    func operations(of provider: ProviderID) -> [Operation] { operations.withLock { $0[provider] ?? [] } }

    private func change(_ name: String, of provider: ProviderID, _ change: (inout Operation) -> Void) {
        operations.withLock { operations in
            let place = operations[provider]?.firstIndex { $0.name == name }
            if place == nil { operations[provider, default: []].append(Operation(name: name)) }
            let last = (operations[provider]?.count ?? 1) - 1
            operations[provider]?[place ?? last].with(change)
        }
    }
}

extension VerificationLog.Operation {
    fileprivate mutating func with(_ change: (inout Self) -> Void) { change(&self) }
}
