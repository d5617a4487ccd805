import Coordination
import Logging
import Redis
import ServiceLifecycle
import Storage
import Web

/// Reports this process to the others that use the database, until a graceful shutdown.
///
/// It stops after all services that write orders or hold leases.
struct ReplicaService: Service {
    let coordination: Coordination
    let logger: Logger

    /// The time between two deletions of leases and counts that ended long ago.
    private static let tidyingInterval = Duration.seconds(60)

    func run() async throws {
        await cancelWhenGracefulShutdown {
            async let tidying: Void = tidy()
            await report()
            await tidying
        }
        // Others take over its work at once; otherwise they do it when its last report is too old.
        try? await coordination.membership.leave()
    }

    /// The largest difference between the clocks of this machine and the database that is not logged.
    ///
    /// Sessions and tokens end by the clock of this machine. Synchronized clocks differ by less than a second.
    private static let clockTolerance = Duration.seconds(5)

    private func report() async {
        var (isReported, count, hasWrongClock) = (false, 0, false)
        while !Task.isCancelled {
            do {
                try await coordination.refresh()
                isReported = false
                let current = coordination.membership.liveCount
                if current != count {
                    let replicas = current == 1 ? "1 replica uses" : "\(current) replicas use"
                    logger.notice("\(replicas) the database.")
                }
                count = current
                hasWrongClock = reportClock(wasWrong: hasWrongClock)
            } catch {
                if !isReported { logger.error("This replica cannot report to the others. \(error)") }
                isReported = true
            }
            try? await Task.sleep(for: LeaseTimes().renewal)
        }
    }

    /// Logs when the clocks of this machine and of the database begin or end to differ.
    ///
    /// - Returns: Whether they differ.
    private func reportClock(wasWrong: Bool) -> Bool {
        let difference = coordination.membership.clockDifference
        let seconds = abs(difference.components.seconds)
        let isWrong = seconds >= Self.clockTolerance.components.seconds
        if isWrong, !wasWrong {
            logger.error(
                """
                The clock of this machine is \(seconds) s \(difference > .zero ? "ahead of" : "behind") that of the database. \
                Synchronize both with NTP: sessions and tokens end by the clock of this machine.
                """)
        } else if wasWrong, !isWrong {
            logger.notice("The clocks of this machine and of the database agree again.")
        }
        return isWrong
    }

    private func tidy() async {
        while (try? await Task.sleep(for: Self.tidyingInterval)) != nil {
            do {
                try await coordination.deleteOld()
            } catch {
                logger.warning("Old leases and counts of calls cannot be deleted. \(error)")
            }
        }
    }
}

/// Keeps the connection to Redis; it stops after the services that use it.
struct RedisConnectionService: Service {
    let redis: SharedRedis

    func run() async throws {
        await cancelWhenGracefulShutdown { await redis.run() }
    }
}

/// Reports this replica to the others, and merges the rates of clients with theirs.
struct ReplicaMergeService: Service {
    let redis: SharedRedis
    let rateLimits: any RateLimits
    let clients: ClientRateLimits
    let reachesDatabase: @Sendable () -> Bool

    /// The interval of merges.
    private static let interval = Duration.milliseconds(250)

    func run() async throws {
        await cancelWhenGracefulShutdown {
            async let reports: Void = redis.report(reachesDatabase: reachesDatabase)
            while (try? await Task.sleep(for: Self.interval)) != nil {
                clients.divide(among: await merge() ? 1 : rateLimits.processes)
            }
            await reports
        }
    }

    /// Returns whether the rates are those of all replicas.
    private func merge() async -> Bool {
        var spent: [String: Duration] = [:]
        var clientByName: [String: LimitedClient] = [:]
        for (client, amount) in clients.takeSpent() {
            guard let name = client.name else { continue }
            spent[name] = amount
            clientByName[name] = client
        }
        guard let added = await rateLimits.add(spent) else { return false }
        var debts: [LimitedClient: Duration] = [:]
        for (name, debt) in added {
            guard let client = clientByName[name] else { continue }
            debts[client] = debt
        }
        clients.merge(debts)
        return true
    }
}

extension Coordination {
    var components: [Readiness.Component] {
        states.map { state in
            Readiness.Component(
                state.name, state.isUp.map { $0 ? .up : .down } ?? .unknown, detail: state.detail)
        }
    }

    var families: [MetricFamily] {
        metrics.map { metric in
            MetricFamily(
                metric.name, metric.isCounter ? .counter : .gauge, metric.help,
                [MetricFamily.Sample(Double(metric.value))])
        }
    }
}
