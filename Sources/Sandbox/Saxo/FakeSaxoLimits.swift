import Brokerage
import Synchronization

/// The used limits of each session.
///
/// They are requests per minute and service group, requests per day of the whole app, orders per second. It
/// uses a lock: requests arrive concurrently, and each must be counted in one step.
final class FakeSaxoLimits: Resettable {
    private let settings: FakeSaxoSettings
    private let windows = Mutex<[Dimension: Window]>([:])

    /// Users and service groups are bounded, and therefore the keys too.
    private struct Dimension: Hashable {
        let name: String
        let user: String
        let group: String
        let seconds: Int
        let limit: Int
    }

    private struct Window {
        var index: Int
        var used: Int
    }

    /// The values of the rate limit headers of a response.
    struct Usage: Sendable {
        var isExceeded = false
        var headers: [(name: String, value: String)] = []
    }

    init(_ settings: FakeSaxoSettings) {
        self.settings = settings
    }

    /// Counts one request, unless a limit is reached; then no limit changes.
    func consume(for user: String, group: String, isOrder: Bool, at now: Instant) -> Usage {
        var dimensions = [
            Dimension(
                name: "Session", user: user, group: group, seconds: 60, limit: settings.requestsPerMinute),
            Dimension(name: "AppDay", user: "", group: "", seconds: 86_400, limit: 10_000_000),
        ]
        if isOrder, let limit = settings.ordersPerSecond {
            dimensions.append(
                Dimension(name: "SessionOrders", user: user, group: "", seconds: 1, limit: limit))
        }
        let second = Int(now.secondsSince1970)
        return windows.withLock { windows in
            var usage = Usage()
            for dimension in dimensions {
                let index = second / dimension.seconds
                if windows[dimension]?.index != index { windows[dimension] = Window(index: index, used: 0) }
                if (windows[dimension]?.used ?? 0) >= dimension.limit { usage.isExceeded = true }
            }
            for dimension in dimensions {
                if !usage.isExceeded { windows[dimension]?.used += 1 }
                let name = "X-RateLimit-\(dimension.name)"
                let used = windows[dimension]?.used ?? 0
                // A started second has less than one second left: 0.
                let reset =
                    dimension.seconds == 1 ? 0 : dimension.seconds - second % dimension.seconds
                usage.headers += [
                    ("\(name)-Limit", String(dimension.limit)),
                    ("\(name)-Remaining", String(max(0, dimension.limit - used))),
                    ("\(name)-Reset", String(reset)),
                ]
            }
            return usage
        }
    }

    func reset() {
        windows.withLock { $0 = [:] }
    }
}
