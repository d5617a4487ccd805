package import Brokerage
package import Storage
package import Upstream

/// A process without others: it holds every name, has its own streams, and its rates are those of all processes.
package struct SoleProcess: Sendable {
    package init() {}

    package var isShared: Bool { false }
}

extension SoleProcess: Leases {
    package func hold(_ name: String, _ work: @escaping @Sendable (_ epoch: Int64) async -> Void) async {
        await work(1)
    }

    package func holdOnce(
        _ name: String, clock: TimeSource, _ work: @escaping @Sendable (_ epoch: Int64) async -> Void
    ) async {
        await work(1)
    }

    package func exclusively<Value>(
        _ name: String, for lifetime: Duration, before deadline: ContinuousClock.Instant,
        _ body: () async throws -> Value
    ) async throws -> Value? {
        try await body()
    }
}

extension SoleProcess: Membership {
    package var id: String? { nil }
    package var liveCount: Int { 1 }
    package var hasRecentReport: Bool { true }
    package var clockDifference: Duration { .zero }

    package func leave() async throws(StorageError) {}
}

extension SoleProcess: PriceStreams {
    package func shared(
        _ stream: any QuoteStream, of provider: ProviderID, in environment: Environment
    ) -> any QuoteStream {
        stream
    }
}

extension SoleProcess: RateLimits {
    package var processes: Int { 1 }

    package func add(_ spent: [String: Duration]) async -> [String: Duration]? { [:] }
}

/// The cache of one process: a file, or none.
package struct LocalCache: SharedCache {
    private let file: SQLitePersistentCache?

    package init(_ file: SQLitePersistentCache?) { self.file = file }

    package func cache(of environments: [String]) -> (any PersistentCache)? { file }
}
