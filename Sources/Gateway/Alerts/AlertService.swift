import Brokerage
import GraphQL
import PorticoCore
import Storage

/// A user's alerts and their firings.
package struct AlertService: Sendable {
    let scope: RequestScope
    let store: AlertStore
    let events: AlertEvents
}

extension AlertService {
    package init(_ scope: RequestScope) {
        self.init(
            scope: scope, store: scope.services.userData.alerts, events: scope.services.subscriptions.alerts)
    }

    /// The alerts of the user with some ids of the store, in the order of the ids; nil for one that does not exist.
    func alerts(withIDs ids: [String]) throws -> MaybeAsync<[AlertObject?]> {
        let owner = try scope.owner()
        return .async { [self] in
            let alerts = try await store.alerts(ids, of: owner)
            let byID = Dictionary(alerts.map { ($0.id, $0) }) { first, _ in first }
            return ids.map { byID[$0].map(AlertObject.init) }
        }
    }

    /// The firings of the user with some ids of the store, in the order of the ids; nil for one that does not exist.
    func alertFirings(withIDs ids: [String]) throws -> MaybeAsync<[AlertFiringObject?]> {
        let owner = try scope.owner()
        return .async { [self] in
            let firings = try await store.firings(ids, of: owner)
            let byID = Dictionary(firings.map { ($0.id, $0) }) { first, _ in first }
            return ids.map { byID[$0].map(AlertFiringObject.init) }
        }
    }

    /// The last firing of each alert; nil for one that has not fired.
    func lastFirings(
        of alerts: [AlertObject]
    ) throws -> MaybeAsync<[Result<AlertFiringObject?, any Error>]> {
        let ids = alerts.compactMap(\.alert.lastFiring)
        if ids.isEmpty { return .ready(alerts.map { _ in .success(nil) }) }
        return try alertFirings(withIDs: ids).map { firings in
            let byID = Dictionary(firings.compactMap { $0 }.map { ($0.firing.id, $0) }) { first, _ in first }
            return alerts.map { alert in .success(alert.alert.lastFiring.flatMap { byID[$0] }) }
        }
    }

    /// The goal of each alert; nil for one of something else, and for a goal that was deleted.
    func goals(of alerts: [AlertObject]) throws -> MaybeAsync<[Result<GoalObject?, any Error>]> {
        let ids = alerts.map { alert -> String? in
            guard case .goalReached(let goal) = alert.alert.condition else { return nil }
            return goal
        }
        if ids.allSatisfy({ $0 == nil }) { return .ready(ids.map { _ in .success(nil) }) }
        return try GoalService(scope).goals().map { goals in
            ids.map { id in .success(goals?.first { $0.goal.id == id }) }
        }
    }

    /// The connection of each alert; nil for one of something else, and for a connection that was deleted.
    func connections(of alerts: [AlertObject]) -> [Result<ProviderConnection?, any Error>] {
        let links = ConnectionDirectory(scope).own
        return alerts.map { alert in
            guard case .connectionNeedsRenewal(let id) = alert.alert.condition else { return .success(nil) }
            return .success(links.first { $0.id == id })
        }
    }

    /// All alerts of the user first, then each that is created, changes or fires.
    func liveAlerts() throws -> ConflatingStream<String, LiveValue<AlertObject>> {
        let owner = try scope.owner()
        return ConflatingStream { [store, events] subscriber in
            await events.publish(of: owner, to: subscriber) { send in
                do throws(StorageError) {
                    for alert in try await store.alerts(of: owner, after: nil, limit: store.limits.alerts) {
                        send(alert)
                    }
                } catch {
                    subscriber.yield(.failure(error), for: "")
                }
            }
        }
    }
}
