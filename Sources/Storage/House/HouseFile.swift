import GRDB

/// `portico.db`: what users have entrusted to Portico; each write is on the disk before it is done.
package struct HouseFile: Sendable {
    package static let name = "portico.db"

    let database: DatabaseFile
    /// The folder that goes when the file is closed; nil for one that stays.
    private let temporary: TemporaryFolder?

    /// Opens the file in a folder, makes it where there is none, and brings its tables up to date.
    package init(in folder: DataFolder) throws(StorageError) {
        database = try DatabaseFile.open(Self.name, in: folder, .full, Self.migrator)
        temporary = nil
    }

    /// A file that is forgotten with this value.
    package static func temporary() throws(StorageError) -> HouseFile {
        try HouseFile(in: TemporaryFolder())
    }

    private init(in temporary: TemporaryFolder) throws(StorageError) {
        database = try DatabaseFile.open(Self.name, in: temporary.folder, .full, Self.migrator)
        self.temporary = temporary
    }

    /// All steps from an empty file to today's tables, each in a file of its own; a released one never changes.
    private static var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.addCredentials()
        migrator.addPeople()
        migrator.addConnections()
        return migrator
    }
}
