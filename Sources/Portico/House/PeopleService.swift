import Logging
import ServiceLifecycle
import Storage
import Upstream

/// Keeps the sessions in memory and those in the file alike, as long as the house stands.
struct PeopleService: Service {
    let sessions: SessionStore
    let logger: Logger

    /// The interval at which changes of the file by `portico users` and expired sessions are detected.
    ///
    /// The sockets of a token are closed within a second after it has ended, whichever process ended it.
    private static let beat = Duration.milliseconds(200)
    /// The number of intervals, a minute, after which uses of sessions are stored and guests without one are deleted.
    ///
    /// A guest who has signed out while an order was in progress is deleted once the order is settled.
    static let beatsToTidy = 300

    func run() async throws {
        await cancelWhenGracefulShutdown {
            // Two loops: a write may wait for other writes, and the detection of sessions that another
            // process has ended must not wait.
            async let following: Void = everyBeat { _ in await follow() }
            await everyBeat(write)
            await following
        }
        await attempt("were used, but their uses cannot be stored") { try await sessions.keepUses() }
    }

    /// Calls a closure at each beat, with the number of the beat, until the task is cancelled.
    private func everyBeat(_ body: (_ count: Int) async -> Void) async {
        var count = 0
        while (try? await Task.sleep(for: Self.beat)) != nil {
            count += 1
            await body(count)
        }
    }

    private func follow() async {
        await attempt("cannot be read again") { try await sessions.followOthers() }
    }

    /// Does the writes that are due at a beat.
    func write(_ count: Int) async {
        if sessions.endExpired() || count % Self.beatsToTidy == 0 {
            await attempt("that have ended cannot be removed, or their uses cannot be stored") {
                try await sessions.tidy()
            }
        }
    }

    private func attempt(_ failure: String, _ body: () async throws -> Void) async {
        do {
            try await body()
        } catch {
            logger.error("Sessions \(failure). \(error)")
        }
    }
}

// Logs name the service.
extension PeopleService: CustomStringConvertible {
    var description: String { "People" }
}
