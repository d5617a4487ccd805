package import Upstream

/// Everything that a user has entrusted to Portico, for them to take away.
package struct UserDataExport: Sendable {
    private let database: SQLDatabase

    package init(of file: UserDatabase) {
        database = file.database
    }

    /// Returns one JSON object with all data of the user at one time; nil if there is no such user.
    ///
    /// It contains no secrets: connections, sessions and the password are listed without them.
    package func json(of owner: OwnerID) async throws(StorageError) -> String? {
        try await database.read { db in
            try db.value(
                """
                SELECT json_object(
                    'user', json_object('id', id, 'username', username, 'createdAt', \(Self.time("created_at"))),
                    'sessions', (\(Self.sessions)), 'connections', (\(Self.connections)),
                    'watchlists', (\(Self.watchlists)), 'goals', (\(Self.goals)), 'orders', (\(Self.orders)),
                    'activities', (\(Self.activities)))
                FROM "user" WHERE id = ?1
                """, [owner.text])
        }
    }

    private static let sessions = """
        SELECT json_group_array(json_object(
            'id', id, 'label', label, 'scopes', scopes, 'createdAt', \(time("created_at")),
            'lastUsedAt', \(time("last_used_at")), 'expiresAt', \(time("expires_at"))))
        FROM (SELECT * FROM session WHERE user_id = ?1 ORDER BY created_at, id)
        """

    private static let connections = """
        SELECT json_group_array(json_object(
            'id', id, 'provider', provider, 'environment', environment, 'label', label,
            'connectedAt', \(time("connected_at")),
            'accounts', (SELECT json_group_array(json_object(
                    'id', a.id, 'number', a.number, 'name', a.name, 'currency', a.currency))
                FROM (SELECT * FROM connected_account WHERE connection = c.id ORDER BY place) a)))
        FROM (SELECT * FROM connection WHERE owner = ?1 ORDER BY connected_at, id) c
        """

    private static let watchlists = """
        SELECT json_group_array(json_object(
            'id', id, 'name', name, 'createdAt', \(time("created_at")), 'updatedAt', \(time("updated_at")),
            'items', (SELECT json_group_array(json_object('symbol', i.symbol, 'addedAt', \(time("i.added_at"))))
                FROM (SELECT * FROM watchlist_item WHERE watchlist = w.number ORDER BY position) i)))
        FROM (SELECT * FROM watchlist WHERE owner = ?1 ORDER BY number) w
        """

    private static let goals = """
        SELECT json_group_array(json_object(
            'id', id, 'title', title, 'about', about, 'target', target, 'currency', currency, 'dueOn', due_on,
            'createdAt', \(time("created_at")), 'updatedAt', \(time("updated_at")),
            'allocations', (SELECT json_group_array(json_object(
                    'symbol', a.symbol, 'account', a.account, 'quantity', a.quantity, 'percent', a.percent))
                FROM (SELECT * FROM goal_allocation WHERE goal = g.number ORDER BY position) a)))
        FROM (SELECT * FROM goal WHERE owner = ?1 ORDER BY number) g
        """

    private static let orders = """
        SELECT json_group_array(json_object(
            'id', id, 'provider', provider, 'connection', connection, 'account', account,
            'idempotencyKey', idempotency_key, 'providerOrderId', provider_order_id, 'symbol', symbol,
            'side', side, 'type', type, 'timeInForce', time_in_force, 'quantity', quantity,
            'notional', notional, 'limitPrice', limit_price, 'stopPrice', stop_price,
            'trailPercent', trail_percent, 'trailAmount', trail_amount, 'filledQuantity', filled_quantity,
            'averageFillPrice', average_fill_price, 'state', state, 'rejection', rejection,
            'createdAt', \(time("created_at")), 'submittedAt', \(time("submitted_at")),
            'filledAt', \(time("filled_at")), 'canceledAt', \(time("canceled_at"))))
        FROM (SELECT * FROM journal_order WHERE owner = ?1 ORDER BY created_at, id)
        """

    private static let activities = """
        SELECT json_group_array(json_object(
            'id', id, 'connection', connection, 'account', account, 'kind', kind, 'providerKind', provider_kind,
            'date', day, 'executedAt', executed_at, 'settlementDate', settles_on, 'symbol', symbol, 'side', side,
            'quantity', quantity, 'price', price, 'amount', amount, 'currency', currency,
            'accountAmount', account_amount, 'accountCurrency', account_currency,
            'conversionRate', conversion_rate, 'providerOrderId', order_id, 'groupId', group_id,
            'description', about))
        FROM (SELECT * FROM activity WHERE owner = ?1 ORDER BY connection, account, day, moment, id)
        """

    /// Milliseconds since 1970 as RFC 3339.
    private static func time(_ column: String) -> String {
        "strftime('%Y-%m-%dT%H:%M:%fZ', \(column) / 1000.0, 'unixepoch')"
    }
}
