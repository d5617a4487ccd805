import Storage
import Testing

@Suite("The state of a write")
struct WriteStateTests {
    /// All that can happen; whatever is not here changes nothing.
    static let steps: [(WriteState, WriteEvent, WriteStep)] = [
        (.pending, .sending, .to(.sent)),
        (.pending, .notTaken, .forget),
        (.pending, .refused, .to(.refused)),
        (.pending, .abandoned, .forget),
        (.sent, .notTaken, .forget),
        (.sent, .taken, .to(.done)),
        (.sent, .refused, .to(.refused)),
        (.sent, .answerLost, .to(.unconfirmed)),
        (.sent, .abandoned, .to(.unconfirmed)),
        (.unconfirmed, .found, .to(.done)),
        (.unconfirmed, .notFound, .to(.missing)),
    ]

    @Test("follows the table of its steps, for every state and every event", arguments: WriteState.allCases)
    func table(_ state: WriteState) {
        for event in WriteEvent.allCases {
            let expected = Self.steps.first { $0.0 == state && $0.1 == event }?.2
            #expect(state.step(after: event) == expected, "\(state) after \(event)")
        }
    }

    @Test(
        "is never forgotten, once the request may have gone out, but where the broker cannot have acted on it"
    )
    func forgets() {
        for state in WriteState.allCases where state != .pending {
            for event in WriteEvent.allCases where state.step(after: event) == .forget {
                #expect(state == .sent && event == .notTaken)
            }
        }
    }

    @Test("is sent once: no step leads back to where it could be sent again")
    func once() {
        let reachable = Self.steps.filter { $0.0 != .pending }.map(\.2)
        #expect(!reachable.contains(.to(.pending)))
        #expect(Self.steps.filter { $0.2 == .to(.sent) }.map(\.0) == [.pending])
        for state in WriteState.allCases where state.isFinal {
            #expect(WriteEvent.allCases.allSatisfy { state.step(after: $0) == nil })
        }
    }
}
