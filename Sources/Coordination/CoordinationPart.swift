package import Brokerage
package import Storage
package import Upstream

/// A part of what processes share: its regular work, and what operators see of it.
package protocol CoordinationPart: Sendable {
    /// The states of the servers that only this part uses, for `/health/ready`.
    var states: [PartState] { get }
    var metrics: [PartMetric] { get }

    /// Reports what this process holds, and reads what others have changed; it is called every few seconds
    /// (``LeaseTimes/renewal``).
    func refresh() async throws(StorageError)

    /// Deletes what ended long ago; it is called each minute.
    func deleteOld() async throws(StorageError)
}

/// Parts of one process have no such work.
extension CoordinationPart {
    package var states: [PartState] { [] }
    package var metrics: [PartMetric] { [] }
    package func refresh() async throws(StorageError) {}
    package func deleteOld() async throws(StorageError) {}
}

// MARK: The parts without types of their own

/// The counts of calls to providers, which all processes with the same credentials share.
///
/// ``QuotaLimiter`` has the contract. It is declared in Upstream, where calls are made.
package protocol Quotas: QuotaLimiter, CoordinationPart {}

extension QuotaLedger: Quotas {}

/// The stored public values of providers, so that a process does not request a value that another one has, or that an
/// earlier process had.
///
/// - Private values have no key (``PersistentCacheKey``), and values of simulated providers are never used as those of others.
/// - While one process requests a value, others wait for it, but not long: ``RedisCache/Limits/wait``.
/// - Without Redis, or without the file, each process requests its values from providers, within the quotas.
package protocol SharedCache: CoordinationPart {
    /// The cache of the providers in their environments; nil if values are only in memory.
    func cache(of environments: [String]) -> (any PersistentCache)?
}

/// The rates of clients over all processes.
///
/// Each process decides alone about each request, and adds what clients have spent a few times a second. A client that uses
/// all processes may exceed its rate by what it spends in one interval.
///
/// Without Redis, each process applies its part of the rates, by the number of processes that was known last.
package protocol RateLimits: CoordinationPart {
    /// The number of processes that was known last, with this one.
    var processes: Int { get }

    /// Adds what clients have spent since the last call.
    ///
    /// - Parameter spent: For each client, by its name, the time by which it is ahead of its rate.
    /// - Returns: The time from now until each rate is available again as a whole, by the names of the clients; nil if the
    ///   amounts were not added, or perhaps not: they are not added again, because clients would pay twice.
    func add(_ spent: [String: Duration]) async -> [String: Duration]?
}

/// The streams of prices with the server's own credentials.
///
/// - One process has the connection of a stream, because providers accept one for each credential; all processes get its
///   prices, of the symbols that any of them wants.
/// - After the loss of the connected process, another one is connected within 20 s; meanwhile prices are polled.
/// - Without Redis, prices are polled. Without the database, the connected process continues until another one is connected.
package protocol PriceStreams: CoordinationPart {
    /// The stream of a provider that all processes share.
    func shared(
        _ stream: any QuoteStream, of provider: ProviderID, in environment: Environment
    ) -> any QuoteStream
}

/// This process among those that use one database.
///
/// - Each start of a process has an id that is never used again: the writes of orders and the leases contain it.
/// - A process that has not reported for ``ReplicaTable/lifetime`` counts as ended, also if it is only stopped: others take
///   over its writes, and it finds that they are no longer its own.
/// - Without the database, no process counts as ended to the others, because none can take over.
package protocol Membership: CoordinationPart {
    /// The id of this process; nil if there are no others.
    var id: String? { get }

    /// The number of processes, with this one, at the last ``CoordinationPart/refresh()``.
    var liveCount: Int { get }

    /// Whether the last successful report of this process is younger than ``ReplicaTable/lifetime``.
    ///
    /// If not, processes that can write to the database take over its work.
    var hasRecentReport: Bool { get }

    /// The time by which the clock of this process was ahead of that of the database at the last report, less than 0 if it was
    /// behind.
    ///
    /// It is 0 if the difference is not larger than the duration of the report.
    var clockDifference: Duration { get }

    /// Reports that this process has ended: others need not wait to take over its work.
    func leave() async throws(StorageError)
}

// MARK: For operators

/// The state of a server behind a part.
package struct PartState: Hashable, Sendable {
    package let name: String
    /// Nil before the first response.
    package let isUp: Bool?
    /// For people; no secrets and no addresses, because the public port shows it.
    package let detail: String?
}

/// A figure of a part.
package struct PartMetric: Hashable, Sendable {
    package let name: String
    package let isCounter: Bool
    /// One sentence.
    package let help: String
    package let value: Int

    static func gauge(_ name: String, _ help: String, _ value: Int) -> PartMetric {
        PartMetric(name: "portico_" + name, isCounter: false, help: help, value: value)
    }

    static func counter(_ name: String, _ help: String, _ value: Int) -> PartMetric {
        PartMetric(name: "portico_" + name, isCounter: true, help: help, value: value)
    }
}
