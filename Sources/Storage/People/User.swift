package import Brokerage
import GRDB
package import Upstream

/// Somebody to whom things belong.
package struct User: Hashable, Sendable {
    package let id: OwnerID
    package let kind: Kind
    package let isAdmin: Bool
    package let createdAt: Instant

    package enum Kind: Hashable, Sendable {
        /// Named by the settings: the owner of the server's broker keys, or the sandbox's demo user.
        case configured
        /// Came without a name; gone with the last session.
        case guest
        case named(String)
    }

    /// Nil for a guest, and for one whom the settings name.
    package var username: String? {
        switch kind {
        case .configured, .guest: nil
        case .named(let name): name
        }
    }
}

extension User {
    init(_ row: Row) throws {
        let name: String? = row["username"]
        let kind: Kind? =
            switch (row["kind"] as String, name) {
            case ("CONFIGURED", nil): .configured
            case ("GUEST", nil): .guest
            case ("NAMED", let name?): .named(name)
            default: nil
            }
        guard let id = OwnerID(row["id"]), let kind,
            let createdAt = Instant(millisecondsSince1970: row["created_at"])
        else { throw DatabaseError(resultCode: .SQLITE_CORRUPT) }
        self.init(id: id, kind: kind, isAdmin: row["is_admin"], createdAt: createdAt)
    }
}
