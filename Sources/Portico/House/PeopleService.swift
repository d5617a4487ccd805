import Logging
import ServiceLifecycle
import Storage
import Upstream

/// Keeps the sessions in memory and those in the file alike, as long as the house stands.
struct PeopleService: Service {
    let sessions: SessionStore
    /// Drops from memory what was a user's.
    let forget: @Sendable (OwnerID) -> Void
    let logger: Logger

    /// How often it is looked whether `portico users` has changed the file: as long as a session may still be good that
    /// was ended there.
    private static let beat = Duration.seconds(1)
    /// So many beats, and the uses of sessions are written down.
    private static let beatsToKeep = 60
    /// So many, and what has ended by itself is forgotten.
    private static let beatsToTidy = 3_600

    func run() async throws {
        await cancelWhenGracefulShutdown {
            var count = 0
            while (try? await Task.sleep(for: Self.beat)) != nil {
                count += 1
                await attempt("cannot be read anew") {
                    for user in try await sessions.followOthers() { forget(user) }
                }
                if count % Self.beatsToTidy == 0 {
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
