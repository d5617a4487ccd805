package import Brokerage

/// Everything that a user has entrusted to Portico, for them to take away.
package struct UserDataExport: Sendable {
    private let database: SQLDatabase

    package init(of file: UserDatabase) {
        database = file.database
    }

    /// Returns one JSON object with all data of the user at one time; nil if there is no such user.
    ///
    /// It contains no secrets: connections, sessions and the password are listed without them, and webhooks without their
    /// addresses.
    package func json(of owner: OwnerID) async throws(StorageError) -> String? {
        try await database.read(.maintenance) { db in
            guard let user = try Self.objects(Self.user, [owner.text], db).first else { return nil }
            let connections = try Self.objects(Self.connections, [owner.text], db) { row in
                [("accounts", .array(try Self.objects(Self.accounts, [row["id"] as String], db)))]
            }
            let watchlists = try Self.objects(Self.watchlists, [owner.text], db) { row in
                [("items", .array(try Self.objects(Self.items, [row["number"] as Int64], db)))]
            }
            let goals = try Self.objects(Self.goals, [owner.text], db) { row in
                [("allocations", .array(try Self.objects(Self.allocations, [row["number"] as Int64], db)))]
            }
            let export = JSONText.object([
                ("user", user), ("identities", .array(try Self.objects(Self.identities, [owner.text], db))),
                ("sessions", .array(try Self.objects(Self.sessions, [owner.text], db))),
                ("connections", .array(connections)), ("watchlists", .array(watchlists)),
                ("goals", .array(goals)), ("orders", .array(try Self.objects(Self.orders, [owner.text], db))),
                ("activities", .array(try Self.objects(Self.activities, [owner.text], db))),
                ("alerts", .array(try Self.objects(Self.alerts, [owner.text], db))),
                ("alertFirings", .array(try Self.objects(Self.firings, [owner.text], db))),
                ("webhooks", .array(try Self.objects(Self.webhooks, [owner.text], db))),
            ])
            var text = ""
            export.write(to: &text)
            return text
        }
    }

    /// A member of the objects of a query.
    private struct Member: Sendable {
        let name: String
        let column: String

        init(_ name: String, _ column: String) {
            (self.name, self.column) = (name, column)
        }
    }

    /// The objects of a kind: a query, and the members that its columns become.
    ///
    /// Columns that end with `_at` are times.
    private struct Query: Sendable {
        let sql: String
        let members: [Member]

        /// - Parameters:
        ///   - sql: A query with one placeholder.
        ///   - members: The names of the members; the columns have the same names with `_` before small letters, or the name
        ///     after a colon.
        init(_ sql: String, _ members: String) {
            self.sql = sql
            self.members = members.split(separator: " ").map { member in
                let names = member.split(separator: ":")
                if let name = names.first, let column = names.dropFirst().first {
                    return Member(String(name), String(column))
                }
                let column = member.reduce(into: "") { text, letter in
                    text += letter.isUppercase ? "_" + letter.lowercased() : String(letter)
                }
                return Member(String(member), column)
            }
        }
    }

    private static func objects(
        _ query: Query, _ arguments: SQLArguments, _ db: SQLTransaction,
        adding more: (SQLRow) throws -> [(String, JSONText)] = { _ in [] }
    ) throws -> [JSONText] {
        try db.rows(query.sql, arguments).map { row in
            let members = try query.members.map { member in
                (member.name, try value(of: member.column, in: row))
            }
            return .object(members + (try more(row)))
        }
    }

    private static func value(of column: String, in row: SQLRow) throws -> JSONText {
        if column.hasSuffix("_at") { return try row.instant(column).map { .text(time($0)) } ?? .null }
        guard let text = try row[column] as String? else { return .null }
        switch column {
        case "provider": return .text(ProviderID(stored: text)?.name.text ?? text)
        case "executed": return .text(Instant(text).map(time) ?? text)
        default: return .text(text)
        }
    }

    private static let user = Query(#"SELECT * FROM "user" WHERE id = ?"#, "id username createdAt")
    private static let identities = Query(
        "SELECT * FROM identity WHERE user_id = ? ORDER BY issuer, subject", "issuer subject createdAt")
    private static let sessions = Query(
        "SELECT * FROM session WHERE user_id = ? ORDER BY created_at, id",
        "id label scopes createdAt lastUsedAt expiresAt issuer issuerSession")
    private static let connections = Query(
        "SELECT * FROM connection WHERE owner = ? ORDER BY connected_at, id",
        "id provider environment label connectedAt")
    private static let accounts = Query(
        "SELECT * FROM connected_account WHERE connection = ? ORDER BY place", "id number name currency")
    private static let watchlists = Query(
        "SELECT * FROM watchlist WHERE owner = ? ORDER BY number", "id name createdAt updatedAt")
    private static let items = Query(
        "SELECT * FROM watchlist_item WHERE watchlist = ? ORDER BY position", "symbol addedAt")
    private static let goals = Query(
        "SELECT * FROM goal WHERE owner = ? ORDER BY number",
        "id title description:about target currency dueOn createdAt updatedAt")
    private static let allocations = Query(
        "SELECT * FROM goal_allocation WHERE goal = ? ORDER BY position",
        "symbol account quantity percentage:percent")
    private static let orders = Query(
        // The requested exits are in the write that placed the order: without legs, nothing else has them.
        """
        SELECT journal_order.*, placement.take_profit, placement.stop_loss, placement.stop_loss_limit,
            CASE WHEN placement.closes_position THEN 'true' END AS closes_position
        FROM journal_order LEFT JOIN journal_write AS placement
            ON (placement.owner, placement.connection, placement.order_id)
                = (journal_order.owner, journal_order.connection, journal_order.id) AND placement.kind = 'PLACE'
        WHERE journal_order.owner = ? ORDER BY journal_order.created_at, journal_order.created_nanos,
            journal_order.id
        """,
        """
        id parentId:parent provider connection account idempotencyKey providerOrderId symbol side type timeInForce quantity notional \
        limitPrice stopPrice trailPercentage:trail_percent trailAmount filledQuantity averageFillPrice takeProfit stopLoss stopLossLimit \
        closesPosition state rejection createdAt \
        submittedAt filledAt canceledAt
        """)

    private static let activities = Query(
        """
        SELECT *, executed_at AS executed FROM activity WHERE owner = ?
        ORDER BY connection, account, day, moment, moment_nanos, sequence, id
        """,
        """
        id connection account kind providerKind date:day executedAt:executed settlementDate:settles_on symbol side quantity \
        price amount currency accountAmount accountCurrency conversionRate providerOrderId:order_id groupId description:about
        """)

    private static let alerts = Query(
        "SELECT *, CAST(rearm_after AS TEXT) AS pause FROM alert WHERE owner = ? ORDER BY number",
        "id kind subject level orderStates label state rearmAfter:pause lastFiredAt createdAt updatedAt")
    private static let firings = Query(
        "SELECT *, as_of AS observed_at FROM alert_firing WHERE owner = ? ORDER BY number",
        "id alertId:alert kind subject level orderStates label value orderState asOf:observed_at firedAt")
    private static let webhooks = Query(
        "SELECT * FROM webhook WHERE owner = ? ORDER BY created_at, id", "id label state createdAt")

    /// The form of `DateTime`: three decimals, or six if the microseconds are not zero.
    private static func time(_ instant: Instant) -> String {
        let microseconds = String(instant.nanoseconds / 1_000)
        let seconds = Instant(secondsSince1970: instant.secondsSince1970) ?? instant
        let fraction = String(repeating: "0", count: max(0, 6 - microseconds.count)) + microseconds
        return seconds.description.dropLast() + "."
            + (fraction.hasSuffix("000") ? fraction.prefix(3) : fraction[...])
            + "Z"
    }
}

/// A JSON value whose members keep their order.
private indirect enum JSONText {
    case null
    case text(String)
    case array([JSONText])
    case object([(String, JSONText)])

    func write(to output: inout String) {
        switch self {
        case .null: output += "null"
        case .text(let text): Self.write(text, to: &output)
        case .array(let values):
            output += "["
            for (index, value) in values.enumerated() {
                if index > 0 { output += "," }
                value.write(to: &output)
            }
            output += "]"
        case .object(let members):
            output += "{"
            for (index, (name, value)) in members.enumerated() {
                if index > 0 { output += "," }
                Self.write(name, to: &output)
                output += ":"
                value.write(to: &output)
            }
            output += "}"
        }
    }

    /// RFC 8259, section 7: quotation marks, backslashes and control characters are escaped.
    private static func write(_ text: String, to output: inout String) {
        output += "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": output += "\\\""
            case "\\": output += "\\\\"
            case "\n": output += "\\n"
            case "\r": output += "\\r"
            case "\t": output += "\\t"
            case "\u{0}"..."\u{1F}":
                let digits = String(scalar.value, radix: 16)
                output += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: output.unicodeScalars.append(scalar)
            }
        }
        output += "\""
    }
}
