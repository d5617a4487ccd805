import Brokerage
import GraphQL
import Storage

/// `Alert` of the schema.
struct AlertObject: Sendable {
    let alert: StoredAlert

    init(_ alert: StoredAlert) {
        self.alert = alert
    }

    /// The `id` that the schema gives it.
    var globalID: String { NodeID(.alert, alert.id).text }

    /// The id in the store of an alert by its id in the schema; nil for that of something else.
    static func ownID(_ globalID: String) -> String? {
        NodeID(globalID).flatMap { $0.kind == .alert ? $0.localID : nil }
    }
}

extension AlertObject: GraphQLObject {
    typealias Context = RequestScope

    static let graphQL = ObjectType<AlertObject>("Alert") {
        Field("id") { $0.globalID }
        Field("kind", \.alert.condition.kind)
        Field("symbol", \.alert.condition.symbol)
        Field(
            "instrument",
            load: { alerts, scope in
                InstrumentService(scope).instruments(of: alerts.map(\.alert.condition.symbol))
            })
        Field("price", \.alert.condition.price)
        Field("percentage", \.alert.condition.percent)
        Field(
            "order",
            load: { alerts, scope in
                .each(alerts) { alert -> MaybeAsync<ConnectedOrder?> in
                    guard case .orderState(let id, _) = alert.alert.condition else { return .ready(nil) }
                    return OrderService(scope).orderIfAny(id)
                }
            })
        Field("orderStates", \.alert.condition.orderStates)
        Field("goal", load: { alerts, scope in try AlertService(scope).goals(of: alerts) })
        Field("connection", load: { alerts, scope in .ready(AlertService(scope).connections(of: alerts)) })
        Field("label", \.alert.label)
        Field("state", \.alert.state)
        Field("rearmAfter", \.alert.rearmAfter)
        Field("armedAt", \.alert.armedAt)
        Field("firedCount", \.alert.firedCount)
        Field("lastFiredAt", \.alert.lastFiredAt)
        Field("lastFiring", load: { alerts, scope in try AlertService(scope).lastFirings(of: alerts) })
        Field(
            "firings", PageArguments.self,
            load: { alerts, arguments, scope in
                .each(alerts) { try AlertService(scope).alertFirings(of: $0.alert.id, arguments) }
            })
        Field("createdAt", \.alert.createdAt)
        Field("updatedAt", \.alert.updatedAt)
    }
}

/// `AlertFiring` of the schema.
struct AlertFiringObject: Sendable {
    let firing: AlertFiring

    init(_ firing: AlertFiring) {
        self.firing = firing
    }

    /// The `id` that the schema gives it.
    var globalID: String { NodeID(.alertFiring, firing.id).text }
}

extension AlertFiringObject: GraphQLObject {
    typealias Context = RequestScope

    static let graphQL = ObjectType<AlertFiringObject>("AlertFiring") {
        Field("id") { $0.globalID }
        Field(
            "alert",
            load: { firings, scope in
                try AlertService(scope).alerts(withIDs: firings.map(\.firing.alert)).map { alerts in
                    alerts.map { .success($0) }
                }
            })
        Field("kind", \.firing.condition.kind)
        Field("symbol", \.firing.condition.symbol)
        Field("price", \.firing.condition.price)
        Field("percentage", \.firing.condition.percent)
        Field("label", \.firing.label)
        Field("value", \.firing.value)
        Field("orderState", \.firing.orderState)
        Field("asOf", \.firing.asOf)
        Field("firedAt", \.firing.firedAt)
    }
}

extension AlertCondition.Kind: GraphQLEnum {
    package static var graphQLName: String { "AlertKind" }
}

extension StoredAlert.State: GraphQLEnum {
    package static var graphQLName: String { "AlertState" }
}
