import Brokerage
import PorticoCore
package import Storage
import Synchronization
import Upstream

/// Follows the orders of the journal to their end, without a client.
///
/// A connection with an open order is followed by the subscription that clients also use: by its broker's stream, which
/// is shared with them, else by polling. Connections above the limit are checked at an interval. Orders that have ended
/// while no process ran are found by the first check.
package final class OrderFollowing: Sendable {
    package struct Settings: Sendable {
        /// The maximum number of connections that are followed at a time, each by a stream.
        package var maximumConnections = 256
        /// The maximum number of other connections that are checked at a time.
        package var maximumChecks = 8
        /// The interval at which the journal is searched for connections, and at which each connection is checked, also
        /// if its stream reports nothing.
        package var interval = Duration.seconds(300)
        /// The pause after the journal could not be read.
        package var pause = Duration.seconds(5)
        /// The longest time of a check.
        package var timeout = Duration.seconds(30)

        package init() {}
    }

    private typealias Followed = OrderJournal.FollowedConnection

    private let services: GatewayServices
    private var signal: FollowedConnections { services.userData.orders.followedConnections }
    private let clock = TimeSource.system
    private let settings: Settings
    // Held for a few look-ups.
    private let running = Mutex(Running())

    private struct Running {
        /// Whether the other connections are being checked.
        var isChecking = false
        /// The time of the next check of the other connections.
        var nextCheck: ContinuousClock.Instant?
    }

    package init(_ services: GatewayServices, settings: Settings = Settings()) {
        (self.services, self.settings) = (services, settings)
    }

    /// The number of connections that are followed.
    package var count: Int { signal.count }

    /// Follows orders until the task is cancelled.
    ///
    /// - Parameter report: Called if the journal cannot be read; it is read again.
    package func run(reporting report: @escaping @Sendable (StorageError) -> Void) async {
        let orders = services.userData.orders
        await withDiscardingTaskGroup { group in
            while !Task.isCancelled {
                var pause = settings.interval
                do throws(StorageError) {
                    let connections = try await orders.journal.followedConnections()
                    begin(connections.filter { broker(of: $0) != nil }, in: &group)
                } catch {
                    // GRDB throws from a read whose task is cancelled.
                    if Task.isCancelled { break }
                    report(error)
                    pause = settings.pause
                }
                let end = clock.now() + pause
                await signal.waitOrCancel { [clock] in try? await clock.sleep(end) }
            }
        }
    }

    /// Starts the tasks of connections: those with the newest orders are followed, the others are checked once.
    private func begin(_ connections: [Followed], in group: inout DiscardingTaskGroup) {
        let now = clock.now()
        let (followed, others) = signal.follow(connections, atMost: settings.maximumConnections)
        let checked = running.withLock { running in
            guard !others.isEmpty, !running.isChecking, running.nextCheck.map({ $0 <= now }) ?? true else {
                return [Followed]()
            }
            (running.isChecking, running.nextCheck) = (true, now + settings.interval)
            return others
        }
        for connection in followed {
            group.addTask { [self] in
                await follow(connection)
                // An order may have been placed since the last look; another connection may be followed now.
                signal.end(connection)
            }
        }
        if checked.isEmpty { return }
        group.addTask { [self] in
            await check(checked)
            running.withLock { $0.isChecking = false }
        }
    }

    /// Checks connections once, some at a time.
    private func check(_ connections: [Followed]) async {
        await withDiscardingTaskGroup { group in
            let width = max(1, settings.maximumChecks)
            for start in 0..<min(width, connections.count) {
                group.addTask { [self] in
                    for index in stride(from: start, to: connections.count, by: width) where !Task.isCancelled
                    {
                        _ = await hasOpenOrders(connections[index])
                    }
                }
            }
        }
    }

    private func broker(of followed: Followed) -> BrokerConnection? {
        services.connections(of: followed.owner, with: nil).first {
            $0.id == followed.connection && $0.orders != nil
        }
    }

    private func scope(of followed: Followed) -> RequestScope {
        let now = clock.now()
        return RequestScope(
            session: Session(owner: followed.owner, scopes: [.read]), services: services,
            call: CallContext(deadline: now + settings.timeout, notBefore: now))
    }

    /// Records the present states of the orders of a connection.
    ///
    /// - Returns: Whether one of them may not have ended.
    private func hasOpenOrders(_ followed: Followed) async -> Bool {
        guard let connection = broker(of: followed) else { return false }
        return (try? await OrderService(scope(of: followed)).settleOrders(of: connection)) ?? true
    }

    /// Follows the orders of a connection until they have ended, or the connection is removed.
    private func follow(_ followed: Followed) async {
        // Most market orders have ended by then, and need no stream.
        guard await hasOpenOrders(followed), let connection = broker(of: followed) else { return }
        let subscription = SubscriptionService(scope(of: followed)).orderSubscription(to: connection)
        subscription.isFollowed = true
        defer { subscription.isFollowed = false }
        await withTaskGroup(of: Void.self) { group in
            group.addTask { [self] in
                for await orders in subscription.orders.values() {
                    // If an order of the journal has not ended, the journal need not be read for each change.
                    let known = (try? orders.get()) ?? []
                    if known.contains(where: { $0.connectedOrder.isInJournal && !$0.hasEnded }) { continue }
                    guard await remains(followed) else { return }
                }
            }
            group.addTask { [self] in
                while (try? await clock.sleep(clock.now() + settings.interval)) != nil {
                    guard await hasOpenOrders(followed) else { return }
                }
            }
            _ = await group.next()
            group.cancelAll()
        }
    }

    /// Whether an order of a connection has not ended, as far as the journal knows.
    private func remains(_ followed: Followed) async -> Bool {
        let journal = services.userData.orders.journal
        do throws(StorageError) {
            return try await !journal.followedOrders(of: followed.owner, followed.connection, limit: 1)
                .isEmpty
        } catch {
            return true
        }
    }
}

/// The connections that ``OrderFollowing`` follows, and the signal that there may be others.
final class FollowedConnections: Sendable {
    private let signal = WakeSignal()
    // Held for look-ups in a small set.
    private let followed = Mutex<Set<OrderJournal.FollowedConnection>>([])

    var count: Int { followed.withLock(\.count) }

    /// Reports that an order of a connection may not have ended.
    ///
    /// Nothing is to be done if the connection is followed: its task reports its end, and the journal is read then.
    func send(for owner: OwnerID, _ connection: String) {
        let key = OrderJournal.FollowedConnection(owner: owner, connection: connection)
        if !followed.withLock({ $0.contains(key) }) { signal.send() }
    }

    /// Waits for a report, or until `timeout` returns.
    func waitOrCancel(_ timeout: @escaping @Sendable () async -> Void) async {
        await signal.waitOrCancel(timeout: timeout)
    }

    /// Adds the first connections that are not followed, up to a number of followed ones.
    ///
    /// - Returns: The added ones, and those for which there was no place.
    func follow(
        _ connections: [OrderJournal.FollowedConnection], atMost maximum: Int
    ) -> (added: [OrderJournal.FollowedConnection], others: [OrderJournal.FollowedConnection]) {
        followed.withLock { followed in
            let new = connections.filter { !followed.contains($0) }
            let count = max(0, maximum - followed.count)
            followed.formUnion(new.prefix(count))
            return (Array(new.prefix(count)), Array(new.dropFirst(count)))
        }
    }

    /// Removes a connection whose task has ended, and reports it.
    func end(_ connection: OrderJournal.FollowedConnection) {
        followed.withLock { _ = $0.remove(connection) }
        signal.send()
    }
}
