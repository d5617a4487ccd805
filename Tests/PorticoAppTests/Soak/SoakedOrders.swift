import Brokerage
import Sandbox
import Synchronization
import TestSupport
import Testing

/// Orders of the server's owner that are placed while the process dies: none may exist twice, and none that was
/// acknowledged may be lost.
final class SoakedOrders: Sendable {
    private struct State {
        /// By number, under which id an order was acknowledged.
        var acknowledged: [Int: String] = [:]
        var placed = 0
        var account: String?
    }

    // Several are placed at once.
    private let state = Mutex(State())

    /// Orders that are placed at once in each round.
    private static let each = 4

    /// What was under way when the process before was killed is asked again, with the same keys.
    func repeatLast(at server: RunningServer) async throws {
        let account = try await server.accountID()
        let placed = state.withLock { state in
            state.account = account
            return state.placed
        }
        for number in max(placed - Self.each, 0)..<placed {
            let id = try #require(try await place(number, in: account, server)["id"]?.string)
            acknowledge(number, id)
        }
    }

    /// Places some new ones.
    func placeSome(at server: RunningServer) async {
        let (numbers, account) = state.withLock { state in
            state.placed += Self.each
            return ((state.placed - Self.each)..<state.placed, state.account)
        }
        guard let account else { return }
        await withTaskGroup { group in
            for number in numbers {
                group.addTask { [self] in
                    let order = try? await place(number, in: account, server)
                    if let id = order?["id"]?.string { acknowledge(number, id) }
                }
            }
        }
    }

    private func acknowledge(_ number: Int, _ id: String) {
        let known = state.withLock { state in
            defer { state.acknowledged[number] = id }
            return state.acknowledged[number]
        }
        #expect(known == nil || known == id, "order \(number)")
    }

    private func place(_ number: Int, in account: String, _ server: RunningServer) async throws -> JSONValue {
        let answer = try await server.ask(
            SoakOrder(number).placing(in: account), token: ownerToken)
        return try #require(answer.json?["data"]?["placeOrder"]?["order"], "\(answer.body)")
    }

    /// Asks for the orders again: each is there under the id that was told, and once at the broker.
    func check(at server: RunningServer, of sandbox: Sandbox) async throws {
        let (acknowledged, placed) = state.withLock { ($0.acknowledged, $0.placed) }
        let counts = try await SoakOrder.counts(at: sandbox)
        for number in 0..<placed {
            let there = counts[SoakOrder(number).price, default: 0]
            #expect(there <= 1, "order \(number) exists \(there) times")
        }
        #expect(placed < 80 || !acknowledged.isEmpty)
        // As many as a minute's calls at the broker allow.
        for (number, id) in acknowledged.sorted(by: { $0.key > $1.key }).prefix(100) {
            var answer: RawResponse?
            // The placed orders have used calls of this minute.
            try await waitUntil(timeout: .seconds(150)) {
                answer = try await server.ask(
                    "{ order(id: \"\(id)\") { state limitPrice } }", token: ownerToken)
                return answer?.code != "QUOTA_EXHAUSTED"
            }
            let order = answer?.json?["data"]?["order"]
            let limit = order?["limitPrice"]?.string.flatMap { Brokerage.Decimal($0) }
            #expect(limit == SoakOrder(number).price, "\(answer?.body ?? "")")
            if order?["state"] == "OPEN" {
                #expect(counts[SoakOrder(number).price] == 1, "order \(number)")
            }
        }
    }
}
