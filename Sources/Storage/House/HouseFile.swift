import GRDB

/// `portico.db`: what users have entrusted to Portico; each write is on the disk before it is done.
package struct HouseFile: Sendable {
    package static let name = "portico.db"

    let database: DatabaseFile

    /// Opens the file in a folder, makes it where there is none, and brings its tables up to date.
    package init(in folder: DataFolder) throws(StorageError) {
        database = try DatabaseFile.open(Self.name, in: folder, .full, Self.migrator)
    }

    /// Opens the file of a folder in which a server may be running: it makes nothing, and waits for the server's writes.
    ///
    /// - Throws: `missing` where there is no file, `older` where it lacks tables.
    package static func existing(in folder: DataFolder) throws(StorageError) -> HouseFile {
        HouseFile(try .openExisting(Self.name, in: folder, .full, migrator))
    }

    private init(_ database: DatabaseFile) {
        self.database = database
    }

    /// A file that is forgotten with this value and all that works with it.
    package static func temporary() throws(StorageError) -> HouseFile {
        try HouseFile(in: TemporaryFolder())
    }

    private init(in temporary: TemporaryFolder) throws(StorageError) {
        var database = try DatabaseFile.open(Self.name, in: temporary.folder, .full, Self.migrator)
        database.temporary = temporary
        self.database = database
    }

    /// All steps from an empty file to today's tables, each in a file of its own; a released one never changes.
    static var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.addCredentials()
        migrator.addPeople()
        migrator.addConnections()
        migrator.addLists()
        migrator.addOrders()
        return migrator
    }
}
