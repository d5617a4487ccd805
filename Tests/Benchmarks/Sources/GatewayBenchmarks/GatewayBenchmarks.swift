import Foundation

/// Measures what lies between the engine and the providers: `GatewayBenchmarks`.
@main
struct GatewayBenchmarks {
    static func main() async throws {
        try await charts()
    }

    private static func charts() async throws {
        print("A chart of \(ChartWriting.candles) candles, read before: written at")
        let writing = try ChartWriting()
        for form in ChartWriting.forms {
            let bytes = try await writing.response(form.fields).count
            let seconds = try await median(of: 51) { _ = try await writing.response(form.fields) }
            let speed = Double(bytes) / seconds / 1e6
            print("  \(form.name): \(bytes) bytes, \(Int(speed)) MB/s")
        }
    }

    /// The median of some runs, in seconds of the processor's time.
    static func median(of runs: Int, _ work: () async throws -> Void) async rethrows -> Double {
        var times: [Double] = []
        for _ in 0..<runs {
            let start = processorTime()
            try await work()
            times.append(processorTime() - start)
        }
        return times.sorted()[runs / 2]
    }

    private static func processorTime() -> Double {
        var time = timespec()
        unsafe clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
