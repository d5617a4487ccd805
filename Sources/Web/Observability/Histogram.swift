import NIOCore

/// How often durations were at most so long.
struct Histogram: Sendable {
    /// In seconds.
    static let bounds = [
        0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60,
    ]

    private var counts = [Int](repeating: 0, count: bounds.count)
    private var count = 0
    private var sum = 0.0

    mutating func record(_ duration: TimeAmount) {
        record(seconds: Double(duration.nanoseconds) / 1e9)
    }

    mutating func record(_ duration: Duration) {
        record(seconds: Double(duration.wholeMicroseconds) / 1e6)
    }

    private mutating func record(seconds: Double) {
        count += 1
        sum += seconds
        if let place = Histogram.bounds.firstIndex(where: { seconds <= $0 }) { counts[place] += 1 }
    }

    /// As Prometheus has histograms: each bucket counts those before it, too.
    func samples(labels: [MetricFamily.Label]) -> [MetricFamily.Sample] {
        var samples: [MetricFamily.Sample] = []
        var total = 0
        func add(_ suffix: String, _ value: Double, _ more: [MetricFamily.Label] = []) {
            var sample = MetricFamily.Sample(value, labels: labels + more)
            sample.suffix = suffix
            samples.append(sample)
        }
        for (bound, count) in zip(Histogram.bounds, counts) {
            total += count
            add("_bucket", Double(total), [MetricFamily.Label("le", "\(bound)")])
        }
        add("_bucket", Double(count), [MetricFamily.Label("le", "+Inf")])
        add("_sum", sum)
        add("_count", Double(count))
        return samples
    }
}
