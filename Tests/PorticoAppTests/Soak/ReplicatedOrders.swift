import Brokerage
import Sandbox
import Synchronization
import TestSupport
import Testing

/// Orders of the owner that clients place at replicas in turn, each with its key until it is acknowledged.
final class ReplicatedOrders: Sendable {
    private struct State {
        var placed = 0
        /// The ids of acknowledged orders, by number.
        var acknowledged: [Int: String] = [:]
        /// The codes of errors that a client received.
        var codes: Set<String> = []
        var hasEnded = false
    }

    private let group: ReplicaGroup
    private let account: String
    // Clients place orders at the same time; held for a few look-ups.
    private let state = Mutex(State())

    /// A client waits so many seconds for a response, then sends the same request to the next replica.
    private static let patience = 3
    /// Between two orders of a client: the replicas' processors are shared with other tests.
    private static let pause = Duration.milliseconds(50)

    init(at group: ReplicaGroup) async throws {
        account = try await group.servers[0].accountID()
        self.group = group
    }

    /// The number of acknowledged orders.
    var count: Int { state.withLock(\.acknowledged.count) }

    /// The codes of errors that clients received in the meantime.
    var codes: Set<String> { state.withLock(\.codes) }

    /// Lets clients finish their orders, and place no further ones.
    func end() { state.withLock { $0.hasEnded = true } }

    /// Places one order after the other until ``end()``.
    ///
    /// - Parameter client: The number of the client, by which it chooses replicas.
    /// - Throws: `ConditionTimeout` if an order is not acknowledged although it is sent to all replicas again and again.
    func place(as client: UInt64) async throws {
        var random = SplitMix(seed: client)
        // A limit for a test that does not end its clients.
        for _ in 0..<1_000_000 {
            guard let number = next() else { return }
            try await waitUntil(timeout: .seconds(150)) {
                let servers = group.servers
                let server = servers[Int.random(in: servers.indices, using: &random)]
                return await place(number, at: server)
            }
            try await Task.sleep(for: Self.pause)
        }
    }

    private func next() -> Int? {
        state.withLock { state in
            guard !state.hasEnded else { return nil }
            state.placed += 1
            return state.placed - 1
        }
    }

    /// Sends an order once; returns whether the response acknowledges it.
    private func place(_ number: Int, at server: RunningServer) async -> Bool {
        guard
            let answer = try? await server.ask(
                SoakOrder(number).placing(in: account), token: ownerToken, patience: Self.patience)
        else {
            // The replica has ended or is stopped.
            try? await Task.sleep(for: .milliseconds(20))
            return false
        }
        let order = answer.json?["data"]?["placeOrder"]?["order"]
        // An order that may not have been sent is in this state until its replica sends it, or until it is deleted.
        guard let id = order?["id"]?.string, let isPending = order?["state"].map({ $0 == "PENDING" }),
            !isPending
        else {
            state.withLock { $0.codes.formUnion(answer.failures.compactMap(\.code)) }
            try? await Task.sleep(for: .milliseconds(20))
            return false
        }
        let known = state.withLock { state in
            defer { state.acknowledged[number] = id }
            return state.acknowledged[number]
        }
        #expect(known == nil || known == id, "order \(number)")
        return true
    }

    /// Compares the orders of the sandbox with those of the journal, and with the acknowledged ones.
    ///
    /// - Parameters:
    ///   - sandbox: The sandbox.
    ///   - journal: The state of each write in the journal, by idempotency key.
    /// - Throws: An error if the sandbox or a replica does not respond.
    func check(_ sandbox: Sandbox, _ journal: [String: String]) async throws {
        let (placed, acknowledged) = state.withLock { ($0.placed, $0.acknowledged) }
        let counts = try await SoakOrder.counts(at: sandbox)
        for number in 0..<placed {
            let (count, recorded) = (
                counts[SoakOrder(number).price, default: 0], journal[SoakOrder(number).key]
            )
            switch recorded {
            case "DONE"?: #expect(count == 1, "order \(number) exists \(count) times at the broker")
            case "REFUSED"?, "MISSING"?:
                #expect(count == 0, "order \(number) is \(recorded ?? "") and exists at the broker")
            case let state:
                Issue.record("order \(number) is \(state ?? "deleted"), and exists \(count) times")
            }
        }
        #expect(acknowledged.count == placed)
        // The newest only, because each read can be a call to the broker.
        for (number, id) in acknowledged.sorted(by: { $0.key > $1.key }).prefix(30) {
            let server = group.servers[number % group.count]
            let question = "{ order(id: \"\(id)\") { limitPrice } }"
            var answer = try await server.ask(question, token: ownerToken)
            // After the last disturbance a replica opens its connections to the database again.
            try await waitUntil {
                guard answer.code == "STORAGE_UNAVAILABLE" else { return true }
                answer = try await server.ask(question, token: ownerToken)
                return false
            }
            let limit = answer.json?["data"]?["order"]?["limitPrice"]?.string.flatMap {
                Brokerage.Decimal($0)
            }
            #expect(limit == SoakOrder(number).price, "\(answer.body)")
        }
    }
}
