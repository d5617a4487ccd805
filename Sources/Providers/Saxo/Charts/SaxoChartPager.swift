import Brokerage
import Upstream

/// Collects a series from pages that go back in time.
///
/// A page ends at a time that is asked for, which is in it: so each page but the first begins its overlap with what the one
/// before ended with. Nothing here calls anybody; it says what to ask for next.
struct SaxoChartPager {
    /// What to ask for.
    struct Query: Hashable {
        var count: Int
        /// The latest sample is at this time or before; nil for now.
        var upTo: Instant?
    }

    private(set) var samples: [SaxoChart.Sample] = []
    /// There are older ones in the window than were collected.
    private(set) var hasOlder = false
    private let window: ChartWindow
    private let requestedCount: Int
    private var currentQuery: Query
    private var version: Int?

    /// What happened to a page.
    enum Outcome: Hashable {
        case next(Query)
        case complete
        /// The series changed since the page before: what was collected is worth nothing.
        case changed
    }

    /// As many as Saxo gives at once.
    static let maximumSamples = 1_200

    init(_ window: ChartWindow) {
        self.window = window
        requestedCount = window.maximumCandles
        // One more than wanted tells whether there are older ones, and one for the end, which is not in the window.
        let spare = window.to == nil ? 1 : 2
        currentQuery = Query(count: min(requestedCount + spare, Self.maximumSamples), upTo: window.to)
    }

    /// Nil where nothing is wanted.
    var first: Query? { requestedCount > 0 ? currentQuery : nil }

    mutating func receive(_ page: SaxoChart) -> Outcome {
        if let version, let newer = page.version, version != newer { return .changed }
        version = version ?? page.version
        let oldest = samples.first?.time
        let fresh = page.samples.filter { sample in
            window.to.map { sample.time < $0 } ?? true && oldest.map { sample.time < $0 } ?? true
        }
        let inside = fresh.filter { sample in window.from.map { sample.time >= $0 } ?? true }
        samples = inside + samples
        if samples.count > requestedCount {
            samples.removeFirst(samples.count - requestedCount)
            hasOlder = true
            return .complete
        }
        // Older than the window, the last that there are, or a page that brought nothing new.
        guard inside.count == fresh.count, page.samples.count >= currentQuery.count,
            let start = fresh.first?.time
        else {
            return .complete
        }
        if samples.count == requestedCount, window.from == nil, let first = page.firstSampleTime {
            hasOlder = first < start
            return .complete
        }
        // One that is known already, and one more than is missing.
        currentQuery = Query(count: min(requestedCount - samples.count + 2, Self.maximumSamples), upTo: start)
        return .next(currentQuery)
    }
}
