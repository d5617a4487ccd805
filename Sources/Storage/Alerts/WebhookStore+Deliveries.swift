package import Brokerage

// The deliveries of webhooks.

extension WebhookStore {
    /// Adds a delivery to each of some webhooks to the transaction of a firing, with one statement; nil for a test message.
    static func insertDeliveries(
        of body: String, _ firing: String?, to webhooks: [String], of owner: OwnerID, _ now: Instant,
        _ db: SQLTransaction
    ) throws {
        guard !webhooks.isEmpty else { return }
        let rows = Array(repeating: "(?, ?, ?, ?, ?, 0, ?, ?)", count: webhooks.count)
        var arguments: SQLArguments = []
        for webhook in webhooks {
            arguments += [
                "msg_" + RandomID.make(), owner.text, webhook, firing ?? "", body, now.millisecondsSince1970,
                now.millisecondsSince1970,
            ]
        }
        try db.execute(
            """
            INSERT INTO webhook_delivery (id, owner, webhook, firing, body, attempts, next_at, created_at)
            VALUES \(rows.joined(separator: ", "))
            """, arguments)
    }

    /// The active webhooks of a user, which get the firings.
    static func active(of owner: OwnerID, _ db: SQLTransaction) throws -> [String] {
        try db.values(
            "SELECT id FROM webhook WHERE owner = ? AND (state = ? OR state IS NULL) ORDER BY created_at, id",
            [owner.text, StoredWebhook.State.active.rawValue])
    }

    /// Deletes the oldest deliveries of a user that has more than a number, without test messages.
    ///
    /// - Returns: The number of deleted ones.
    static func deleteOldest(of owner: OwnerID, beyond limit: Int, _ db: SQLTransaction) throws -> Int {
        let count: Int =
            try db.value("SELECT count(*) FROM webhook_delivery WHERE owner = ?", [owner.text]) ?? 0
        guard count > limit else { return 0 }
        return try db.executeUpdate(
            """
            DELETE FROM webhook_delivery WHERE id IN (
                SELECT id FROM webhook_delivery WHERE owner = ? AND firing <> '' ORDER BY created_at, id LIMIT ?)
            """, [owner.text, count - limit])
    }

    /// The webhooks with a due delivery, without some: first that whose latest attempt, or creation, is the longest ago.
    ///
    /// So a webhook with many deliveries does not delay those of others.
    package func due(
        at now: Instant, except webhooks: Set<String>, limit: Int
    ) async throws(StorageError) -> [(webhook: String, owner: OwnerID)] {
        let others = Self.condition(except: webhooks)
        return try await database.read { db in
            try db.rows(
                """
                SELECT webhook.id, webhook.owner FROM (
                    SELECT webhook, min(next_at) AS first_at FROM webhook_delivery
                    WHERE next_at <= ?\(others.sql) GROUP BY webhook
                ) AS due JOIN webhook ON webhook.id = due.webhook
                ORDER BY coalesce(
                    CASE WHEN last_success_at > coalesce(last_failure_at, 0) THEN last_success_at ELSE last_failure_at END,
                    webhook.created_at), first_at, webhook.id LIMIT ?
                """, [now.millisecondsSince1970] + others.arguments + [limit]
            ).compactMap { row in
                let webhook: String = try row["id"]
                return try OwnerID(row["owner"]).map { (webhook, $0) }
            }
        }
    }

    /// The time at which the next delivery to another webhook than some is due; nil if none is pending.
    package func nextDue(except webhooks: Set<String>) async throws(StorageError) -> Instant? {
        let others = Self.condition(except: webhooks)
        return try await database.read { db in
            try db.row(
                "SELECT min(next_at) AS next_at FROM webhook_delivery WHERE next_at > 0\(others.sql)",
                others.arguments
            )?.instant("next_at")
        }
    }

    /// The number of pending deliveries of all users.
    package func pendingCount() async throws(StorageError) -> Int {
        try await database.read { db in try db.value("SELECT count(*) FROM webhook_delivery") ?? 0 }
    }

    /// The due deliveries of a webhook: those with the fewest attempts first, so that one that its receiver refuses does not
    /// delay the others, and the oldest of these first.
    package func deliveries(
        of webhook: String, dueAt now: Instant, limit: Int
    ) async throws(StorageError) -> [WebhookDelivery] {
        try await database.read { db in
            try db.rows(
                """
                SELECT * FROM webhook_delivery WHERE webhook = ? AND next_at <= ?
                ORDER BY attempts, created_at, id LIMIT ?
                """, [webhook, now.millisecondsSince1970, limit]
            ).map(WebhookDelivery.init)
        }
    }

    /// The number of attempts of all due deliveries of a webhook together: how often its receiver has failed since it accepted
    /// them all.
    ///
    /// Numbers that only another program can have stored do not count.
    package func attempts(of webhook: String, dueAt now: Instant) async throws(StorageError) -> Int {
        try await database.read { db in
            try db.value(
                """
                SELECT CAST(coalesce(sum(attempts), 0) AS BIGINT) FROM webhook_delivery
                WHERE webhook = ? AND next_at <= ? AND attempts BETWEEN 0 AND 1000000
                """, [webhook, now.millisecondsSince1970]) ?? 0
        }
    }

    /// Records that the receiver has accepted a delivery; after a test message, a webhook that is pending is active.
    package func didDeliver(_ delivery: WebhookDelivery, at now: Instant) async throws(StorageError) {
        try await database.write(for: delivery.owner) { db in
            try db.execute("DELETE FROM webhook_delivery WHERE id = ?", [delivery.id])
            try db.execute(
                "UPDATE webhook SET last_success_at = ? WHERE id = ?",
                [now.millisecondsSince1970, delivery.webhook])
            guard delivery.isTest else { return }
            try db.execute(
                "UPDATE webhook SET state = 'ACTIVE' WHERE id = ? AND state = 'PENDING'", [delivery.webhook])
        }
    }

    /// Postpones a delivery without an attempt; the others of its webhook stay due.
    package func postpone(_ delivery: WebhookDelivery, until next: Instant) async throws(StorageError) {
        try await database.write(for: delivery.owner) { db in
            try db.execute(
                "UPDATE webhook_delivery SET next_at = ?1 WHERE id = ?2 AND next_at < ?1",
                [next.millisecondsSince1970, delivery.id])
        }
    }

    /// Postpones the deliveries of a webhook that are due before a time, without an attempt; their rows may be unreadable.
    ///
    /// - Parameters:
    ///   - webhook: The webhook.
    ///   - owner: Its user.
    ///   - reason: The reason, for the user.
    ///   - now: The time of the failure, after which the webhook is behind the others.
    ///   - next: The time.
    /// - Throws: `StorageError`; then nothing was changed, except if the outcome is unknown.
    package func postponeAll(
        of webhook: String, _ owner: OwnerID, _ reason: String, at now: Instant, until next: Instant
    ) async throws(StorageError) {
        try await database.write(for: owner) { db in
            try db.execute(
                "UPDATE webhook_delivery SET next_at = ?1 WHERE webhook = ?2 AND next_at < ?1",
                [next.millisecondsSince1970, webhook])
            try Self.recordFailure(of: webhook, reason, at: now, db)
        }
    }

    private static func recordFailure(
        of webhook: String, _ reason: String, at now: Instant, _ db: SQLTransaction
    ) throws {
        try db.execute(
            "UPDATE webhook SET last_failure_at = ?, last_failure = ? WHERE id = ?",
            [now.millisecondsSince1970, reason, webhook])
    }

    /// Records a failed attempt, and postpones the other deliveries of the webhook that existed when the due ones were read.
    ///
    /// A webhook is disabled, and its deliveries are deleted, if its receiver wants no messages any more. It is also
    /// disabled if it is pending and has no test message any more.
    ///
    /// - Parameters:
    ///   - delivery: The delivery.
    ///   - reason: The reason, for the user.
    ///   - time: The time at which the due deliveries were read; those that were created after it are not postponed.
    ///   - now: The time of the failure.
    ///   - next: The time of the next attempt.
    ///   - end: Deliveries of the webhook that were created before are deleted.
    ///   - isGone: Whether the receiver wants no messages any more.
    /// - Returns: The number of deleted deliveries.
    /// - Throws: `StorageError`; then nothing was changed, except if the outcome is unknown.
    package func didFail(
        _ delivery: WebhookDelivery, _ reason: String, readAt time: Instant, at now: Instant, next: Instant,
        expiredBefore end: Instant, isGone: Bool = false
    ) async throws(StorageError) -> Int {
        try await database.write(for: delivery.owner) { db in
            try db.execute(
                "UPDATE webhook_delivery SET attempts = attempts + 1 WHERE id = ?", [delivery.id])
            let next = next.millisecondsSince1970
            try db.execute(
                """
                UPDATE webhook_delivery SET next_at = ?1
                WHERE webhook = ?2 AND next_at < ?1 AND (id = ?3 OR created_at <= ?4)
                """, [next, delivery.webhook, delivery.id, time.millisecondsSince1970])
            try Self.recordFailure(of: delivery.webhook, reason, at: now, db)
            let end = isGone ? Instant.latest : end
            let discarded = try db.executeUpdate(
                "DELETE FROM webhook_delivery WHERE webhook = ? AND created_at < ?",
                [delivery.webhook, end.millisecondsSince1970])
            if isGone {
                try db.execute("UPDATE webhook SET state = 'DISABLED' WHERE id = ?", [delivery.webhook])
            } else {
                try db.execute(
                    """
                    UPDATE webhook SET state = 'DISABLED' WHERE id = ? AND state = 'PENDING' AND NOT EXISTS (
                        SELECT 1 FROM webhook_delivery WHERE webhook_delivery.webhook = webhook.id)
                    """, [delivery.webhook])
            }
            return discarded
        }
    }

    /// `AND webhook_delivery.webhook NOT IN (…)`, without a condition for no webhooks.
    private static func condition(except webhooks: Set<String>) -> (sql: String, arguments: SQLArguments) {
        // NULL in an empty list would exclude every row.
        if webhooks.isEmpty { return ("", []) }
        let list = SQLList(webhooks.sorted())
        return (" AND webhook_delivery.webhook NOT IN (\(list.placeholders))", list.arguments)
    }
}
