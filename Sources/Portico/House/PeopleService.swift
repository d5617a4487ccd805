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
    /// So many beats, and the uses of sessions are written down.
    private static let beatsToKeep = 300
    /// The number of intervals after which guests without a session are deleted, even if no session has
    /// ended.
    private static let beatsToTidy = 18_000

    func run() async throws {
        await cancelWhenGracefulShutdown {
            var count = 0
            while (try? await Task.sleep(for: Self.beat)) != nil {
                count += 1
                await attempt("cannot be read anew") {
                    try await sessions.followOthers()
                }
                if sessions.endExpired() || count % Self.beatsToTidy == 0 {
                    await attempt("that have ended cannot be forgotten") { try await sessions.tidy() }
                } else if count % Self.beatsToKeep == 0 {
                    await keepUses()
                }
            }
        }
        await keepUses()
    }

    private func keepUses() async {
        await attempt("were used, which cannot be written down") { try await sessions.keepUses() }
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
