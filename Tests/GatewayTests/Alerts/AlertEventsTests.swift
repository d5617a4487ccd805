import Brokerage
import PorticoCore
import Testing
import Upstream

@testable import Gateway
@testable import Storage

@Suite("Subscribers of alerts")
struct AlertEventsTests {
    private static let now = Instant("2026-11-20T16:00:00Z") ?? .earliest

    private static func alert(_ id: String, _ state: StoredAlert.State) -> StoredAlert {
        StoredAlert(
            id: id, number: 1, condition: .priceAbove(.example, 200), label: nil, state: state,
            rearmAfter: nil,
            firedCount: 0, lastFiredAt: nil, lastFiring: nil, armedAt: nil, createdAt: now, updatedAt: now)
    }

    /// The alerts that fire between the read of all alerts and the sending of what was read, and the last states of the alerts.
    struct Case: CustomTestStringConvertible, Sendable {
        let fired: [String]
        let last: [String: StoredAlert.State]
        var testDescription: String { "fired: \(fired)" }

        static let all = [
            Case(fired: [], last: ["1": .active, "2": .active]),
            Case(fired: ["1"], last: ["1": .fired, "2": .active]),
            Case(fired: ["1", "2"], last: ["1": .fired, "2": .fired]),
            // It was created after the read.
            Case(fired: ["3"], last: ["1": .active, "2": .active, "3": .fired]),
        ]
    }

    @Test("do not get an older state of an alert that fires while the alerts are read", arguments: Case.all)
    func firedDuringRead(_ example: Case) async throws {
        let events = AlertEvents()
        let stream = ConflatingStream<String, LiveValue<AlertObject>> { subscriber in
            await events.publish(of: alice, to: subscriber) { send in
                events.publish(example.fired.map { Self.alert($0, .fired) }, of: alice)
                for id in ["1", "2"] { send(Self.alert(id, .active)) }
                events.publish([Self.alert("end", .paused)], of: alice)
            }
        }
        var last: [String: StoredAlert.State] = [:]
        for await value in stream {
            let object = try value.get()
            let alert = try #require(object).alert
            if alert.id == "end" { break }
            last[alert.id] = alert.state
        }
        #expect(last == example.last)
    }
}
