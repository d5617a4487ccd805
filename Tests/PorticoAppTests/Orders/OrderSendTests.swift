import Brokerage
import Foundation
import GRDB
import Sandbox
import TestSupport
import Testing

#if canImport(Glibc)
import Glibc
#else
import Musl
#endif

@Suite("An order whose process is stopped before it is sent")
struct OrderSendTests {
    private static let orders = "POST /v2/orders"
    private static let bars = "GET /v2/stocks/bars"

    /// The limit of connections to one host.
    private static let connections = 16

    @Test(
        "is not sent if the process resumes more than five seconds after the mark, and can be placed again")
    func stopped() async throws {
        try await withSandbox { sandbox in
            try await withFolder { folder in
                let environment = try Upstream(sandbox).environment(
                    in: folder, ["PORTICO_UPSTREAM_CONNECTIONS_PER_HOST": "\(Self.connections)"])
                try await withServer(environment: environment) { server in
                    // All other values of the order are cached, so that only the order itself waits below.
                    let asked = try await server.ask(
                        #"{ account { id } instrument(symbol: "AMD") { symbol } }"#, token: ownerToken)
                    let account = try #require(
                        asked.json?["data"]?["account"]?["id"]?.string, "\(asked.body)")
                    // Slow charts use all connections, so that the order waits for one after it was marked.
                    try #require(
                        sandbox.faults.add(
                            Fault(
                                .latency(.seconds(60)), provider: .alpaca, endpoint: Self.bars,
                                remaining: Self.connections)))
                    try await withThrowingTaskGroup { group in
                        for last in 1...Self.connections {
                            group.addTask {
                                _ = try await server.ask(
                                    #"{ chart(symbol: "KO", interval: ONE_DAY, last: \#(last)) { fetchedAt } }"#,
                                    token: ownerToken)
                            }
                        }
                        try await waitUntil { sandbox.calls[.alpaca, Self.bars] >= Self.connections }
                        async let placed = Self.place(server, account, "one")
                        try await Self.marked(in: folder)
                        kill(server.program.processID, SIGSTOP)
                        let state = "/proc/\(server.program.processID)/stat"
                        try await waitUntil {
                            try String(contentsOfFile: state, encoding: .utf8).contains(") T ")
                        }
                        // The kernel receives the charts while the process is stopped: the connections are free
                        // when it resumes.
                        sandbox.faults.reset()
                        try await Task.sleep(for: .seconds(6))
                        kill(server.program.processID, SIGCONT)
                        let refused = try await placed
                        #expect(
                            refused.failures == [FieldFailure("placeOrder", "PROVIDER_UNAVAILABLE", "alpaca")]
                        )
                        try await group.waitForAll()
                    }
                    #expect(sandbox.calls[.alpaca, Self.orders] == 0)
                    // The journal has recorded that nothing was sent: the same key places the order now.
                    let again = try await Self.place(server, account, "one")
                    let order = again.json?["data"]?["placeOrder"]?["order"]
                    #expect(order?["providerOrderId"]?.string != nil, "\(again.body)")
                    #expect(sandbox.calls[.alpaca, Self.orders] == 1)
                }
            }
        }
    }

    private static func place(
        _ server: RunningServer, _ account: String, _ key: String
    ) async throws -> RawResponse {
        try await server.ask(
            """
            mutation { placeOrder(input: { idempotencyKey: "\(key)" accountId: "\(account)" side: BUY
                instrument: { symbol: "AMD" } size: { quantity: "1" } timeInForce: GTC price: { limit: "2.50" } }) {
                order { id state providerOrderId } } }
            """, token: ownerToken)
    }

    /// Returns once the journal has marked a write as sent.
    private static func marked(in folder: URL) async throws {
        var configuration = GRDB.Configuration()
        configuration.readonly = true
        let database = try DatabaseQueue(
            path: folder.appending(path: "portico.db").path, configuration: configuration)
        let deadline = ContinuousClock.now + .seconds(8)
        while try await database.read({ db in
            try Int.fetchOne(db, sql: "SELECT count(*) FROM journal_write WHERE state = 'SENT'")
        }) == 0 {
            // Ten seconds after its request, the attempt of a chart ends, and the order does not wait for it.
            try #require(ContinuousClock.now < deadline, "not marked while the charts were slow")
            try await Task.sleep(for: .milliseconds(2))
        }
    }
}
