import Brokerage
import Coordination
import PorticoCore
package import Storage
import Synchronization
import Upstream

/// Evaluates the active alerts of all users: those in the database at the start, and those that are created meanwhile.
package final class AlertEvaluation: Sendable {
    package struct Settings: Sendable {
        /// The interval at which goals are read; their values depend on positions, which no stream reports.
        package var goalInterval = Duration.seconds(60)
        /// The interval at which the states of connections are examined, without a call.
        package var connectionInterval = Duration.seconds(5)
        /// The pause before an order is looked for again.
        package var retryInterval = Duration.seconds(30)
        /// The pause before a symbol without a source is looked for again.
        package var maximumPause = Duration.seconds(300)
        /// The longest time of a read.
        package var timeout = Duration.seconds(10)

        package init() {}
    }

    private let services: GatewayServices
    /// The clock of pauses and of the times of firings.
    private let clock = TimeSource.system
    private let settings: Settings
    // Users whose alerts are evaluated, each by one task; held for a look-up.
    private let running = Mutex<[OwnerID: UserAlertEvaluation]>([:])

    /// - Parameters:
    ///   - services: The services of the schema.
    ///   - settings: The intervals.
    package init(_ services: GatewayServices, settings: Settings = Settings()) {
        (self.services, self.settings) = (services, settings)
        services.userData.authentication.sessions.deletions.register(
            owners: { [weak self] in self?.running.withLock { Array($0.keys) } ?? [] },
            // The alerts of the user are gone, so that its evaluation ends.
            release: { [events = services.subscriptions.alerts] in events.alertsChanged(of: $0) })
    }

    private var events: AlertEvents { services.subscriptions.alerts }

    /// The number of users whose alerts are evaluated.
    package var userCount: Int { running.withLock(\.count) }

    /// Evaluates alerts until the task is cancelled.
    ///
    /// First it applies the changes of other processes: after a start, or after this process was stopped, connections in memory
    /// are older than the alerts in the database.
    ///
    /// - Parameter report: Called if changes or alerts cannot be read or a firing cannot be stored; all are tried again.
    package func run(reporting report: @escaping @Sendable (StorageError) -> Void) async {
        do throws(StorageError) {
            try await services.userData.authentication.changes.follow()
        } catch {
            if !Task.isCancelled { report(error) }
        }
        await withDiscardingTaskGroup { group in
            var isLoaded = false
            var failures = 0
            while !Task.isCancelled {
                var (owners, moved, rerouted) = events.drainChanged()
                do throws(StorageError) {
                    if !isLoaded { owners.formUnion(try await services.userData.alerts.ownersOfActive()) }
                    isLoaded = true
                } catch {
                    // GRDB throws from a read whose task is cancelled.
                    if Task.isCancelled { break }
                    report(error)
                    failures += 1
                }
                for owner in owners { evaluate(owner, in: &group, reporting: report) }
                for owner in moved { running.withLock { $0[owner] }?.refresh() }
                for owner in rerouted { running.withLock { $0[owner] }?.sourcesChanged() }
                let pause = isLoaded ? settings.maximumPause : RetryPolicy.streams.pause(after: failures)
                let end = clock.now() + pause
                await events.evaluationSignal.waitOrCancel { [clock] in try? await clock.sleep(end) }
            }
        }
    }

    /// Evaluates the alerts of a user, who may have none, or lets the present evaluation read them again.
    private func evaluate(
        _ owner: OwnerID, in group: inout DiscardingTaskGroup,
        reporting report: @escaping @Sendable (StorageError) -> Void
    ) {
        let new: UserAlertEvaluation? = running.withLock { running in
            if let known = running[owner] {
                known.reload()
                return nil
            }
            let evaluation = UserAlertEvaluation(
                of: owner, services, clock: clock, settings: settings, reporting: report)
            running[owner] = evaluation
            return evaluation
        }
        guard let new else { return }
        group.addTask { [self] in
            await new.run {
                running.withLock { running in
                    // A change that arrives later begins another evaluation.
                    guard new.isIdle else { return false }
                    running[owner] = nil
                    return true
                }
            }
            running.withLock { running in
                if running[owner] === new { running[owner] = nil }
            }
        }
    }
}
