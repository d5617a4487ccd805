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
    private let wanted: Int
    private var asked: Query
    private var version: Int?

    /// What happened to a page.
    enum Outcome: Hashable {
        case next(Query)
        case complete
        /// The series changed since the page before: what was collected is worth nothing.
        case changed
    }

    /// As many as Saxo gives at once.
    static let mostSamples = 1_200

    init(_ window: ChartWindow) {
        self.window = window
        wanted = window.mostCandles
        // One more than wanted tells whether there are older ones, and one for the end, which is not in the window.
        let spare = window.to == nil ? 1 : 2
        asked = Query(count: min(wanted + spare, Self.mostSamples), upTo: window.to)
    }

    /// Nil where nothing is wanted.
    var first: Query? { wanted > 0 ? asked : nil }

    mutating func take(_ page: SaxoChart) -> Outcome {
        if let version, let newer = page.version, version != newer { return .changed }
        version = version ?? page.version
        let oldest = samples.first?.time
        let fresh = page.samples.filter { sample in
            window.to.map { sample.time < $0 } ?? true && oldest.map { sample.time < $0 } ?? true
        }
        let inside = fresh.filter { sample in window.from.map { sample.time >= $0 } ?? true }
        samples = inside + samples
        if samples.count > wanted {
            samples.removeFirst(samples.count - wanted)
            hasOlder = true
            return .complete
        }
        // Older than the window, the last that there are, or a page that brought nothing new.
        guard inside.count == fresh.count, page.samples.count >= asked.count, let start = fresh.first?.time
        else {
            return .complete
        }
        if samples.count == wanted, window.from == nil, let first = page.firstSampleTime {
            hasOlder = first < start
            return .complete
        }
        // One that is known already, and one more than is missing.
        asked = Query(count: min(wanted - samples.count + 2, Self.mostSamples), upTo: start)
        return .next(asked)
    }
}
