import Brokerage
import GraphQL
package import Storage

/// The messages that webhooks receive: about a firing, and the one that tests the receiver.
package enum AlertMessage {
    /// The types of the messages, as Standard Webhooks names them.
    private static let type = "alert.fired"
    private static let testType = "webhook.test"

    /// The test message of a webhook as JSON, with the members of each message.
    static func test(of webhook: String, at now: Instant) -> String {
        let message: InputObject = [
            "type": .string(testType), "timestamp": .string(now.dateTime),
            "data": .object(["webhookId": .string(NodeID(.webhook, webhook).text)]),
        ]
        return String(decoding: InputValue.object(message).json, as: UTF8.self)
    }

    /// The message as JSON: `type`, `timestamp`, and `data` with the fields that `AlertFiring` and its condition have in
    /// the schema.
    @Sendable
    package static func body(_ firing: AlertFiring) -> String {
        let condition = firing.condition
        var data: InputObject = [
            "id": .string(NodeID(.alertFiring, firing.id).text),
            "alertId": .string(NodeID(.alert, firing.alert).text),
            "kind": .string(condition.kind.rawValue), "firedAt": .string(firing.firedAt.dateTime),
        ]
        data["label"] = firing.label.map { .string($0) }
        data["symbol"] = condition.symbol.map { .string($0.text) }
        data["price"] = condition.price.map { .string($0.description) }
        data["percentage"] = condition.percent.map { .string($0.description) }
        data["value"] = firing.value.map { .string($0.description) }
        data["orderState"] = firing.orderState.map { .string($0.rawValue) }
        data["asOf"] = firing.asOf.map { .string($0.dateTime) }
        switch condition {
        case .orderState(let order, _): data["orderId"] = .string(order)
        case .goalReached(let goal): data["goalId"] = .string(NodeID(.goal, goal).text)
        case .connectionNeedsRenewal(let connection):
            data["connectionId"] = .string(ProviderConnection.globalID(connection))
        case .priceAbove, .priceBelow, .dayRise, .dayFall: break
        }
        let message: InputObject = [
            "type": .string(type), "timestamp": .string(firing.firedAt.dateTime), "data": .object(data),
        ]
        return String(decoding: InputValue.object(message).json, as: UTF8.self)
    }
}
