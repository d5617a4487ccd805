import Synchronization

/// Requests of a credential in the running minute; the window begins with the minute of the clock.
///
/// A lock, because taking one request from what is left is one step, and requests come from many tasks at
/// once.
final class MinuteRateLimiter: Resettable {
    private let limit: Int
    private let windows = Mutex<[String: Window]>([:])

    private struct Window {
        var minute: Int
        var used: Int
    }

    /// What the headers of a response tell.
    struct Usage: Sendable, Hashable {
        let limit: Int
        let remaining: Int
        /// When all is there again, in seconds since 1970.
        let reset: Int
        let isExceeded: Bool
    }

    init(requestsPerMinute limit: Int) {
        self.limit = limit
    }

    /// Takes one request of a user.
    ///
    /// The users are those of the configuration, so their windows are bounded.
    func consume(for user: String, at second: Int) -> Usage {
        windows.withLock { windows in
            let minute = second / 60
            var window = windows[user] ?? Window(minute: minute, used: 0)
            if window.minute != minute { window = Window(minute: minute, used: 0) }
            let isExceeded = window.used >= limit
            if !isExceeded { window.used += 1 }
            windows[user] = window
            return Usage(
                limit: limit, remaining: limit - window.used, reset: (minute + 1) * 60, isExceeded: isExceeded
            )
        }
    }

    func reset() {
        windows.withLock { $0 = [:] }
    }
}
