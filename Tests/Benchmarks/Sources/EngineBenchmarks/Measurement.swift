import Foundation

/// The time of one call, from many.
enum Measurement {
    private static let samples = 101
    private static let sampleLength = 5_000_000.0

    /// The median time of one call in microseconds: of samples of as many calls as last some milliseconds, after as
    /// long a warm-up, as baseline/graphql-js.js takes it.
    static func median(of operation: () throws -> Void) throws -> Double {
        func nanoseconds(of calls: Int) throws -> Double {
            let start = processorTime()
            for _ in 0..<calls { try operation() }
            return processorTime() - start
        }
        var calls = 1
        while try nanoseconds(of: calls) < sampleLength { calls *= 2 }
        for _ in 0..<samples { _ = try nanoseconds(of: calls) }
        return try (0..<samples).map { _ in try nanoseconds(of: calls) / Double(calls) / 1_000 }.median
    }

    /// The time that this process has had the processor, in nanoseconds.
    ///
    /// Nothing here waits, so that on a quiet machine it is the time that passes; on a busy one it leaves out what
    /// other programs take.
    private static func processorTime() -> Double {
        var time = timespec()
        unsafe clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return Double(time.tv_sec) * 1e9 + Double(time.tv_nsec)
    }
}

extension [Double] {
    /// The value in the middle; 0 of none.
    var median: Double {
        isEmpty ? 0 : sorted()[count / 2]
    }
}
