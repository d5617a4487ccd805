import Logging
import ServiceLifecycle
import Storage
import Upstream

/// Keeps the sessions in memory and those in the file alike, as long as the house stands.
struct PeopleService: Service {
    let sessions: SessionStore
    let logger: Logger

    /// How often it is looked whether `portico users` has changed the file, and whether the time of a session is over: the
    /// sockets of a token are closed within a second after it has ended, wherever it was ended.
    private static let beat = Duration.milliseconds(200)
    /// So many beats, a minute, and the uses of sessions are written down, and guests without a session are looked for: one
    /// who has signed out while an order was in progress is deleted, and released from memory, once the order is settled.
    static let beatsToTidy = 300

    func run() async throws {
        await cancelWhenGracefulShutdown {
            var count = 0
            while (try? await Task.sleep(for: Self.beat)) != nil {
                count += 1
                await follow(count)
            }
        }
        await attempt("were used, which cannot be written down") { try await sessions.keepUses() }
    }

    /// Does what is due at a beat, by its number.
    func follow(_ count: Int) async {
        await attempt("cannot be read anew") {
            try await sessions.followOthers()
        }
        if sessions.endExpired() || count % Self.beatsToTidy == 0 {
            await attempt("that have ended cannot be forgotten, or their uses written down") {
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
