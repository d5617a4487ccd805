import Logging
import PorticoCore
import ServiceLifecycle
import Upstream
import Web

/// Reports once a minute that values were removed from caches while they were fresh.
struct CacheReportService: Service {
    let memory: CacheMemory
    let logger: Logger

    private static let interval = Duration.seconds(60)

    func run() async throws {
        await cancelWhenGracefulShutdown {
            var last = memory.statistics
            while (try? await Task.sleep(for: Self.interval)) != nil {
                let now = memory.statistics
                if let message = Self.message(from: last, to: now) { logger.warning("\(message)") }
                last = now
            }
        }
    }

    /// The report of the evictions between two times; nil if there was none.
    static func message(from last: [CacheStatistics], to now: [CacheStatistics]) -> String? {
        let evictions = zip(last, now).map { ($1.name, $1.freshEvictions - $0.freshEvictions) }
            .filter { $0.1 > 0 }
        guard !evictions.isEmpty else { return nil }
        let list = evictions.map { "\($0.0) \($0.1)" }.joined(separator: ", ")
        return """
            Values were removed from memory in the last minute while they were fresh, and may have been read again: \(list). \
            If they are users' own values, raise \(Settings.limits.cacheMemory.variable).
            """
    }
}

extension CacheUse {
    init(_ statistics: CacheStatistics) {
        self.init(
            name: statistics.name,
            figures: [
                ("entries", statistics.entries), ("bytes", statistics.bytes), ("hits", statistics.hits),
                ("stores", statistics.stores), ("evictions", statistics.evictions),
                ("freshEvictions", statistics.freshEvictions),
            ])
    }
}

extension MetricFamily {
    /// The use of the caches of values from providers.
    static func caches(_ memory: CacheMemory) -> [MetricFamily] {
        let caches = memory.statistics
        func family(
            _ name: String, _ kind: Kind, _ help: String, _ figure: (CacheStatistics) -> Int
        ) -> MetricFamily {
            MetricFamily(
                name, kind, help,
                caches.map { Sample(Double(figure($0)), labels: [Label("cache", $0.name)]) })
        }
        return [
            family(
                "portico_cache_bytes", .gauge, "Approximate memory of the values in a cache.", \.bytes),
            family("portico_cache_entries", .gauge, "Values in a cache.", \.entries),
            family(
                "portico_cache_hits_total", .counter, "Values that were returned from a cache.", \.hits),
            family(
                "portico_cache_stores_total", .counter, "Values that were read and stored.", \.stores),
            family(
                "portico_cache_evictions_total", .counter,
                "Values that were removed because the memory was full.",
                \.evictions),
            family(
                "portico_cache_fresh_evictions_total", .counter,
                "Values that were removed while they were fresh, because the memory was full.",
                \.freshEvictions),
        ]
    }
}
