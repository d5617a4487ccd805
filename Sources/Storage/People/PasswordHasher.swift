import Dispatch
import Synchronization

/// Hashes passwords on threads of its own, few at a time: each takes a quarter of a second and 32 MiB.
package final class PasswordHasher: Sendable {
    /// What new hashes are made with.
    package let cost: PasswordCost
    private let lanes: [DispatchQueue]
    private let queueLimit: Int
    // A lock, because requests come on any thread.
    private let loads: Mutex<[Int]>
    /// Of no password: compared where there is no user, so that it takes as long.
    private let decoy: PasswordHash

    /// - Parameters:
    ///   - cost: what new hashes are made with.
    ///   - width: how many are made at a time.
    ///   - queueLimit: how many may wait besides.
    package init(_ cost: PasswordCost = .standard, width: Int = 2, queueLimit: Int = 30) {
        self.cost = cost
        self.queueLimit = queueLimit
        decoy = PasswordHash(matchingNothing: cost)
        lanes = (0..<max(1, width)).map { DispatchQueue(label: "portico.passwords.\($0)", qos: .utility) }
        loads = Mutex(Array(repeating: 0, count: max(1, width)))
    }

    /// Why there is no answer.
    package enum Failure: Error {
        /// So many wait already that another would have to wait for seconds.
        case overloaded
        /// scrypt could not be run, for want of memory.
        case failed
    }

    /// Hashes a new password.
    package func hash(_ password: Password) async throws(Failure) -> PasswordHash {
        try await run { [cost] in try PasswordHash(password, cost) }
    }

    /// What comparing has found.
    package enum Comparison: Sendable {
        case different
        case equal
        /// Equal, and here is the hash that is to be kept instead: the old one was made at another cost.
        case outdated(PasswordHash)
    }

    /// Compares a password with what is kept.
    ///
    /// - Parameters:
    ///   - password: nil for what no password can be.
    ///   - hash: nil where there is no such user: it takes as long.
    /// - Returns: what came of it; `different` where either is nil.
    /// - Throws: that too many wait, or that scrypt could not be run.
    package func compare(
        _ password: Password?, with hash: PasswordHash?
    ) async throws(Failure) -> Comparison {
        try await run { [self] in
            let subject = hash ?? decoy
            let matches = try subject.matches(password ?? .decoy)
            guard matches, hash != nil, let password else { return .different }
            if subject.cost == cost { return .equal }
            return .outdated(try PasswordHash(password, cost))
        }
    }

    private func run<Value: Sendable>(
        _ work: @escaping @Sendable () throws -> Value
    ) async throws(Failure) -> Value {
        guard let lane = enter() else { throw .overloaded }
        let result: Result<Value, any Error> = await withCheckedContinuation { continuation in
            lanes[lane].async {
                let result = Result { try work() }
                self.leave(lane)
                continuation.resume(returning: result)
            }
        }
        switch result {
        case .success(let value): return value
        case .failure: throw .failed
        }
    }

    /// The lane with the least to do; nil where there is too much.
    private func enter() -> Int? {
        loads.withLock { loads in
            guard loads.reduce(0, +) < loads.count + queueLimit,
                let lane = loads.indices.min(by: { loads[$0] < loads[$1] })
            else { return nil }
            loads[lane] += 1
            return lane
        }
    }

    private func leave(_ lane: Int) {
        loads.withLock { $0[lane] -= 1 }
    }
}
