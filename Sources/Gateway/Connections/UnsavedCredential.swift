import Synchronization
import Upstream

/// Keeps a credential in memory while it is tried out, before there is a connection.
final class UnsavedCredential: RotatingCredentialStore {
    // Replaced by a renewal on any task.
    private let state: Mutex<(secret: [UInt8], version: Int64)>

    init(_ secret: [UInt8]) {
        state = Mutex((secret, 1))
    }

    /// The one to keep.
    var secret: [UInt8] { state.withLock { $0.secret } }

    func load() async -> VersionedCredential? {
        state.withLock { VersionedCredential(secret: $0.secret, version: $0.version) }
    }

    func replace(_ secret: [UInt8], ifVersion version: Int64) async -> Int64? {
        state.withLock { state in
            guard state.version == version else { return nil }
            state = (secret, version + 1)
            return state.version
        }
    }
}
