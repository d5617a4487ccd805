import ArgumentParser
import Foundation
import Storage

/// The data folder that a command looks after, and the master key in use there.
struct DataDirectoryOptions {
    let folder: DataDirectory
    /// The key that the environment names, else the folder's own; nil where there is neither.
    let masterKey: MasterKey?
    /// Whether the environment names it.
    let isKeyNamed: Bool

    /// - Parameter path: The folder that holds `portico.db`.
    /// - Throws: `UsageError` where it does not, `StorageError` where what is there cannot be used.
    init(_ path: String) async throws {
        guard FileManager.default.fileExists(atPath: path + "/" + UserDatabase.name) else {
            throw UsageError(
                "The folder \"\(path)\" has no \(UserDatabase.name). With the sandbox, it is in the folder sandbox in it."
            )
        }
        folder = try DataDirectory(path)
        let settings = try await SettingsLoader(
            flags: [:], environment: ProcessInfo.processInfo.environment)
        let named = try MasterKeySource(settings)?.key()
        isKeyNamed = named != nil
        let hasOwn = FileManager.default.fileExists(atPath: path + "/" + MasterKey.fileName)
        masterKey = try named ?? (hasOwn ? MasterKey(in: folder) : nil)
    }
}
