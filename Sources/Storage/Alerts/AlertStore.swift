package import Brokerage

/// Stores users' alerts and the history of their firings.
///
/// A firing is one transaction: the entry of the history, the new state of the alert, and a delivery for each webhook of
/// the user. It depends on the stored state, so that an alert that fires once has one entry, whichever process evaluates
/// it, and however often a process is killed. An alert of another user is treated like one that does not exist.
package struct AlertStore: Sendable {
    /// The limits of one user.
    package struct Limits: Sendable {
        /// Alerts, whatever their state.
        package var alerts = 200
        /// Entries of the history; the oldest are deleted.
        package var firings = 10_000
        /// Deliveries that are still to be made; the oldest are deleted.
        package var deliveries = 10_000

        package init() {}
    }

    private let database: SQLDatabase
    package let limits: Limits

    package init(in file: UserDatabase, limits: Limits = Limits()) {
        database = file.database
        self.limits = limits
    }

    // MARK: Alerts

    /// Alerts of a user, in the order of their creation.
    ///
    /// - Parameters:
    ///   - owner: The user.
    ///   - number: Only later ones than that with this number; nil for all.
    ///   - limit: The maximum number of alerts.
    /// - Returns: The alerts.
    /// - Throws: `StorageError` if they could not be read.
    package func alerts(
        of owner: OwnerID, after number: Int64?, limit: Int
    ) async throws(StorageError) -> [StoredAlert] {
        try await database.read { db in
            try db.rows(
                "SELECT * FROM alert WHERE owner = ? AND number > ? ORDER BY number LIMIT ?",
                [owner.text, number ?? 0, limit]
            ).map(StoredAlert.init)
        }
    }

    /// The alerts of a user with some ids, in any order; those that do not exist are left out.
    package func alerts(
        _ ids: [String], of owner: OwnerID
    ) async throws(StorageError) -> [StoredAlert] {
        let list = SQLList(ids)
        return try await database.read { db in
            try db.rows(
                "SELECT * FROM alert WHERE owner = ? AND id IN (\(list.placeholders))",
                [owner.text] + list.arguments
            ).map(StoredAlert.init)
        }
    }

    /// The alerts of a user that are evaluated, in the order of their creation.
    package func active(of owner: OwnerID) async throws(StorageError) -> [StoredAlert] {
        try await database.read { db in
            try db.rows(
                "SELECT * FROM alert WHERE owner = ? AND state = 'ACTIVE' ORDER BY number", [owner.text]
            ).map(StoredAlert.init)
        }
    }

    /// The users with an alert that is evaluated.
    ///
    /// It reads them in pages, which are transactions of their own.
    package func ownersOfActive() async throws(StorageError) -> [OwnerID] {
        var owners: [OwnerID] = []
        // No owner is empty.
        var last: String? = ""
        while let previous = last {
            let page: [String] = try await database.read { db in
                try db.values(
                    """
                    SELECT DISTINCT owner FROM alert WHERE state = 'ACTIVE' AND owner > ?
                    ORDER BY owner LIMIT \(SQLPages.size)
                    """, [previous])
            }
            owners += page.compactMap { OwnerID($0) }
            last = page.last
        }
        return owners
    }

    /// Creates an alert.
    ///
    /// - Returns: The alert; nil, with nothing stored, if the user has as many alerts as allowed.
    package func create(
        _ condition: AlertCondition, label: String?, rearmAfter: Int?, for owner: OwnerID,
        now: Instant = .now
    ) async throws(StorageError) -> StoredAlert? {
        let limit = limits.alerts
        return try await database.write(for: owner) { db in
            let count: Int = try db.value("SELECT count(*) FROM alert WHERE owner = ?", [owner.text]) ?? 0
            guard count < limit else { return nil }
            var columns = SQLColumns()
            columns.add("id", RandomID.make())
            columns.add("owner", owner.text)
            columns.add(condition)
            columns.add("label", label)
            columns.add("state", StoredAlert.State.active.rawValue)
            columns.add("rearm_after", rearmAfter)
            columns.add("fired_count", 0)
            columns.add("created_at", now)
            columns.add("updated_at", now)
            return try db.row(columns.insertion(into: "alert") + " RETURNING *", columns.arguments)
                .map(StoredAlert.init)
        }
    }

    /// Changes an alert.
    ///
    /// - Returns: The alert after the change; nil if the user has no alert with this id.
    package func update(
        _ id: String, _ patch: AlertPatch, for owner: OwnerID, now: Instant = .now
    ) async throws(StorageError) -> StoredAlert? {
        try await database.write(for: owner) { db in
            guard let alert = try Self.alert(id, of: owner, db) else { return nil }
            var columns = SQLColumns()
            if let label = patch.label { columns.add("label", label.value) }
            if let pause = patch.rearmAfter { columns.add("rearm_after", pause.value) }
            switch patch.isPaused {
            case true? where alert.state == .active:
                columns.add("state", StoredAlert.State.paused.rawValue)
            case false? where alert.state != .active:
                columns.add("state", StoredAlert.State.active.rawValue)
                columns.add("armed_at", Int64?.none)
            case true?, false?, nil: break
            }
            guard !columns.names.isEmpty else { return alert }
            columns.add("updated_at", now)
            try db.execute(
                "UPDATE alert SET \(columns.assignments) WHERE id = ? AND owner = ?",
                columns.arguments + [id, owner.text])
            return try Self.alert(id, of: owner, db)
        }
    }

    /// Deletes an alert; its firings stay in the history.
    ///
    /// - Returns: Whether there was one.
    package func delete(_ id: String, for owner: OwnerID) async throws(StorageError) -> Bool {
        try await database.write(for: owner) { db in
            try db.executeUpdate("DELETE FROM alert WHERE id = ? AND owner = ?", [id, owner.text]) > 0
        }
    }

    /// Ends active alerts whose condition can no longer be met.
    ///
    /// - Returns: The ended alerts.
    package func end(
        _ ids: [String], of owner: OwnerID, now: Instant = .now
    ) async throws(StorageError) -> [StoredAlert] {
        try await database.write(for: owner) { db in
            try ids.compactMap { id in
                try db.row(
                    """
                    UPDATE alert SET state = 'ENDED', armed_at = NULL, updated_at = ?
                    WHERE id = ? AND owner = ? AND state = 'ACTIVE' RETURNING *
                    """, [now.millisecondsSince1970, id, owner.text]
                ).map(StoredAlert.init)
            }
        }
    }

    private static func alert(_ id: String, of owner: OwnerID, _ db: SQLTransaction) throws -> StoredAlert? {
        try db.row("SELECT * FROM alert WHERE id = ? AND owner = ?", [id, owner.text]).map(StoredAlert.init)
    }

    // MARK: Firings

    /// The outcome of ``fire(_:of:now:body:)``.
    package struct Fired: Sendable {
        /// The new entries of the history.
        package var firings: [AlertFiring] = []
        /// The alerts after their firing.
        package var alerts: [StoredAlert] = []
        /// Deliveries that were stored, and older ones that were deleted because the user had too many.
        package var deliveries = 0
        package var droppedDeliveries = 0
    }

    /// Records that alerts fire, those that are armed at the time; others were recorded before, or have been changed.
    ///
    /// - Parameters:
    ///   - evidence: The observations, at most one for each alert.
    ///   - owner: The user.
    ///   - now: The time.
    ///   - body: Returns the body that webhooks receive; it may be called more than once for a firing.
    /// - Returns: What was recorded.
    /// - Throws: `StorageError`; then nothing was recorded, except if the outcome is unknown.
    package func fire(
        _ evidence: [AlertEvidence], of owner: OwnerID, now: Instant = .now,
        body: @escaping @Sendable (AlertFiring) -> String
    ) async throws(StorageError) -> Fired {
        let limits = limits
        return try await database.write(for: owner) { db in
            let webhooks = try WebhookStore.active(of: owner, db)
            var fired = Fired()
            for evidence in evidence {
                guard let alert = try Self.alert(evidence.alert, of: owner, db), alert.isArmed(at: now) else {
                    continue
                }
                let firing = try Self.insert(evidence, of: alert, owner, now, db)
                fired.firings.append(firing)
                if let after = try Self.update(alert, after: firing, of: owner, now, db) {
                    fired.alerts.append(after)
                }
                let text = webhooks.isEmpty ? "" : body(firing)
                try WebhookStore.insertDeliveries(of: text, firing.id, to: webhooks, of: owner, now, db)
                fired.deliveries += webhooks.count
            }
            if !fired.firings.isEmpty {
                try db.execute(
                    """
                    DELETE FROM alert_firing WHERE owner = ?1 AND number <= (
                        SELECT number FROM alert_firing WHERE owner = ?1 ORDER BY number DESC LIMIT 1 OFFSET ?2)
                    """, [owner.text, limits.firings])
            }
            if fired.deliveries > 0 {
                fired.droppedDeliveries = try WebhookStore.deleteOldest(
                    of: owner, beyond: limits.deliveries, db)
            }
            return fired
        }
    }

    private static func insert(
        _ evidence: AlertEvidence, of alert: StoredAlert, _ owner: OwnerID, _ now: Instant,
        _ db: SQLTransaction
    ) throws -> AlertFiring {
        var columns = SQLColumns()
        columns.add("id", RandomID.make())
        columns.add("owner", owner.text)
        columns.add("alert", alert.id)
        columns.add(alert.condition)
        columns.add("label", alert.label)
        columns.add("value", evidence.value)
        columns.add("order_state", evidence.orderState?.rawValue)
        columns.add("as_of", evidence.asOf)
        columns.add("fired_at", now)
        let row = try db.row(columns.insertion(into: "alert_firing") + " RETURNING *", columns.arguments)
        guard let row else { throw CorruptedRow() }
        return try AlertFiring(row)
    }

    private static func update(
        _ alert: StoredAlert, after firing: AlertFiring, of owner: OwnerID, _ now: Instant,
        _ db: SQLTransaction
    ) throws -> StoredAlert? {
        let state = alert.rearmAfter == nil ? StoredAlert.State.fired : .active
        let armedAt = alert.rearmAfter.map { now + .seconds($0) }
        return try db.row(
            """
            UPDATE alert SET state = ?, armed_at = ?, fired_count = fired_count + 1, last_fired_at = ?,
                last_firing = ?
            WHERE id = ? AND owner = ? RETURNING *
            """,
            [
                state.rawValue, armedAt?.millisecondsSince1970, now.millisecondsSince1970, firing.id,
                alert.id,
                owner.text,
            ]
        ).map(StoredAlert.init)
    }

    /// Entries of a user's history, the newest first.
    ///
    /// - Parameters:
    ///   - owner: The user.
    ///   - alert: Only those of this alert; nil for all.
    ///   - number: Only those before the one with this number; nil for the newest.
    ///   - limit: The maximum number of entries.
    /// - Returns: The entries.
    /// - Throws: `StorageError` if they could not be read.
    package func firings(
        of owner: OwnerID, alert: String?, before number: Int64?, limit: Int
    ) async throws(StorageError) -> [AlertFiring] {
        try await database.read { db in
            var sql = "SELECT * FROM alert_firing WHERE owner = ?"
            var arguments: SQLArguments = [owner.text]
            if let alert {
                sql += " AND alert = ?"
                arguments += [alert]
            }
            if let number {
                sql += " AND number < ?"
                arguments += [number]
            }
            return try db.rows(sql + " ORDER BY number DESC LIMIT ?", arguments + [limit])
                .map(AlertFiring.init)
        }
    }

    /// The entries of a user's history with some ids, in any order; those that do not exist are left out.
    package func firings(
        _ ids: [String], of owner: OwnerID
    ) async throws(StorageError) -> [AlertFiring] {
        let list = SQLList(ids)
        return try await database.read { db in
            try db.rows(
                "SELECT * FROM alert_firing WHERE owner = ? AND id IN (\(list.placeholders))",
                [owner.text] + list.arguments
            ).map(AlertFiring.init)
        }
    }
}
