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
    /// So many beats, and the uses of sessions are written down.
    private static let beatsToKeep = 300
    /// So many, and guests without a session are looked for, whether one has ended or not.
    private static let beatsToTidy = 18_000

    func run() async throws {
        await cancelWhenGracefulShutdown {
            // Apart, because what is written may wait, and what has ended elsewhere must not.
            async let following: Void = everyBeat { _ in await follow() }
            await everyBeat(write)
            await following
        }
        await keepUses()
    }

    /// Does something at each beat, until it is cancelled.
    private func everyBeat(_ body: (_ count: Int) async -> Void) async {
        var count = 0
        while (try? await Task.sleep(for: Self.beat)) != nil {
            count += 1
            await body(count)
        }
    }

    private func follow() async {
        await attempt("cannot be read anew") { try await sessions.followOthers() }
    }

    private func write(_ count: Int) async {
        if sessions.endExpired() || count % Self.beatsToTidy == 0 {
            await attempt("that have ended cannot be forgotten") { try await sessions.tidy() }
        } else if count % Self.beatsToKeep == 0 {
            await keepUses()
        }
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
