import GRDB

/// A separate connection that only reads a file.
///
/// It waits neither for the file's writer nor for one of its readers.
///
/// It is not opened read-only in SQLite, because the last connection that is closed must clean up the file.
struct ReadingConnection: Sendable {
    private let path: String
    private let queue: DatabaseQueue

    /// - Throws: The reason why the file cannot be opened.
    init(to file: SQLiteDatabase) throws(StorageError) {
        path = file.path
        do {
            var configuration = Configuration()
            configuration.busyMode = .timeout(5)
            queue = try DatabaseQueue(path: file.path, configuration: configuration)
        } catch {
            throw StorageError(error, path: file.path)
        }
    }

    /// Reads from one consistent state of the file.
    func read<Value: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> Value
    ) async throws(StorageError) -> Value {
        do {
            return try await queue.read(body)
        } catch {
            throw StorageError(error, path: path)
        }
    }
}
