package import Brokerage
import Cryptography
import Foundation
package import PorticoCore

/// Stores users' connections.
///
/// A connection and its credential are always stored together.
package struct ConnectionStore: Sendable {
    private let database: SQLDatabase
    /// Of the same file.
    package let credentials: CredentialStore
    /// The consents that any process can complete; nil if one process uses the database.
    package let authorizations: AuthorizationStore?
    private let key: SymmetricKey

    /// The connections of a file.
    ///
    /// - Throws: `wrongMasterKey` where its credentials were sealed with another.
    package init(in file: UserDatabase, _ master: MasterKey) throws(StorageError) {
        database = file.database
        credentials = try CredentialStore(in: file, master)
        authorizations = database.postgres == nil ? nil : AuthorizationStore(database, credentials.keys)
        key = try TokenKey(in: database, master).key
    }

    /// The account whose quota calls with a connection's credential spend.
    ///
    /// All connections with the same key or token have the same account, now and after they are removed. A
    /// credential by consent is renewed by other tokens, and is only in this connection: the connection
    /// identifies it.
    package func quotaAccount(of connection: StoredConnection, _ secret: Secret) -> QuotaAccount {
        guard connection.redirectURI == nil else {
            return QuotaAccount(connection.provider, credential: connection.id)
        }
        let text = Array("portico quota \(connection.provider.storedText) ".utf8) + secret.bytes
        let code = HashFunction.sha256.authenticationCode(for: text.span, using: key)
        return QuotaAccount(connection.provider, credential: "key " + Data(code).base64EncodedString())
    }

    /// The result of storing a new connection.
    package enum InsertResult: Hashable, Sendable {
        case added
        /// Its owner has as many as one may have.
        case tooMany
        /// Another connection of the owner opens one of the accounts, whose values would count twice.
        case opensAlready(connection: String, account: StoredAccount)
    }

    /// Stores a new connection and its credential.
    ///
    /// - Returns: The result; nothing is stored if the connection was not added.
    package func add(
        _ connection: StoredConnection, _ secret: Secret, maximum most: Int
    ) async throws(StorageError) -> InsertResult {
        let credentials = credentials
        return try await database.write(for: connection.owner) { db in
            let count =
                try db.value("SELECT count(*) FROM connection WHERE owner = ?", [connection.owner.text]) ?? 0
            guard count < most else { return .tooMany }
            for account in connection.accounts {
                guard let other = try Self.connection(opening: account, like: connection, db) else {
                    continue
                }
                return .opensAlready(connection: other, account: account)
            }
            try db.execute(
                """
                INSERT INTO connection (id, owner, provider, environment, redirect_uri, label, connected_at)
                VALUES (?, ?, ?, ?, ?, ?, ?)
                """,
                [
                    connection.id, connection.owner.text, connection.provider.storedText,
                    connection.environment.rawValue, connection.redirectURI, connection.label,
                    connection.connectedAt.millisecondsSince1970,
                ])
            try Self.insert(connection.accounts, of: connection.id, db)
            _ = try credentials.save(secret, of: connection.credential, in: db)
            return .added
        }
    }

    /// The id of a connection with the same owner, provider and environment that opens an account.
    private static func connection(
        opening account: StoredAccount, like connection: StoredConnection, _ db: SQLTransaction
    ) throws -> String? {
        try db.value(
            """
            SELECT connection.id FROM connection
            JOIN connected_account ON connected_account.connection = connection.id
            WHERE connection.owner = ? AND connection.provider = ? AND connection.environment = ?
                AND connected_account.id = ?
            """,
            [
                connection.owner.text, connection.provider.storedText, connection.environment.rawValue,
                account.id,
            ], as: String.self)
    }

    /// Replaces the credential of a connection, and the accounts that it opens.
    ///
    /// - Returns: The version of the credential; nil if the connection no longer exists, and nothing was changed.
    package func renew(
        _ connection: StoredConnection, _ secret: Secret
    ) async throws(StorageError) -> Int? {
        let credentials = credentials
        return try await database.write(for: connection.owner) { db -> Int? in
            let count = try db.executeUpdate(
                """
                UPDATE connection
                SET redirect_uri = ?, label = ?, connected_at = ?, refused_at = NULL
                WHERE id = ? AND owner = ?
                """,
                [
                    connection.redirectURI, connection.label,
                    connection.connectedAt.millisecondsSince1970, connection.id, connection.owner.text,
                ])
            guard count > 0 else { return nil }
            try db.execute("DELETE FROM connected_account WHERE connection = ?", [connection.id])
            try Self.insert(connection.accounts, of: connection.id, db)
            return try credentials.save(secret, of: connection.credential, in: db)
        }
    }

    /// Deletes a connection of an owner with its accounts and its credential, unless orders of it are in
    /// progress.
    package func delete(_ id: String, of owner: OwnerID) async throws(StorageError) -> Deletion {
        try await database.write(for: owner) { db in
            let count = try JournalWrite.countInProgress(of: owner, by: id, in: db)
            guard count == 0 else { return .ordersInProgress(count) }
            let isDeleted =
                try db.executeUpdate(
                    "DELETE FROM connection WHERE id = ? AND owner = ?", [id, owner.text]) > 0
            return isDeleted ? .deleted : .unknown
        }
    }

    /// Whether an owner has a connection with this id.
    package func contains(_ id: String, of owner: OwnerID) async throws(StorageError) -> Bool {
        try await database.read { db in
            try db.value(
                "SELECT EXISTS (SELECT 1 FROM connection WHERE id = ? AND owner = ?)", [id, owner.text],
                as: Bool.self) == true
        }
    }

    /// Whether a connection is stored.
    package func contains(_ id: String) async throws(StorageError) -> Bool {
        try await database.read { db in
            try db.value("SELECT EXISTS (SELECT 1 FROM connection WHERE id = ?)", [id], as: Bool.self)
                ?? false
        }
    }

    /// Stores the time since which the provider rejects the credential of a connection; nil if it accepts
    /// it.
    ///
    /// Nothing is stored if the user has renewed the connection meanwhile: the rejection is that of the former credential.
    package func setRejected(
        _ connection: StoredConnection, at instant: Instant?
    ) async throws(StorageError) {
        try await database.write { db in
            try db.execute(
                "UPDATE connection SET refused_at = ? WHERE id = ? AND connected_at = ?",
                [
                    instant?.millisecondsSince1970, connection.id,
                    connection.connectedAt.millisecondsSince1970,
                ])
        }
    }

    /// Stores the accounts that a connection opens, if they have changed.
    package func setAccounts(_ accounts: [StoredAccount], of id: String) async throws(StorageError) {
        try await database.write { db in
            let isThere = try db.value(
                "SELECT EXISTS (SELECT 1 FROM connection WHERE id = ?)", [id], as: Bool.self)
            guard isThere == true else { return }
            try db.execute("DELETE FROM connected_account WHERE connection = ?", [id])
            try Self.insert(accounts, of: id, db)
        }
    }

    /// All connections of all users, the oldest first.
    ///
    /// For the start of the process: it waits. It reads them in pages.
    ///
    /// - Throws: `damagedConnection` for a row that another program has changed, or the error of the database.
    package func all() throws(StorageError) -> [StoredConnection] {
        let pages = try database.readNow(SQLPages(of: "connection")) { db, ids in
            try Self.all(db, "WHERE connection.id IN (\(ids.placeholders))", ids.arguments)
        }
        if let id = pages.lazy.flatMap(\.damaged).first { throw damage(of: id) }
        return pages.flatMap(\.connections).sorted { ($0.connectedAt, $0.id) < ($1.connectedAt, $1.id) }
    }

    /// The connections that a read has found.
    package struct Found: Sendable {
        /// The oldest first.
        package var connections: [StoredConnection] = []
        /// The versions of their credentials at the time of the read, by the ids of the connections.
        package var credentialVersions: [String: Int] = [:]
        /// The ids of those whose rows cannot be read, because another program has changed them.
        package var damaged: [String] = []
    }

    /// The error of a connection whose row cannot be read.
    package func damage(of id: String) -> StorageError {
        .damagedConnection(path: database.location, connection: id)
    }

    /// The connections of users.
    package func all(of owners: Set<OwnerID>) async throws(StorageError) -> Found {
        let list = SQLList(owners.map(\.text))
        return try await database.read { db in
            try Self.all(db, "WHERE connection.owner IN (\(list.placeholders))", list.arguments)
        }
    }

    private static func all(
        _ db: SQLTransaction, _ condition: String, _ arguments: SQLArguments
    ) throws -> Found {
        var accounts: [String: [StoredAccount]] = [:]
        let rows = try db.rows(
            """
            SELECT connected_account.* FROM connected_account
            JOIN connection ON connection.id = connected_account.connection \(condition)
            ORDER BY connected_account.connection, connected_account.place
            """, arguments)
        for row in rows {
            try accounts[row["connection"], default: []].append(
                StoredAccount(
                    id: row["id"], number: row["number"], name: row["name"], currency: row["currency"]))
        }
        var found = Found()
        let connections = try db.rows(
            """
            SELECT connection.*, credential.version AS credential_version FROM connection
            LEFT JOIN credential ON credential.connection = connection.id \(condition)
            ORDER BY connected_at, id
            """, arguments)
        for row in connections {
            let id: String = try row["id"]
            found.credentialVersions[id] = try row["credential_version"]
            do {
                found.connections.append(try StoredConnection(row, accounts: accounts[id] ?? []))
            } catch is CorruptedRow {
                found.damaged.append(id)
            }
        }
        return found
    }

    private static func insert(_ accounts: [StoredAccount], of connection: String, _ db: SQLTransaction)
        throws
    {
        for (place, account) in accounts.enumerated() {
            try db.execute(
                """
                INSERT INTO connected_account (connection, place, id, number, name, currency)
                VALUES (?, ?, ?, ?, ?, ?)
                """, [connection, place, account.id, account.number, account.name, account.currency])
        }
    }
}

extension StoredConnection {
    fileprivate init(_ row: SQLRow, accounts: [StoredAccount]) throws {
        guard let owner = try OwnerID(row["owner"]), let provider = try ProviderID(stored: row["provider"]),
            let environment = try Environment(rawValue: row["environment"]),
            let connectedAt = try row.instant("connected_at")
        else { throw CorruptedRow() }
        try self.init(
            id: row["id"], owner: owner, provider: provider, environment: environment,
            redirectURI: row["redirect_uri"], label: row["label"], connectedAt: connectedAt,
            rejectedAt: row.instant("refused_at"), accounts: accounts)
    }
}
