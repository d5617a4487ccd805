import Synchronization
import Upstream

/// Keeps a credential in memory, and refuses on demand.
final class MemoryStore: RotatingCredentialStore {
    private struct State {
        var secret: [UInt8]?
        var version: Int64 = 1
        var isBroken = false
        var replacements = 0
    }

    private let state: Mutex<State>

    struct Broken: Error {}

    init(_ secret: [UInt8]?) {
        state = Mutex(State(secret: secret))
    }

    func load() async throws -> VersionedCredential? {
        try state.withLock { state in
            guard !state.isBroken else { throw Broken() }
            return state.secret.map { VersionedCredential(secret: $0, version: state.version) }
        }
    }

    func replace(_ secret: [UInt8], ifVersion version: Int64) async throws -> Int64? {
        try state.withLock { state in
            guard !state.isBroken else { throw Broken() }
            guard state.version == version else { return nil }
            state.version += 1
            state.secret = secret
            state.replacements += 1
            return state.version
        }
    }

    var secret: [UInt8]? { state.withLock(\.secret) }
    var replacements: Int { state.withLock(\.replacements) }

    /// From now on, or not any more, nothing can be read or written.
    func setBroken(_ isBroken: Bool) {
        state.withLock { $0.isBroken = isBroken }
    }

    /// As another process would.
    func put(_ secret: [UInt8]?) {
        state.withLock { state in
            state.secret = secret
            state.version += 1
        }
    }
}
