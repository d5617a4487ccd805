import Brokerage
import Coordination
import Foundation
import Gateway
import GraphQL
import PorticoCore
import Sandbox
import Storage
import TestSupport
import Testing
import Upstream

@Suite("An order that waits to be sent")
struct OrderRecordTests {
    /// Places an order, runs a closure while the order waits to be sent, and lets the order continue.
    ///
    /// - Returns: The response to `placeOrder`.
    private func place(
        _ gateway: TestGateway, as owner: OwnerID = alice,
        meanwhile: (_ backends: GatewayServices, _ journal: OrderJournal) async throws -> Void
    ) async throws -> JSONValue {
        let client = try gateway.client(.demo)
        let (isWaiting, mayGoOn) = (Event<Void>(), Event<Void>())
        let trading = InterceptedTrading(
            client: client,
            beforePlacing: {
                isWaiting.happen()
                await mayGoOn.wait()
            })
        let backends = try gateway.backends([
            BrokerConnection(
                id: "demo", owner: owner, provider: .alpaca, environment: .sandbox, accounts: client,
                orders: trading)
        ])
        var order = TestOrder(account: try await gateway.account(of: owner, backends))
        order.price = "{ limit: \"2.55\" }"
        let response = Task { [order] in try await gateway.place(order, as: owner, backends) }
        await isWaiting.wait()
        let result = await Result.of {
            try await meanwhile(backends, gateway.userData.orders.journal)
        }
        mayGoOn.happen()
        let answer = try await response.value
        try result.get()
        return answer
    }

    /// The only order of a user in the journal.
    private func recorded(_ journal: OrderJournal, of owner: OwnerID = alice) async throws -> JournalOrder {
        let orders = try await journal.orders(.all, of: owner, "demo", before: nil, limit: 10)
        return try #require(orders.count == 1 ? orders.first : nil, "\(orders)")
    }

    @Test("is not sent if its entry in the journal has been deleted in the meantime")
    func unrecorded() async throws {
        try await withGateway { gateway in
            let answer = try await place(gateway) { _, journal in
                // An older `portico users delete` would remove it in this way from another process.
                let order = try await recorded(journal)
                try await journal.recordOutcome(.notProcessed, of: order.identity.id)
                #expect(try await journal.order(order.identity) == nil)
            }
            #expect(gateway.placings == 0)
            #expect(answer.failures == [FieldFailure("placeOrder", "CONFLICT", nil)], "\(answer)")
            #expect(
                answer["errors"]?[0]?["message"]?.string
                    == """
                    The request was not sent to the broker, because its entry in the journal has been deleted. \
                    Check the orders, then repeat the request.
                    """)
        }
    }

    @Test(
        "is STORAGE_UNAVAILABLE if another replica has taken its entry over, and is placed once when it is repeated"
    )
    func takenOver() async throws {
        var limits = PostgresLimits()
        (limits.lookUp, limits.transaction) = (.seconds(60), .seconds(60))
        let url = try PostgresURL(
            PostgresCluster.shared.get().url(), origin: "the test's URL",
            schema: "test_" + UUID().uuidString.lowercased().replacing("-", with: ""))
        let (file, other) = (try UserDatabase(at: url, limits), try UserDatabase(at: url, limits))
        let replicas = try [file, other].map { try Coordination.replicated($0, version: "test") }
        try await withGateway(in: file, coordination: replicas[0]) { gateway in
            let answer = try await place(gateway) { _, journal in
                // An outage: this replica cannot report for longer than it counts as running, and the other one
                // reports first.
                try await other.database.write { [id = replicas[0].membership.id] db in
                    try db.execute("UPDATE replica SET expires_at = 1 WHERE id = ?", [id])
                }
                try await OrderJournal(in: other, of: replicas[1].membership.id).abandonUnattended()
                try await replicas[0].membership.refresh()
            }
            #expect(gateway.placings == 0)
            #expect(answer.failures == [FieldFailure("placeOrder", "STORAGE_UNAVAILABLE", nil)], "\(answer)")
            let error = answer["errors"]?[0]
            #expect(
                error?["message"]?.string
                    == """
                    The request was not sent to the broker. The database was not available to this server for so long \
                    that another one has removed the entry in the journal. Repeat the request.
                    """)
            #expect(error?["extensions"]?["retryAt"]?.string.flatMap { Instant($0) } != nil, "\(answer)")
            let repeated = try await place(gateway) { _, _ in }
            #expect(repeated["data"]?["placeOrder"]?["order"]?["state"] == "OPEN", "\(repeated)")
            #expect(gateway.placings == 1)
        }
    }

    @Test(
        "that an earlier process did not send is sent when it is placed again, before other writes are settled"
    )
    func retry() async throws {
        try await withGateway { gateway in
            let backends = try gateway.backends([gateway.connection("demo", of: alice)])
            var order = TestOrder(account: try await gateway.account(backends))
            order.price = "{ limit: \"2.55\" }"
            let left = OrderPlacement(
                owner: alice, connection: "demo", isConnectionStored: false, provider: .alpaca,
                idempotencyKey: order.key,
                ticket: OrderTicket(
                    clientOrderID: "", accountID: "any", symbol: .example, side: .buy, size: .quantity(1),
                    price: .market))
            // Another journal of the same file stands for another process.
            _ = try await OrderJournal(in: gateway.userData.file).begin(left)
            let placed = try await gateway.placed(order, backends)
            #expect(placed["state"] == "OPEN", "\(placed)")
            #expect(gateway.placings == 1)
            #expect(try await recorded(gateway.userData.orders.journal).identity.id != left.id)
        }
    }

    @Test("of an earlier process are settled before the first request")
    func start() async throws {
        try await withGateway { gateway in
            let ticket = OrderTicket(
                clientOrderID: "", accountID: "any", symbol: .example, side: .buy, size: .quantity(1),
                price: .market)
            let placings = ["unsent", "sent"].map { key in
                OrderPlacement(
                    owner: alice, connection: "demo", isConnectionStored: false, provider: .alpaca,
                    idempotencyKey: key, ticket: ticket)
            }
            let earlier = OrderJournal(in: gateway.userData.file)
            for placing in placings { _ = try await earlier.begin(placing) }
            #expect(try await earlier.markSent(placings[1].id))
            try await gateway.userData.abandonUnattendedWrites()
            let order = try await recorded(gateway.userData.orders.journal)
            #expect(order.identity == placings[1].identity && order.order.state == .unconfirmed)
        }
    }

    @Test("keeps its entry and its idempotency key when the system clock is set forward by an hour")
    func clock() async throws {
        try await withGateway { gateway in
            let answer = try await place(gateway) { backends, journal in
                let clock = TimeSource(
                    now: TimeSource.system.now, wallTime: { .now + .seconds(3_600) },
                    sleep: TimeSource.system.sleep)
                _ = try await OrderReconciliation(backends, clock: clock).round()
                #expect(try await recorded(journal).order.state == .pending)
            }
            #expect(answer["data"]?["placeOrder"]?["order"]?["state"] == "OPEN", "\(answer)")
            #expect(gateway.placings == 1)
            #expect(try await recorded(gateway.userData.orders.journal).order.state == .open)
        }
    }

    @Test("prevents the deletion of its user until the order has been sent and has a response")
    func deletion() async throws {
        try await withGateway { gateway in
            let sessions = gateway.userData.authentication.sessions
            let wish = SessionStore.Options(scopes: [.read, .write, .trade], label: nil)
            let guest = try #require(try await sessions.openForGuest(wish))
            let session = Session(guest.session)
            let deletion = "mutation { deleteUser { deletedId } }"
            func delete(_ backends: GatewayServices) async throws -> JSONValue {
                let response = gateway.respond(to: deletion, in: session, backends)
                return try JSONValue(parsing: try await response.value().body)
            }
            var backends: GatewayServices?
            let answer = try await place(gateway, as: guest.user.id) { all, _ in
                backends = all
                let refused = try await delete(all)
                #expect(refused.failures == [FieldFailure("deleteUser", "CONFLICT", nil)], "\(refused)")
                #expect(
                    refused["errors"]?[0]?["message"]?.string
                        == """
                        1 request about this user's orders is in progress at a broker. Delete the user when it \
                        has ended, in a minute at most.
                        """)
                #expect(sessions.session(guest.session.id) != nil)
            }
            #expect(answer["data"]?["placeOrder"]?["order"]?["state"] == "OPEN", "\(answer)")
            let journal = gateway.userData.orders.journal
            #expect(try await recorded(journal, of: guest.user.id).order.state == .open)
            let deleted = try await delete(try #require(backends))
            #expect(deleted.failures.isEmpty, "\(deleted)")
            #expect(try await journal.orders(.all, of: guest.user.id, "demo", before: nil, limit: 1).isEmpty)
        }
    }

    @Test("outlives its guest's last session; the guest is deleted after the order's response")
    func lastSession() async throws {
        try await withGateway { gateway in
            let sessions = gateway.userData.authentication.sessions
            let wish = SessionStore.Options(scopes: [.read, .write, .trade], label: nil)
            let guest = try #require(try await sessions.openForGuest(wish))
            let journal = gateway.userData.orders.journal
            _ = try await place(gateway, as: guest.user.id) { _, journal in
                #expect(try await sessions.revoke(guest.session.id, of: guest.user.id))
                try await GuestDeletion(of: sessions).run()
                #expect(try await recorded(journal, of: guest.user.id).order.state == .pending)
            }
            #expect(gateway.placings == 1)
            #expect(try await recorded(journal, of: guest.user.id).order.state == .open)
            try await GuestDeletion(of: sessions).run()
            #expect(try await journal.orders(.all, of: guest.user.id, "demo", before: nil, limit: 1).isEmpty)
        }
    }
}
