import Brokerage
import Sandbox
import Storage
import TestSupport
import Testing
import Upstream

@Suite("Activities")
struct ActivityTests {
    private static let alpacaPages = "GET /v2/account/activities"
    private static let saxoReports = [
        "GET /cs/v1/reports/bookings/{client_key}", "GET /cs/v1/reports/trades/{client_key}",
    ]

    /// The fields of an activity that identify it and its place.
    private static let fields = """
        nodes { id provider kind providerKind date executedAt symbol side quantity price amount currency
          accountAmount accountCurrency account { id } }
        edges { cursor node { id } } pageInfo { hasNextPage hasPreviousPage startCursor endCursor } since stale
        """

    /// A gateway whose clock stands still, so that counts of calls are the same in every run.
    private static func withGateway(_ test: (TestGateway) async throws -> Void) async throws {
        try await withTestGateway(clock: GatewayClock(isStopped: true)) { configuration in
            configuration.saxo.requestsPerMinute = 1_000_000
        } _: { gateway in
            try await test(gateway)
        }
    }

    /// The pages of a list; every edge has the node of its place.
    private static func pages(
        _ gateway: TestGateway, first: Int, _ arguments: String = "", as user: OwnerID? = nil
    ) async throws -> [JSONValue] {
        var pages: [JSONValue] = []
        var cursor: String?
        repeat {
            let after = cursor.map { " after: \"\($0)\"" } ?? ""
            let answer = try await gateway.ask(
                "{ activities(first: \(first)\(after) \(arguments)) { \(fields) } }", as: user)
            try #require(answer.failures.isEmpty, "\(answer.failures)")
            let page = try #require(answer["data"]?["activities"])
            let nodes = try #require(page["nodes"]?.elements)
            #expect(page["edges"]?.elements?.map { $0["node"]?["id"] } == nodes.map { $0["id"] })
            #expect(nodes.count <= first)
            #expect(page["pageInfo"]?["hasPreviousPage"] == .bool(cursor != nil))
            pages.append(page)
            cursor = page["pageInfo"]?["endCursor"]?.string
            guard page["pageInfo"]?["hasNextPage"] == .bool(true) else { return pages }
        } while pages.count < 5_000
        Issue.record("the pages do not end")
        return pages
    }

    private static func nodes(
        _ gateway: TestGateway, first: Int = 500, _ arguments: String = "", as user: OwnerID? = nil
    ) async throws -> [JSONValue] {
        try await pages(gateway, first: first, arguments, as: user).flatMap { $0["nodes"]?.elements ?? [] }
    }

    private static func calls(_ gateway: TestGateway) -> (alpaca: Int, saxo: Int) {
        let (alpaca, saxo) = (gateway.calls(of: .alpaca), gateway.calls(of: .saxo))
        return (alpaca[alpacaPages] ?? 0, saxoReports.reduce(0) { $0 + (saxo[$1] ?? 0) })
    }

    @Test("of five years cost a call for each page at first, and then at most one for each account")
    func fiveYears() async throws {
        try await Self.withGateway { gateway in
            let all = try await Self.nodes(gateway)
            let ofAlpaca = all.filter { $0["provider"] == "alpaca" }.count
            let accounts = Set(all.filter { $0["provider"] == "saxo" }.map { $0["account"]?["id"]?.string })
            #expect(ofAlpaca > 100 && accounts.count == 2)
            let first = Self.calls(gateway)
            // The last page of Alpaca is not full. No report of Saxo fills a page of 1000.
            #expect(first.alpaca == ofAlpaca / 100 + 1)
            #expect(first.saxo == 4)
            let days = all.compactMap { $0["date"]?.string }
            #expect(days == days.sorted(by: >))
            #expect(try #require(days.last) < "2022-01-01")
            gateway.clock.advance(by: .seconds(60))
            #expect(try await Self.nodes(gateway) == all)
            let second = Self.calls(gateway)
            #expect(second.alpaca == first.alpaca + 1)
            // Saxo's reports change once a day.
            #expect(second.saxo == first.saxo)
            // The store and its cursors survive a restart.
            let restarted = try await gateway.restarted()
            #expect(try await Self.nodes(restarted) == all)
            #expect(Self.calls(restarted).alpaca == second.alpaca + 1)
            #expect(Self.calls(restarted).saxo == second.saxo)
            gateway.clock.advance(by: .seconds(3_601))
            #expect(try await Self.nodes(restarted).count >= all.count)
            #expect(Self.calls(restarted).saxo == second.saxo + 4)
        }
    }

    @Test("add up to the cash and the positions of their accounts, exactly")
    func sums() async throws {
        try await Self.withGateway { gateway in
            let answer = try await gateway.ask(
                "{ accounts { id currency cash positions { symbol side quantity } } }")
            try #require(answer.failures.isEmpty, "\(answer.failures)")
            for account in try #require(answer["data"]?["accounts"]?.elements) {
                let id = try #require(account["id"]?.string)
                let activities = try await Self.nodes(gateway, "accountIds: [\"\(id)\"]")
                let sums = try activities.reduce(into: (cash: Decimal.zero, units: [String: Decimal]())) {
                    sums, activity in
                    // The whole cash of Alpaca is in USD; Saxo books each amount in the currency of the account.
                    let amount = activity["accountAmount"]?.string ?? activity["amount"]?.string
                    if let amount = amount.flatMap({ Decimal($0) }) { sums.cash = try sums.cash + amount }
                    if let symbol = activity["symbol"]?.string,
                        let quantity = activity["quantity"]?.string.flatMap({ Decimal($0) })
                    {
                        sums.units[symbol] = try (sums.units[symbol] ?? .zero) + quantity
                    }
                }
                #expect(sums.cash == account["cash"]?.string.flatMap { Decimal($0) }, "\(id)")
                var held: [String: Decimal] = [:]
                for position in account["positions"]?.elements ?? [] {
                    let quantity = try #require(position["quantity"]?.string.flatMap { Decimal($0) })
                    held[try #require(position["symbol"]?.string)] =
                        position["side"] == "SHORT" ? try quantity.negated : quantity
                }
                #expect(sums.units.filter { !$0.value.isZero } == held, "\(id)")
            }
        }
    }

    @Test(
        "are listed page after page, each once and in order, without a further call", arguments: [7, 60, 499])
    func paging(first: Int) async throws {
        try await Self.withGateway { gateway in
            let all = try await Self.nodes(gateway)
            let before = Self.calls(gateway)
            // Pages with a cursor need no call, however late they are requested.
            gateway.clock.advance(by: .seconds(5))
            let pages = try await Self.pages(gateway, first: first)
            #expect(pages.flatMap { $0["nodes"]?.elements ?? [] } == all)
            #expect(pages.count == (all.count + first - 1) / first)
            gateway.clock.advance(by: .seconds(7_200))
            // Back again: the page behind each cursor is the same.
            for (page, next) in zip(pages, pages.dropFirst()).reversed() {
                let cursor = try #require(page["pageInfo"]?["endCursor"]?.string)
                let answer = try await gateway.ask(
                    "{ activities(first: \(first) after: \"\(cursor)\") { \(Self.fields) } }")
                #expect(answer["data"]?["activities"] == next)
            }
            // The cursor of an edge is a place, too.
            let third = try #require(pages.first?["edges"]?[2]?["cursor"]?.string)
            let answer = try await gateway.ask(
                "{ activities(first: 2 after: \"\(third)\") { nodes { id } } }")
            #expect(
                answer["data"]?["activities"]?["nodes"]?.elements?.map { $0["id"] }
                    == all[3...4].map { $0["id"] })
            #expect(Self.calls(gateway) == before)
        }
    }

    @Test("of a range that ended long ago need no call once they were read")
    func past() async throws {
        try await Self.withGateway { gateway in
            _ = try await Self.nodes(gateway)
            let before = Self.calls(gateway)
            gateway.clock.advance(by: .seconds(7_200))
            #expect(try await !Self.nodes(gateway, "to: \"2025-12-31\"").isEmpty)
            #expect(Self.calls(gateway) == before)
            #expect(try await !Self.nodes(gateway, "to: \"2026-11-19\"").isEmpty)
            #expect(Self.calls(gateway).alpaca == before.alpaca + 1)
        }
    }

    /// Arguments, and the activities that match them.
    struct Filter: CustomTestStringConvertible, Sendable {
        let arguments: String
        let matches: @Sendable (JSONValue) -> Bool

        var testDescription: String { arguments }
    }

    private static let filters: [Filter] = [
        Filter(arguments: "kinds: [DEPOSIT, WITHDRAWAL]") {
            ["DEPOSIT", "WITHDRAWAL"].contains($0["kind"]?.string)
        },
        Filter(arguments: "symbol: \"AAPL\"") { $0["symbol"] == "AAPL" },
        Filter(arguments: "from: \"2024-01-01\"") { ($0["date"]?.string ?? "") >= "2024-01-01" },
        Filter(arguments: "to: \"2023-12-31\"") { ($0["date"]?.string ?? "") <= "2023-12-31" },
        Filter(arguments: "from: \"2023-01-01\" to: \"2023-12-31\" kinds: [TRADE] symbol: \"AAPL\"") {
            $0["date"]?.string?.hasPrefix("2023-") == true && $0["kind"] == "TRADE" && $0["symbol"] == "AAPL"
        },
        Filter(arguments: "kinds: []") { _ in false },
    ]

    @Test("are those that match the filter", arguments: filters)
    func filtered(filter: Filter) async throws {
        let (arguments, matches) = (filter.arguments, filter.matches)
        try await Self.withGateway { gateway in
            let all = try await Self.nodes(gateway)
            #expect(try await Self.nodes(gateway, first: 9, arguments) == all.filter(matches))
            let answer = try await gateway.ask(
                "{ account(provider: \"alpaca\") { id activities(first: 500 \(arguments)) { \(Self.fields) } } }"
            )
            try #require(answer.failures.isEmpty, "\(answer.failures)")
            let account = try #require(answer["data"]?["account"])
            let expected = all.filter { $0["account"]?["id"] == account["id"] && matches($0) }
            #expect(account["activities"]?["nodes"]?.elements == Array(expected.prefix(500)))
        }
    }

    @Test("have every kind of the sandbox's history, and an order that was placed is the cause of its trade")
    func kinds() async throws {
        try await Self.withGateway { gateway in
            let kinds = Set(try await Self.nodes(gateway).compactMap { $0["kind"]?.string })
            #expect(
                kinds.isSuperset(of: [
                    "TRADE", "DIVIDEND", "INTEREST", "FEE", "TAX", "DEPOSIT", "WITHDRAWAL", "SPLIT",
                    "SPIN_OFF",
                ]), "\(kinds)")
            let account = try await gateway.ask("{ account(provider: \"alpaca\") { id } }")
            let id = try #require(account["data"]?["account"]?["id"]?.string)
            let placed = try await gateway.ask(
                """
                mutation { placeOrder(input: {idempotencyKey: "activity", accountId: "\(id)", instrument: {symbol: "AAPL"}, side: BUY,
                  size: {quantity: "2"}}) { order { id } } }
                """)
            let order = try #require(placed["data"]?["placeOrder"]?["order"]?["id"]?.string, "\(placed)")
            // The write made the earlier read invalid; the fee of a sale would follow the next day.
            let answer = try await gateway.ask(
                """
                { account(provider: "alpaca") { activities(first: 1) { nodes {
                    id kind side symbol quantity order { id state } account { id } } } } }
                """)
            try #require(answer.failures.isEmpty, "\(answer.failures)")
            let trade = try #require(answer["data"]?["account"]?["activities"]?["nodes"]?[0])
            #expect(
                trade["kind"] == "TRADE" && trade["side"] == "BUY" && trade["quantity"] == "2", "\(trade)")
            #expect(trade["order"]?["id"]?.string == order)
            #expect(trade["account"]?["id"]?.string == id)
            let node = try await gateway.ask(
                "{ node(id: \"\(trade["id"]?.string ?? "")\") { ... on Activity { id symbol quantity } } }")
            #expect(node["data"]?["node"]?["symbol"] == "AAPL", "\(node)")
        }
    }

    @Test("of an account whose broker fails are an error with its path; those of the others are listed")
    func failure() async throws {
        try await Self.withGateway { gateway in
            #expect(
                gateway.sandbox.faults.add(Fault(.status(503), provider: .alpaca, endpoint: Self.alpacaPages))
            )
            let answer = try await gateway.ask(
                "{ activities(first: 3) { nodes { provider } pageInfo { hasNextPage } } }")
            #expect(answer.failures == [FieldFailure("activities.nodes.3", "PROVIDER_UNAVAILABLE")])
            let nodes = answer["data"]?["activities"]?["nodes"]?.elements
            #expect(nodes?.map { $0["provider"]?.string } == ["saxo", "saxo", "saxo", nil])
            let account = try await gateway.ask(
                "{ account(provider: \"alpaca\") { id activities { nodes { id } } } }")
            #expect(account.failures == [FieldFailure("account.activities", "PROVIDER_UNAVAILABLE")])
            #expect(account["data"]?["account"]?["activities"] == .null)
            #expect(account["data"]?["account"]?["id"]?.string != nil)
            // Its activities are behind no cursor: they are listed once the broker responds again.
            let first = try await gateway.ask("{ activities(first: 3) { pageInfo { endCursor } } }")
            let cursor = try #require(first["data"]?["activities"]?["pageInfo"]?["endCursor"]?.string)
            gateway.sandbox.faults.reset()
            gateway.clock.advance(by: .seconds(60))
            let rest = try await Self.nodes(gateway)
            var listed: Set<String?> = []
            var next: String? = cursor
            while let after = next {
                let page = try await gateway.ask(
                    "{ activities(first: 500 after: \"\(after)\") { nodes { id } pageInfo { hasNextPage endCursor } } }"
                )
                let connection = try #require(page["data"]?["activities"])
                for node in connection["nodes"]?.elements ?? [] { listed.insert(node["id"]?.string) }
                next =
                    connection["pageInfo"]?["hasNextPage"] == .bool(true)
                    ? connection["pageInfo"]?["endCursor"]?.string : nil
            }
            #expect(listed.count == rest.count - 3)
        }
    }

    @Test("that were read before are listed as stale while the broker fails")
    func stale() async throws {
        try await Self.withGateway { gateway in
            let all = try await Self.pages(gateway, first: 500)
            #expect(all.allSatisfy { $0["stale"] == .bool(false) && $0["since"] == .null })
            gateway.clock.advance(by: .seconds(60))
            #expect(
                gateway.sandbox.faults.add(Fault(.status(503), provider: .alpaca, endpoint: Self.alpacaPages))
            )
            let answer = try await gateway.ask("{ activities(first: 500) { nodes { id } stale } }")
            #expect(answer.failures.isEmpty, "\(answer.failures)")
            #expect(answer["data"]?["activities"]?["stale"] == .bool(true))
            #expect(
                answer["data"]?["activities"]?["nodes"]?.elements?.map { $0["id"] }
                    == all[0]["nodes"]?.elements?.map { $0["id"] })
            // A credential that may no longer read them.
            gateway.sandbox.faults.reset()
            gateway.clock.advance(by: .seconds(60))
            #expect(
                gateway.sandbox.faults.add(
                    Fault(.expiredToken, provider: .alpaca, endpoint: Self.alpacaPages)))
            let refused = try await gateway.ask(
                "{ account(provider: \"alpaca\") { activities { nodes { id } } } }")
            #expect(refused.failures == [FieldFailure("account.activities", "RECONNECT_REQUIRED")])
        }
    }

    @Test("of a read that was interrupted continue at the next page")
    func interrupted() async throws {
        try await Self.withGateway { gateway in
            let fault = Fault(.status(503), provider: .alpaca, endpoint: Self.alpacaPages, every: 2)
            #expect(gateway.sandbox.faults.add(fault))
            let query = "{ account(provider: \"alpaca\") { activities(first: 500) { nodes { id } } } }"
            #expect(
                try await gateway.ask(query).failures == [
                    FieldFailure("account.activities", "PROVIDER_UNAVAILABLE")
                ])
            #expect(Self.calls(gateway).alpaca == 2)
            gateway.sandbox.faults.reset()
            gateway.clock.advance(by: .seconds(60))
            let restarted = try await gateway.restarted()
            let all = try await Self.nodes(restarted).filter { $0["provider"] == "alpaca" }
            // The first page is not read again, and one call reads what was recorded meanwhile.
            #expect(Self.calls(restarted).alpaca == 2 + all.count / 100 + 1)
            #expect(Set(all.map { $0["id"] }).count == all.count)
        }
    }

    @Test("that two requests need at the same time are read once")
    func simultaneous() async throws {
        try await Self.withGateway { gateway in
            async let one = Self.nodes(gateway, first: 500)
            async let other = Self.nodes(gateway, first: 500)
            let (first, second) = try await (one, other)
            #expect(first == second)
            #expect(Self.calls(gateway).alpaca == first.filter { $0["provider"] == "alpaca" }.count / 100 + 1)
            #expect(Self.calls(gateway).saxo == 4)
        }
    }

    /// A request that is refused, and what the error says.
    struct Refusal: CustomTestStringConvertible, Sendable {
        let arguments: String
        var code = "BAD_USER_INPUT"
        let argument: String
        let message: String

        var testDescription: String { arguments }
    }

    private static let refusals: [Refusal] = [
        Refusal(
            arguments: "from: \"2026-02-01\" to: \"2026-01-31\"", argument: "from",
            message: "Argument \"from\": It is 2026-02-01, which is after `to`, 2026-01-31."),
        Refusal(
            arguments: "first: 501", argument: "first",
            message: "Argument \"first\": It is 501; it takes 1 to 500."),
        Refusal(
            arguments: "first: 0", argument: "first",
            message: "Argument \"first\": It is 0; it takes 1 to 500."),
        Refusal(
            arguments: "after: \"b3JkZXJz\"", argument: "after",
            message:
                "Argument \"after\": \"b3JkZXJz\" is not a cursor of this list. Use the `endCursor` of the page before as `after`."
        ),
        Refusal(
            arguments: "accountIds: [\"Account:none:1\"]", code: "NOT_FOUND", argument: "accountIds",
            message: "Argument \"accountIds\": There is no account \"Account:none:1\"."),
        Refusal(
            arguments: "accountIds: [\(Array(repeating: "\"a\"", count: 51).joined(separator: ","))]",
            argument: "accountIds",
            message: "Argument \"accountIds\": It has 51 entries; at most 50 are allowed."),
    ]

    @Test("with a wrong argument are an error with a code that names it, and no call", arguments: refusals)
    func refused(_ refusal: Refusal) async throws {
        try await Self.withGateway { gateway in
            let answer = try await gateway.ask("{ activities(\(refusal.arguments)) { nodes { id } } }")
            let error = try #require(answer["errors"]?[0], "\(answer)")
            #expect(answer["errors"]?.elements?.count == 1)
            #expect(error["path"] == .array(["activities"]))
            #expect(error["extensions"]?["code"]?.string == refusal.code)
            #expect(error["extensions"]?["argument"]?.string == refusal.argument)
            #expect(error["message"]?.string == refusal.message)
            #expect(Self.calls(gateway) == (0, 0))
        }
    }

    @Test("of another user are not found, neither by account nor by id")
    func others() async throws {
        try await Self.withGateway { gateway in
            let mine = try #require(try await Self.nodes(gateway).first)
            let (id, account) = (
                try #require(mine["id"]?.string), try #require(mine["account"]?["id"]?.string)
            )
            let stranger = try gateway.user("stranger")
            let answer = try await gateway.ask(
                "{ activities(accountIds: [\"\(account)\"]) { nodes { id } } node(id: \"\(id)\") { id } }",
                as: stranger)
            #expect(answer.failures == [FieldFailure("activities", "NOT_FOUND", nil)])
            #expect(answer["data"]?["node"] == .null)
            let none = try await gateway.ask(
                "{ activities { nodes { id } pageInfo { endCursor } } }", as: stranger)
            #expect(none["data"]?["activities"]?["nodes"] == .array([]))
            #expect(none["data"]?["activities"]?["pageInfo"]?["endCursor"] == .null)
            // The same account by a connection of another user is another user's data.
            _ = try await gateway.consent(.alpaca, as: stranger)
            let theirs = try await Self.nodes(gateway, as: stranger)
            #expect(!theirs.isEmpty)
            #expect(
                Set(theirs.map { $0["id"] }).isDisjoint(with: try await Self.nodes(gateway).map { $0["id"] }))
        }
    }

    @Test("are in the export of the user, and are deleted with the connection and with the user")
    func deletion() async throws {
        try await Self.withGateway { gateway in
            let guest = try await gateway.ask("mutation { startGuestSession { viewer { id } } }")
            let user = try #require(guest["data"]?["startGuestSession"]?["viewer"]?["id"]?.string, "\(guest)")
            let ann = try #require(OwnerID(String(user.dropFirst("User:".count))))
            let alpaca = try await gateway.consent(.alpaca, as: ann)
            _ = try await gateway.consent(.saxo, as: ann)
            let all = try await Self.nodes(gateway, as: ann)
            func exported() async throws -> [JSONValue] {
                let text = try #require(try await UserDataExport(of: gateway.file).json(of: ann))
                return try #require(try JSONValue(parsing: text)["activities"]?.elements)
            }
            #expect(try await exported().count == all.count)
            let id = try #require(alpaca["id"]?.string)
            let gone = try await gateway.ask(
                "mutation { disconnectProvider(id: \"\(id)\") { deletedId } }", as: ann)
            #expect(gone.failures.isEmpty, "\(gone)")
            #expect(try await exported().count == all.filter { $0["provider"] == "saxo" }.count)
            try await gateway.file.database.write { db in
                try db.execute(#"DELETE FROM "user" WHERE id = ?"#, [ann.text])
            }
            let rows = try await gateway.file.database.read { db in
                try db.value("SELECT count(*) FROM activity WHERE owner = ?", [ann.text], as: Int.self)
            }
            #expect(rows == 0)
        }
    }
}
