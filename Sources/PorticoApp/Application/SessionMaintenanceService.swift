import Coordination
import Gateway
import Logging
import ServiceLifecycle
import Storage
import Upstream

/// Synchronizes the sessions in memory and in the database until a graceful shutdown.
package struct SessionMaintenanceService: Service {
    private let sessions: SessionStore
    private let changes: any Changes
    private let guests: GuestDeletion
    private let logger: Logger
    /// Its bearer tokens end here, too; nil if the server has none.
    private let identityProvider: IdentityProviderService?

    /// The interval at which changes of the file by `portico users` and expired sessions are detected.
    ///
    /// The sockets of a token are closed within a second after it has ended, whichever process ended it.
    package static let pollingInterval = Duration.milliseconds(200)
    /// The interval at which uses of sessions are stored, and expired sessions and guests without a session
    /// are deleted.
    ///
    /// A guest who has signed out during an order is deleted when the order is settled.
    private static let tidyingInterval = Duration.seconds(60)

    init(
        sessions: SessionStore, changes: any Changes, logger: Logger,
        identityProvider: IdentityProviderService? = nil
    ) {
        (self.sessions, self.changes, self.logger) = (sessions, changes, logger)
        self.identityProvider = identityProvider
        guests = GuestDeletion(of: sessions)
    }

    func run() async throws {
        await cancelWhenGracefulShutdown {
            // Three loops: a write may wait for other writes, and so may the detection of sessions that another
            // process has opened. Sessions end on time all the same.
            async let ending: Void = repeatedly(every: Self.pollingInterval) {
                sessions.endExpired()
                identityProvider?.maintain()
            }
            async let following: Void = follow()
            await repeatedly(every: Self.tidyingInterval) { await tidy() }
            _ = await (ending, following)
        }
        await attempt("The last uses of sessions cannot be stored.") { try await sessions.storeLastUses() }
    }

    /// Calls a closure after each interval, until the task is cancelled.
    private func repeatedly(every interval: Duration, _ body: () async -> Void) async {
        while (try? await Task.sleep(for: interval)) != nil { await body() }
    }

    /// Applies the changes of other processes; reports only the first of several failures in a row.
    private func follow() async {
        var isReported = false
        while (try? await Task.sleep(for: Self.pollingInterval)) != nil {
            do {
                try await changes.follow()
                isReported = false
            } catch {
                if !isReported {
                    logger.error("Changes of sessions by other processes cannot be read. \(error)")
                }
                isReported = true
            }
        }
    }

    /// Each step is an attempt of its own, so that one that fails each time does not stop the others.
    func tidy() async {
        await attempt("Ended sessions cannot be deleted, or last uses of sessions cannot be stored.") {
            try await sessions.tidy()
        }
        await attempt("Guests without a session cannot be deleted.") { try await guests.run() }
        await attempt("Old changes of sessions and users cannot be deleted.") {
            try await changes.deleteOld()
        }
    }

    private func attempt(_ failure: String, _ body: () async throws -> Void) async {
        do {
            try await body()
        } catch {
            logger.error("\(failure) \(error)")
        }
    }
}
