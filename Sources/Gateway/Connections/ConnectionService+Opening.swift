import Brokerage
package import Storage
import Upstream

extension ConnectionService {
    /// Opens all connections that are kept, without a call.
    ///
    /// One whose credential cannot be opened any more is there all the same: only its user can mend it, or part with it.
    package func openAll() async throws(StorageError) {
        for kept in try store.all() {
            let secret: Secret?
            do throws(StorageError) {
                secret = try await store.credentials.load(kept.credential)?.secret
            } catch {
                guard case .sealBroken = error else { throw error }
                secret = nil
            }
            registry.add(open(kept, secret, connectors[kept.provider]))
        }
    }

    func open(
        _ kept: StoredConnection, _ secret: Secret?, _ connector: (any ProviderConnector)?
    ) -> ProviderConnection {
        let (store, id) = (store, kept.id)
        func health(_ cause: ProviderFailure.Cause?, since: Instant?) -> ConnectionHealth {
            let failure = cause.map {
                ConnectionHealth.Facts.Failure(cause: $0, since: since ?? clock.wallTime())
            }
            return ConnectionHealth(failure: failure, clock: clock) { [rejectionQueue] health in
                // Nobody waits for it: where it cannot be kept, the next call after a restart tells it again. One is written
                // after the other, each with what is known by then, so that the last word stands.
                _ = rejectionQueue.enqueue(id) {
                    try await store.setRefused(id, at: health.facts.rejectedSince)
                }
            }
        }
        guard let connector else {
            return ProviderConnection(kept, nil, health: health(.unsupported, since: nil))
        }
        guard let secret else {
            return ProviderConnection(kept, nil, health: health(.unauthorized, since: nil))
        }
        let keeper = ConnectionCredentialStore(of: kept.credential, in: store.credentials)
        let holder = store.quotaHolder(of: kept, secret)
        guard let opened = connector.open(secret, of: kept, spending: holder, renewedIn: keeper) else {
            return ProviderConnection(kept, nil, health: health(.unsupported, since: nil))
        }
        return ProviderConnection(
            kept, opened, health: health(kept.refusedAt.map { _ in .unauthorized }, since: kept.refusedAt),
            spending: holder)
    }
}
