import Crypto
import Foundation
import Glibc

/// The key that seals the keys that seal credentials: 32 bytes that are not kept in a database.
package struct MasterKey: Sendable {
    let key: SymmetricKey
    /// Tells keys apart, and says nothing of them.
    let id: String

    /// Reads it from text, as an environment's variable has it.
    ///
    /// - Parameters:
    ///   - base64: 32 bytes in base64.
    ///   - origin: where it came from, for errors: the name of the variable.
    /// - Throws: `badMasterKey` for anything else.
    package init(base64: String, origin: String) throws(StorageError) {
        let text = base64.trimmingCharacters(in: .whitespacesAndNewlines)
        guard let bytes = Data(base64Encoded: text), bytes.count == 32 else {
            throw .badMasterKey(origin: origin)
        }
        self.init(SymmetricKey(data: bytes))
    }

    /// Reads it from a file; where there is none, makes one for this user alone (0600).
    package init(file path: String) throws(StorageError) {
        if let text = try Self.read(path) {
            try self.init(base64: text, origin: path)
            return
        }
        let key = SymmetricKey(size: .bits256)
        let made = MasterKey(key)
        // Whoever else made one in between has the one that counts.
        if try Self.create(path, made.text) {
            self = made
        } else {
            try self.init(base64: Self.read(path) ?? "", origin: path)
        }
    }

    /// The name of a folder's own key file.
    package static let fileName = "portico.key"

    /// The key that lies in a data folder; where there is none, makes one.
    ///
    /// Whoever takes the database alone cannot read its secrets; whoever takes the whole folder can. A key that is kept
    /// elsewhere protects against that as well.
    package init(in folder: DataDirectory) throws(StorageError) {
        try self.init(file: folder.path(of: Self.fileName))
    }

    /// Makes it the one that lies in a data folder, in place of any before.
    ///
    /// The old one or the new one lies there, whole, also when the machine fails in between.
    package func install(in folder: DataDirectory) throws(StorageError) {
        let (path, draft) = (folder.path(of: Self.fileName), folder.path(of: Self.fileName + ".new"))
        // Left over from an attempt that was cut short; where there is none, all the better.
        _ = unsafe unlink(draft)
        guard try Self.create(draft, text) else {
            throw .file(path: draft, reason: "somebody else writes there")
        }
        guard unsafe rename(draft, path) == 0 else { throw .file(path: path, reason: DataDirectory.reason()) }
        try DataDirectory.syncDirectory(of: path)
    }

    /// As a file has it.
    private var text: String {
        unsafe key.withUnsafeBytes { unsafe Data($0).base64EncodedString() } + "\n"
    }

    /// A key that is forgotten with the process, for what is.
    package static func random() -> MasterKey { MasterKey(SymmetricKey(size: .bits256)) }

    private init(_ key: SymmetricKey) {
        self.key = key
        let mark = HMAC<SHA256>.authenticationCode(for: Data("portico master key id".utf8), using: key)
        id = mark.prefix(8).map { byte in
            let digits = String(byte, radix: 16)
            return byte < 16 ? "0" + digits : digits
        }.joined()
    }

    /// Nil where there is no file.
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

    /// False where there is a file already.
    ///
    /// It is written beside its place and linked to it when it is whole and on the disk: a key that is half there would
    /// cost all credentials.
    private static func create(_ path: String, _ text: String) throws(StorageError) -> Bool {
        let draft = "\(path).\(getpid()).new"
        let descriptor = unsafe open(draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw .file(path: draft, reason: DataDirectory.reason()) }
        defer {
            close(descriptor)
            unsafe unlink(draft)
        }
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
