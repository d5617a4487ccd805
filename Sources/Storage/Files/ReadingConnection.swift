import GRDB

/// A connection of its own that only reads a file: it waits neither for the file's writer nor for one of its readers.
///
/// SQLite does not know that it only reads: the last connection that is closed has to tidy the file up.
struct ReadingConnection: Sendable {
    private let path: String
    private let queue: DatabaseQueue

    /// - Throws: What keeps the file from being opened.
    init(to file: DatabaseFile) throws(StorageError) {
        path = file.path
        do {
            var configuration = Configuration()
            configuration.busyMode = .timeout(5)
            queue = try DatabaseQueue(path: file.path, configuration: configuration)
        } catch {
            throw StorageError(error, path: file.path)
        }
    }

    /// Reads one state of the file.
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
