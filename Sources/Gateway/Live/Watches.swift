import Brokerage
import Synchronization
import Upstream

/// What users watch of their connections, each once for all of a user's sessions.
final class Watches: Sendable {
    let accounts: WatchTable<[LinkedAccount]>
    let positions: WatchTable<[LinkedPosition]>

    /// - Parameter clock: What the pauses between two readings are measured by.
    init(clock: CallClock) {
        accounts = WatchTable(clock)
        positions = WatchTable(clock)
    }
}

/// The watches of one kind of value, each there as long as somebody watches.
final class WatchTable<Value: Sendable>: Sendable {
    private struct Entry {
        weak var watch: Watch<Value>?
    }

    private let clock: CallClock
    // Looked up by many requests at once.
    private let watches = Mutex<[CacheKey: Entry]>([:])

    /// Often enough for a screen, and a small part of any broker's quota.
    private static var interval: Duration { .seconds(5) }

    init(_ clock: CallClock) {
        self.clock = clock
    }

    /// The watch under a key, which names the owner of what is private.
    ///
    /// - Parameters:
    ///   - key: What is watched, and whose it is.
    ///   - read: Reads the value, within a call of its own each time.
    /// - Returns: the one that is there, else a new one.
    func watch(
        _ key: CacheKey, reading read: @escaping @Sendable (CallContext) async throws -> Value
    ) -> Watch<Value> {
        watches.withLock { watches in
            if let watch = watches[key]?.watch { return watch }
            let clock = clock
            let watch = Watch<Value>(every: Self.interval, clock) {
                let call = CallContext(deadline: clock.now() + .seconds(10))
                do {
                    return .success(try await read(call))
                } catch {
                    return .failure(error)
                }
            }
            watches = watches.filter { $0.value.watch != nil }
            watches[key] = Entry(watch: watch)
            return watch
        }
    }
}
