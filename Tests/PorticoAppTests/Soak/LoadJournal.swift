import Synchronization
import TestSupport

/// What the clients of a mixed load were answered.
final class LoadJournal: Sendable {
    /// What became of an order.
    enum OrderFate {
        /// It exists for Portico, under an id.
        case acknowledged(String)
        case failed
    }

    struct Findings {
        /// How often each code was told.
        var codes: [String: Int] = [:]
        /// Failures that no fault explains.
        var unexplained: [String] = []
        /// By number: which of the clients placed each, and what became of it.
        var orders: [Int: (client: Int, fate: OrderFate)] = [:]
    }

    private struct State {
        var findings = Findings()
        var allowed: Set<String> = []
        var nextOrder = 0
        var nextNumber = 0
    }

    // Written by all clients.
    private let state = Mutex(State())

    var findings: Findings { state.withLock(\.findings) }

    /// The only codes that are explained from now on.
    func allow(_ codes: Set<String>) {
        state.withLock { $0.allowed = codes }
    }

    /// Takes down what an answer says of failures.
    func note(_ answer: JSONValue, to question: String) {
        state.withLock { state in
            for failure in answer.failures {
                let code = failure.code ?? "no code"
                state.findings.codes[code, default: 0] += 1
                if !state.allowed.contains(code) {
                    state.findings.unexplained.append("\(code) at \(failure.path ?? "-") of \(question)")
                }
            }
        }
    }

    /// Something went wrong that no provider can have caused.
    func note(unexplained: String) {
        state.withLock { $0.findings.unexplained.append(unexplained) }
    }

    /// The number of an order that nobody has placed.
    func newOrder() -> Int {
        state.withLock { state in
            defer { state.nextOrder += 1 }
            return state.nextOrder
        }
    }

    /// A number that nobody else has.
    func newNumber() -> Int {
        state.withLock { state in
            defer { state.nextNumber += 1 }
            return state.nextNumber
        }
    }

    func note(_ fate: OrderFate, of order: Int, by client: Int) {
        state.withLock { $0.findings.orders[order] = (client, fate) }
    }
}
