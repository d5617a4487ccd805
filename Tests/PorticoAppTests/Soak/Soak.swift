import Foundation

/// How long the soak tests last.
enum Soak {
    /// How often a process is killed in all, `SOAK_ROUNDS`: 50 unless it says otherwise.
    static var rounds: Int { number("SOAK_ROUNDS") ?? 50 }

    /// How many orders with exits are placed while the process is killed: 200 if `SOAK_ROUNDS` is set.
    static var brackets: Int { number("SOAK_ROUNDS") == nil ? 20 : 200 }

    /// How many alerts fire while the process is killed: 1000 if `SOAK_ROUNDS` is set.
    static var alerts: Int { number("SOAK_ROUNDS") == nil ? 60 : 1_000 }

    /// How often replicas, or the servers that they use, are disturbed while orders are placed: twice `SOAK_ROUNDS` if it is
    /// set.
    static func disturbances(of kinds: [Disturbance]) -> Int {
        let isReplica = kinds == Disturbance.ofReplicas
        return number("SOAK_ROUNDS").map { isReplica ? $0 * 2 : max($0 * 2 / 5, kinds.count) }
            ?? (isReplica ? 12 : kinds.count)
    }

    /// For how many windows of a quota replicas use all of it: a twentieth of `SOAK_ROUNDS` if it is set.
    static var windows: Int { max((number("SOAK_ROUNDS") ?? 0) / 20, 2) }

    /// How often the owner of a data stream is lost: a fifth of `SOAK_ROUNDS` if it is set.
    static var failovers: Int { number("SOAK_ROUNDS").map { max($0 / 5, 4) } ?? 4 }

    /// How long mixed load lasts, `SOAK_MINUTES`; nil for a few operations of each client, which show that the test works.
    static var minutes: Int? { number("SOAK_MINUTES") }

    /// Removes the ledger of calls with the cache: providers take so many calls a minute.
    static func forgetCalls(_ folder: URL) {
        for end in ["", "-wal", "-shm"] {
            try? FileManager.default.removeItem(at: folder.appending(path: "portico-cache.db\(end)"))
        }
    }

    private static func number(_ name: String) -> Int? {
        ProcessInfo.processInfo.environment[name].flatMap { Int($0) }.map { max($0, 1) }
    }
}
