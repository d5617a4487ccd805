import Brokerage
import CMallocCounter

/// Whether ten times the candles cost more allocations than a few: a chart is columnar all the way, and takes none for a
/// candle.
///
/// Counts are exact, so that a machine's load does not touch them.
struct ChartAllocations {
    private static let lengths = [1_000, 10_000]
    /// What the longer one may take more: a buffer that grows by doubling grows four times as often, in its copy too.
    private static let tolerance = 8

    /// - Throws: each way of a chart that allocates for its candles.
    static func check() async throws {
        guard malloc_counter_is_loaded() else {
            throw BenchmarkError(
                "Allocations are not counted: LD_PRELOAD malloc_hook.so (see Scripts/bench.sh).")
        }
        let writing = try ChartWriting()
        var faults: [String] = []
        for form in ChartWriting.forms {
            try await compare("a chart's \(form.name) written", &faults) { candles in
                _ = try await writing.response(form.fields, candles: candles)
            }
        }
        try await compare("a chart built", &faults) { candles in
            guard ChartWriting.series(of: .example, .oneMinute, candles: candles) != nil else {
                throw BenchmarkError("no series")
            }
        }
        guard faults.isEmpty else { throw BenchmarkError(faults.joined(separator: "\n")) }
        print("No chart allocates for its candles.")
    }

    private static func compare(
        _ name: String, _ faults: inout [String], _ work: (_ candles: Int) async throws -> Void
    ) async throws {
        var counts: [Int] = []
        for candles in lengths { counts.append(try await allocations { try await work(candles) }) }
        guard let short = counts.first, let long = counts.last, long > short + tolerance else { return }
        faults.append(
            "\(name): \(short) allocations for \(lengths[0]) candles, \(long) for \(lengths[1]);"
                + " at most \(tolerance) more are allowed")
    }

    /// Allocations of one run, the fewest of several: what another thread or a cache takes now and then is not the chart's.
    static func allocations(of work: () async throws -> Void) async throws -> Int {
        // The first run reads the chart and plans the query.
        for _ in 0..<4 { try await work() }
        var fewest = UInt64.max
        for _ in 0..<16 {
            let before = malloc_counter_read()
            try await work()
            fewest = min(fewest, malloc_counter_read() - before)
        }
        return Int(clamping: fewest)
    }
}
