package import Brokerage
import GRDB
package import Upstream

/// Who there is: the users of a house.
package struct People: Sendable {
    let database: DatabaseFile

    package init(in file: HouseFile) {
        database = file.database
    }

    /// Sees to it that there is a user with this id, for one whom the settings name: what is theirs refers to it.
    ///
    /// For the start of the process: it waits.
    package func ensure(_ owner: OwnerID, now: Instant = .now) throws(StorageError) {
        try database.writeNow { db in
            try db.execute(
                sql: "INSERT INTO user (id, created_at) VALUES (?, ?) ON CONFLICT DO NOTHING",
                arguments: [owner.text, now.millisecondsSince1970])
        }
    }
}
