import Brokerage
import GraphQL
import Storage
import Upstream

/// What orders need that outlives a request: their journal, turns of those with the same key, and a bell for those whose
/// fate must be asked for.
struct OrderWorkflow: Sendable {
    let journal: OrderJournal
    let taskQueue = KeyedTaskQueue<PlacementKey>()
    let wakeSignal = WakeSignal()
    /// What was begun earlier belongs to a process that is gone.
    let startedAt = Instant.now

    /// Whose order, by the key that its user gave it.
    struct PlacementKey: Hashable, Sendable {
        let owner: OwnerID
        let idempotencyKey: UTF8Key
    }
}
