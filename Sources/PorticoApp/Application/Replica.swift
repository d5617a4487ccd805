import Coordination
import Logging
import ServiceLifecycle
import Storage
import Synchronization
import Web

/// This process among those that use one PostgreSQL database.
final class Replica: Sendable {
    let membership: Membership
    let quota: PostgresQuota
    private let leases: LeaseStore
    private let leaseCount = Atomic(0)

    /// Reports the process to the others; it blocks the thread.
    init(in file: UserDatabase, quota: PostgresQuota) throws(StorageError) {
        membership = Membership(in: file, version: Version.current)
        leases = LeaseStore(in: file, of: membership.id)
        self.quota = quota
        try membership.join()
    }

    /// Reports that the process runs, and reads the state that other processes have changed.
    func report() async throws(StorageError) {
        try await membership.report()
        try await quota.refresh()
        leaseCount.store(try await leases.count(), ordering: .relaxed)
    }

    /// Deletes leases and counts that ended long ago.
    func tidy() async throws(StorageError) {
        try await leases.deleteOld()
        try await quota.deleteOld()
    }

    var families: [MetricFamily] {
        [
            MetricFamily(
                "portico_replicas", .gauge, "Processes that use the database, with this one.",
                [MetricFamily.Sample(Double(membership.liveCount))]),
            MetricFamily(
                "portico_leases", .gauge, "Leases that this process holds.",
                [MetricFamily.Sample(Double(leaseCount.load(ordering: .relaxed)))]),
        ]
    }
}

/// Reports this process to the others that use the database, until a graceful shutdown.
///
/// It stops after all services that write orders or hold leases.
struct ReplicaService: Service {
    let replica: Replica
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
        try? await replica.membership.leave()
    }

    private func report() async {
        var (isReported, count) = (false, 0)
        while !Task.isCancelled {
            do {
                try await replica.report()
                isReported = false
                let current = replica.membership.liveCount
                if current != count {
                    let replicas = current == 1 ? "1 replica uses" : "\(current) replicas use"
                    logger.notice("\(replicas) the database.")
                }
                count = current
            } catch {
                if !isReported { logger.error("This replica cannot report to the others. \(error)") }
                isReported = true
            }
            try? await Task.sleep(for: Membership.interval)
        }
    }

    private func tidy() async {
        while (try? await Task.sleep(for: Self.tidyingInterval)) != nil {
            do {
                try await replica.tidy()
            } catch {
                logger.warning("Old leases and counts of calls cannot be deleted. \(error)")
            }
        }
    }
}

// Logs name the service.
extension ReplicaService: CustomStringConvertible {
    var description: String { "Replica" }
}
