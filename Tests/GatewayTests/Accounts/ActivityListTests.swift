import Brokerage
import Gateway
import Sandbox
import Storage
import TestSupport
import Testing
import Upstream

@Suite("Lists of activities")
struct ActivityListTests {
    /// A page of 100 activities, and the cursor behind it.
    private static func page(
        _ gateway: TestGateway, _ services: GatewayServices, after cursor: String? = nil
    ) async throws -> (nodes: [JSONValue], edges: [JSONValue], end: String?) {
        let after = cursor.map { ", after: \"\($0)\"" } ?? ""
        let data = try await gateway.data(
            """
            { account { activities(first: 100\(after)) {
                nodes { id description } edges { cursor node { id } } pageInfo { endCursor } } } }
            """, services)
        let page = try #require(data["account"]?["activities"])
        return (
            try #require(page["nodes"]?.elements), try #require(page["edges"]?.elements),
            page["pageInfo"]?["endCursor"]?.string
        )
    }

    private static func account(_ gateway: TestGateway, _ services: GatewayServices) async throws
        -> ActivityAccount
    {
        let id = try await gateway.data("{ account { id } }", services)["account"]?["id"]?.string
        let account = try #require(id?.split(separator: ":").last)
        return ActivityAccount(
            owner: alice, connection: "demo", account: String(account), isConnectionStored: false)
    }

    @Test(
        "come from memory behind a cursor as long as nothing changes, and then have what another process has stored"
    )
    func memory() async throws {
        try await withGateway { gateway in
            let services = try gateway.backends([gateway.connection("demo", of: alice)])
            let start = try await Self.page(gateway, services)
            let second = try await Self.page(gateway, services, after: start.end)
            #expect(start.nodes.count == 100 && !second.nodes.isEmpty)
            // No store writes an activity without its coverage; so the text shows where an activity comes from.
            try await gateway.userData.file.database.write { db in
                try db.execute("UPDATE activity SET about = 'in the database'")
            }
            #expect(try await Self.page(gateway, services).nodes == start.nodes)
            #expect(try await Self.page(gateway, services, after: start.end).nodes == second.nodes)
            // The broker was read a moment ago and is not read again.
            let day = try #require(CalendarDate(year: 2026, month: 11, day: 20))
            var activity = Activity(id: "new", kind: .fee, providerKind: "FEE", date: day)
            activity.time = .latest
            let account = try await Self.account(gateway, services)
            let calls = gateway.calls
            _ = try await ActivityStore(in: gateway.userData.file).save(
                ActivityPage(activities: [activity]), for: ActivityQuery(since: day), of: account)
            let newest = try await Self.page(gateway, services)
            #expect(gateway.calls == calls)
            #expect(newest.nodes.first?["id"]?.string == "Activity:demo:\(account.account):new")
            #expect(newest.nodes.dropFirst().map { $0["id"] } == start.nodes.dropLast().map { $0["id"] })
            #expect(newest.nodes.dropFirst().allSatisfy { $0["description"] == "in the database" })
        }
    }

    @Test(
        "have a null with the member for a row without an id, and what is calculated from all activities is null",
        arguments: [
            (ProviderID.alpaca, "GET /v2/account/activities", "id"),
            (.saxo, "GET /cs/v1/reports/trades/{client_key}", "TradeId"),
            (.saxo, "GET /cs/v1/reports/bookings/{client_key}", "BkAmountId"),
        ])
    func unreadable(provider: ProviderID, endpoint: String, member: String) async throws {
        try await withGateway { gateway in
            let services = try gateway.backends([
                provider == .saxo ? gateway.saxo(of: alice) : gateway.connection("demo", of: alice)
            ])
            try #require(
                gateway.sandbox.faults.add(Fault(.unreadableRow, provider: provider, endpoint: endpoint)))
            func page(_ arguments: String) async throws -> JSONValue {
                try await gateway.ask(
                    """
                    { account { activities(\(arguments)) { nodes { id } pageInfo { endCursor hasNextPage } }
                        performance(range: ONE_YEAR) { from } } }
                    """, as: alice, services)
            }
            let answer = try await page("first: 20")
            let list = try #require(answer["data"]?["account"]?["activities"], "\(answer)")
            let nodes = try #require(list["nodes"]?.elements)
            #expect(nodes.count == 21 && nodes.last == .null, "\(answer)")
            #expect(nodes.dropLast().allSatisfy { $0["id"]?.string != nil })
            #expect(answer["data"]?["account"]?["performance"] == .null)
            let messages = answer["errors"]?.elements?.compactMap { $0["message"]?.string } ?? []
            #expect(messages.count == 2, "\(messages)")
            for message in messages {
                #expect(message.hasPrefix("\(provider.name.text) sent an activity that cannot be read: "))
                #expect(message.contains(member))
            }
            #expect(
                answer.failures.compactMap(\.path).sorted() == [
                    "account.activities.nodes.20", "account.performance",
                ])
            let cursor = try #require(list["pageInfo"]?["endCursor"]?.string)
            let second = try await page("first: 20, after: \"\(cursor)\"")
            let others = try #require(second["data"]?["account"]?["activities"]?["nodes"]?.elements)
            #expect(others.count == 20 && others.allSatisfy { $0 != .null }, "\(second)")
        }
    }

    @Test("have a cursor for each edge, behind which the next activities are")
    func cursors() async throws {
        try await withGateway { gateway in
            let services = try gateway.backends([
                gateway.connection("demo", of: alice), gateway.connection("second one", of: alice, .second),
            ])
            let start = try await Self.page(gateway, services)
            for index in [0, 1, 50, 98] {
                let cursor = try #require(start.edges[index]["cursor"]?.string)
                let next = try await Self.page(gateway, services, after: cursor)
                #expect(next.nodes.first == start.nodes[index + 1])
            }
            #expect(start.edges.last?["cursor"]?.string == start.end)
            let data = try await gateway.data(
                """
                { activities(first: 40) { edges { cursor node { id } } pageInfo { startCursor endCursor } } }
                """, services)
            let edges = try #require(data["activities"]?["edges"]?.elements)
            #expect(data["activities"]?["pageInfo"]?["startCursor"] == edges.first?["cursor"])
            #expect(data["activities"]?["pageInfo"]?["endCursor"] == edges.last?["cursor"])
            for (edge, next) in zip(edges, edges.dropFirst()) {
                let cursor = try #require(edge["cursor"]?.string)
                let data = try await gateway.data(
                    "{ activities(first: 1, after: \"\(cursor)\") { nodes { id } } }", services)
                #expect(data["activities"]?["nodes"]?[0]?["id"] == next["node"]?["id"])
            }
        }
    }
}
