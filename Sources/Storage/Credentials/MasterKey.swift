package import Cryptography
import Foundation
import Glibc

/// The key that encrypts the data keys: 32 bytes that are not stored in a database.
package struct MasterKey: Sendable {
    let key: SymmetricKey
    /// Identifies the key without revealing it.
    package let id: String

    /// Reads a key from the text of a setting.
    ///
    /// - Parameters:
    ///   - base64: 32 bytes in Base64.
    ///   - origin: The name of the setting, for errors.
    /// - Throws: `badMasterKey` for any other text.
    package init(base64: String, origin: String) throws(StorageError) {
        let text = base64.trimmingCharacters(in: .whitespacesAndNewlines)
        guard let bytes = Data(base64Encoded: text), let key = SymmetricKey(bytes) else {
            throw .badMasterKey(origin: origin)
        }
        self.init(key)
    }

    /// Reads a key from a file; if there is none, creates it with permissions for its owner only (0600).
    package init(file path: String) throws(StorageError) {
        if let text = try Self.read(path) {
            try self.init(base64: text, origin: path)
            return
        }
        let key = SymmetricKey()
        let made = MasterKey(key)
        // If another process created the file in between, its key is used.
        if try Self.create(path, made.text) {
            self = made
        } else {
            try self.init(base64: Self.read(path) ?? "", origin: path)
        }
    }

    /// The name of a folder's own key file.
    package static let fileName = "portico.key"

    /// Reads the key in a data directory; creates one if there is none.
    ///
    /// Someone who copies only the database cannot read its secrets; someone who copies the whole directory
    /// can. A key that is stored elsewhere protects against that as well.
    package init(in folder: DataDirectory) throws(StorageError) {
        try self.init(file: folder.path(of: Self.fileName))
    }

    /// Writes this key to a data directory, in place of the previous one.
    ///
    /// The file contains the old key or the new one as a whole, also if the machine fails during the write.
    package func install(in folder: DataDirectory) throws(StorageError) {
        let (path, draft) = (folder.path(of: Self.fileName), folder.path(of: Self.fileName + ".new"))
        // A file of an interrupted attempt; there may be none.
        _ = unsafe unlink(draft)
        guard try Self.create(draft, text) else {
            throw .file(path: draft, reason: "somebody else writes there")
        }
        guard unsafe rename(draft, path) == 0 else { throw .file(path: path, reason: DataDirectory.reason()) }
        try DataDirectory.syncDirectory(of: path)
    }

    /// A key for one purpose; it does not reveal this key, and is the same in each process with this key.
    package func derivedKey(for purpose: String) -> SymmetricKey {
        let code = HashFunction.sha256.authenticationCode(for: purpose.utf8.span, using: key)
        guard let derived = SymmetricKey(code) else {
            preconditionFailure("A code of SHA-256 has the length of a key.")
        }
        return derived
    }

    /// As a file has it.
    private var text: String { Data(key.bytes).base64EncodedString() + "\n" }

    /// A key that exists only in this process.
    package static func random() -> MasterKey { MasterKey(SymmetricKey()) }

    private init(_ key: SymmetricKey) {
        self.key = key
        let mark = HashFunction.sha256.authenticationCode(for: "portico master key id".utf8.span, using: key)
        id = mark.prefix(8).hexadecimal
    }

    /// Returns nil if there is no file.
    private static func read(_ path: String) throws(StorageError) -> String? {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            if errno == ENOENT { return nil }
            throw .file(path: path, reason: DataDirectory.reason())
        }
        defer { close(descriptor) }
        var buffer = [UInt8](repeating: 0, count: 256)
        let count = unsafe Glibc.read(descriptor, &buffer, buffer.count)
        guard count >= 0 else { throw .file(path: path, reason: DataDirectory.reason()) }
        return String(decoding: buffer.prefix(count), as: UTF8.self)
    }

    /// Returns false if the file exists.
    ///
    /// The file is written under another name and linked when it is complete and on the disk: an incomplete
    /// key would make all credentials unreadable. The other name is random: in a container, every process has the same
    /// number, and a file of an interrupted attempt would have that name. If root writes the file, for example by a
    /// command, the directory's owner gets it: otherwise the server could not open that of its data directory.
    private static func create(_ path: String, _ text: String) throws(StorageError) -> Bool {
        let draft = "\(path).\(String(UInt64.random(in: 0...UInt64.max), radix: 16)).new"
        let descriptor = unsafe open(draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw .file(path: draft, reason: DataDirectory.reason()) }
        defer {
            close(descriptor)
            unsafe unlink(draft)
        }
        try DataDirectory.giveToOwner(descriptor, of: path)
        let bytes = Array(text.utf8)
        let count = unsafe Glibc.write(descriptor, bytes, bytes.count)
        guard count == bytes.count, fsync(descriptor) == 0 else {
            throw .file(path: draft, reason: DataDirectory.reason())
        }
        if unsafe link(draft, path) == 0 {
            try DataDirectory.syncDirectory(of: path)
            return true
        }
        if errno == EEXIST { return false }
        throw .file(path: path, reason: DataDirectory.reason())
    }
}

extension MasterKey: CustomStringConvertible, CustomReflectable {
    package var description: String { "master key \(id)" }
    package var customMirror: Mirror { Mirror(self, children: ["id": id]) }
}
