import Storage
import Testing

@Suite("The state of a write")
struct OrderWriteStateTests {
    /// All that can happen; whatever is not here changes nothing.
    static let steps: [(OrderWriteState, OrderWriteEvent, OrderWriteTransition)] = [
        (.pending, .notProcessed, .delete),
        (.pending, .rejected, .to(.refused)),
        (.pending, .abandoned, .delete),
        (.sent, .notProcessed, .delete),
        (.sent, .accepted, .to(.done)),
        (.sent, .found, .to(.done)),
        (.sent, .rejected, .to(.refused)),
        (.sent, .responseLost, .to(.unconfirmed)),
        (.sent, .abandoned, .to(.unconfirmed)),
        (.unconfirmed, .found, .to(.done)),
        (.unconfirmed, .notFound, .to(.missing)),
        (.unconfirmed, .undeterminable, .to(.undetermined)),
        (.unconfirmed, .accepted, .to(.done)),
        (.unconfirmed, .rejected, .to(.refused)),
        (.done, .revoked, .to(.refused)),
        (.missing, .found, .to(.done)),
        (.missing, .accepted, .to(.done)),
        (.missing, .rejected, .to(.refused)),
        (.undetermined, .found, .to(.done)),
        (.undetermined, .accepted, .to(.done)),
        (.undetermined, .rejected, .to(.refused)),
    ]

    @Test(
        "follows the table of transitions, for every state and every event",
        arguments: OrderWriteState.allCases
    )
    func table(_ state: OrderWriteState) {
        for event in OrderWriteEvent.allCases {
            let expected = Self.steps.first { $0.0 == state && $0.1 == event }?.2
            #expect(state.step(after: event) == expected, "\(state) after \(event)")
        }
    }

    @Test(
        "is deleted after the mark only if the broker cannot have processed the request"
    )
    func forgets() {
        for state in OrderWriteState.allCases where state != .pending {
            for event in OrderWriteEvent.allCases where state.step(after: event) == .delete {
                #expect(state == .sent && event == .notProcessed)
            }
        }
    }

    @Test("allows one sending: no transition leads to a state before it, and none replaces the mark")
    func once() {
        let steps = OrderWriteState.allCases.flatMap { state in
            OrderWriteEvent.allCases.compactMap { state.step(after: $0) }
        }
        #expect(!steps.contains(.to(.pending)) && !steps.contains(.to(.sent)))
    }

    @Test("is final, except for what a broker reports later")
    func final() {
        for state in OrderWriteState.allCases where state.isFinal {
            let events = OrderWriteEvent.allCases.filter { state.step(after: $0) != nil }
            let expected: [OrderWriteEvent] =
                switch state {
                case .missing, .undetermined: [.accepted, .rejected, .found]
                // Of a replacement, whose new order was rejected.
                case .done: [.revoked]
                case .refused, .pending, .sent, .unconfirmed: []
                }
            #expect(events == expected, "\(state)")
        }
    }
}
