import Brokerage
import Foundation
import Gateway
import GraphQL
import Sandbox
import TestSupport
import Testing
import Upstream

@Suite("What Saxo reports of accounts beyond other brokers")
struct SaxoAccountTests {
    /// A gateway in front of Saxo, with services that have nothing in memory for each write: Saxo accepts one write a
    /// second, and each instance counts its own.
    private static func with(
        _ configure: (inout SandboxConfiguration) -> Void = { _ in },
        _ body: (TestGateway, _ fresh: () throws -> GatewayServices) async throws -> Void
    ) async throws {
        try await withGateway(users: [.demo, .second], configure) { gateway in
            try await body(gateway) { try gateway.backends([try gateway.saxo(of: alice)]) }
        }
    }

    private static func market(_ side: String, _ key: String, _ account: String) -> TestOrder {
        var order = TestOrder(account: account, key: key, symbol: "MSFT", side: side)
        order.size = "{ quantity: \"1\" }"
        return order
    }

    @Test("positions have exposure, costs, value date, related orders, reliability, price format and rate")
    func positions() async throws {
        try await Self.with { gateway, fresh in
            let answer = try await gateway.ask(
                """
                { positions(provider: "saxo") { symbol currency canBeClosed valueDate relatedOrderCount reliability
                    conversionRate exposure { amount currency accountAmount accountCurrency }
                    costs { amount currency accountAmount accountCurrency }
                    priceFormat { decimals pipFractionDecimals pip name } } }
                """, as: alice, fresh())
            #expect(answer.failures.isEmpty, "\(answer)")
            let positions = try #require(answer["data"]?["positions"]?.elements)
            let pair = try #require(positions.first { $0["symbol"]?.string?.contains("/") == true })
            #expect(pair["priceFormat"]?["pipFractionDecimals"]?.digits == "1")
            #expect(pair["priceFormat"]?["pip"]?.string?.hasPrefix("0.0") == true)
            #expect(
                pair["exposure"]?["currency"]?.string == pair["symbol"]?.string.map { String($0.prefix(3)) })
            #expect(pair["exposure"]?["accountAmount"]?.string != nil && pair["costs"]?["amount"] == "0")
            let share = try #require(positions.first { $0["symbol"]?.string == "AAPL" })
            #expect(share["canBeClosed"] == .bool(true) && share["reliability"] == "RELIABLE")
            #expect(share["valueDate"]?.string?.count == 10 && share["relatedOrderCount"]?.digits == "0")
            #expect(share["priceFormat"]?["name"] == "Normal" && share["priceFormat"]?["pip"] == .null)
            #expect(share["conversionRate"]?.string != nil)
            #expect(share["costs"]?["currency"]?.string == share["currency"]?.string)
        }
    }

    @Test("activities are read again after a fill, and are stale until the report has its trade")
    func tradeOfFilledOrder() async throws {
        let clock = ManualClock(try #require(Instant(TestGateway.now)))
        try await withGateway(clock: clock) { gateway in
            let fresh = { try gateway.backends([try gateway.saxo(of: alice)]) }
            let account = try await gateway.account(with: .saxo, fresh())
            let report = "GET /cs/v1/reports/trades/{client_key}"
            func read() async throws -> (stale: JSONValue?, orders: [JSONValue?], reads: Int) {
                let before = gateway.calls(of: .saxo)[report] ?? 0
                let answer = try await gateway.ask(
                    "{ account(id: \"\(account)\") { activities(first: 5) { stale nodes { order { id } } } } }",
                    as: alice, fresh())
                let list = try #require(answer["data"]?["account"]?["activities"], "\(answer)")
                let orders = list["nodes"]?.elements?.map { $0["order"]?["id"] } ?? []
                return (list["stale"], orders, (gateway.calls(of: .saxo)[report] ?? 0) - before)
            }
            func advance(_ seconds: Int) {
                clock.advance(by: .seconds(seconds))
                gateway.clock.advanceWallClock(by: .seconds(seconds))
            }
            let start = try await read()
            #expect(start.stale == .bool(false) && start.reads == 1)
            // The reports of Saxo change once a day.
            advance(60)
            #expect(try await read().reads == 0)
            let placed = try await gateway.placed(Self.market("BUY", "key-1", account), fresh())
            let id = try #require(placed["id"]?.string)
            #expect(try await gateway.order(id, fresh())["data"]?["order"]?["state"] == "FILLED")
            let missing = try await read()
            #expect(missing.stale == .bool(true) && missing.reads == 1, "\(missing)")
            #expect(!missing.orders.contains(.some(.string(id))))
            // At most every five minutes, and then until the report has it.
            #expect(try await read().reads == 0)
            advance(301)
            #expect(try await read().reads == 1)
            advance(86_400)
            let found = try await read()
            #expect(found.stale == .bool(false) && found.orders.contains(.some(.string(id))), "\(found)")
        }
    }

    @Test("positions of a broker that does not report these values have null")
    func others() async throws {
        try await withGateway { gateway in
            let backends = try gateway.backends([gateway.connection("demo", of: alice)])
            let answer = try await gateway.ask(
                """
                { account { conversionRates { rate } positions { canBeClosed valueDate relatedOrderCount reliability
                    conversionRate exposure { amount } costs { amount } priceFormat { name } } } }
                """, as: alice, backends)
            #expect(answer.failures.isEmpty, "\(answer)")
            let account = try #require(answer["data"]?["account"])
            #expect(account["conversionRates"] == .null)
            let positions = try #require(account["positions"]?.elements)
            #expect(!positions.isEmpty)
            for position in positions {
                #expect(position.members?.values.allSatisfy { $0 == .null } == true, "\(position)")
            }
        }
    }

    @Test("conversion rates are those of the positions, once for each currency, without a call of their own")
    func conversionRates() async throws {
        try await Self.with { gateway, fresh in
            let answer = try await gateway.ask(
                """
                { account(provider: "saxo") { currency positions { currency conversionRate }
                    conversionRates { from to rate source stale } } }
                """, as: alice, fresh())
            #expect(answer.failures.isEmpty, "\(answer)")
            let account = try #require(answer["data"]?["account"])
            let rates = try #require(account["conversionRates"]?.elements)
            var expected: [String: JSONValue] = [:]
            for position in account["positions"]?.elements ?? [] {
                guard let currency = position["currency"]?.string, currency != account["currency"]?.string
                else { continue }
                expected[currency] = position["conversionRate"]
            }
            #expect(!rates.isEmpty && rates.map { $0["from"]?.string } == expected.keys.sorted())
            for rate in rates {
                #expect(rate["to"] == account["currency"] && rate["source"] == "saxo")
                #expect(rate["rate"] == rate["from"]?.string.flatMap { expected[$0] })
            }
            #expect(gateway.calls(of: .saxo)["GET /port/v1/netpositions"] == 1)
        }
    }

    @Test("closed positions are pages of one read, newest first, and those of some instruments")
    func closedPositions() async throws {
        try await Self.with { gateway, fresh in
            let account = try await gateway.account(with: .saxo, fresh())
            for (key, side) in ["BUY", "SELL", "BUY", "SELL"].enumerated() {
                _ = try await gateway.placed(Self.market(side, "key-\(key)", account), fresh())
            }
            let services = try fresh()
            func page(_ arguments: String) async throws -> JSONValue {
                let answer = try await gateway.ask(
                    """
                    { account(provider: "saxo") { id closedPositions(\(arguments)) { pageInfo { hasNextPage hasPreviousPage
                        startCursor endCursor } edges { cursor node { providerPositionId } } nodes { providerPositionId symbol
                        side quantity openPrice closePrice openedAt closedAt currency conversionFinal source stale
                        account { id } instrument { symbol } profitLoss { amount currency accountAmount accountCurrency }
                        costs { amount } } } } }
                    """, as: alice, services)
                #expect(answer.failures.isEmpty, "\(answer)")
                return try #require(answer["data"]?["account"]?["closedPositions"], "\(answer)")
            }
            let all = try await page("symbols: [\"MSFT\"]")
            let nodes = try #require(all["nodes"]?.elements)
            #expect(nodes.count == 2, "\(all)")
            for node in nodes {
                #expect(node["symbol"] == "MSFT" && node["side"] == "LONG" && node["quantity"] == "1")
                #expect(node["account"]?["id"]?.string == account && node["source"] == "saxo")
                #expect(node["instrument"]?["symbol"] == "MSFT" && node["costs"]?["amount"]?.string != nil)
                #expect(node["profitLoss"]?["currency"] == "USD")
            }
            #expect(all["pageInfo"]?["hasNextPage"] == .bool(false))
            let first = try await page("first: 1")
            #expect(first["nodes"]?.elements?.count == 1)
            #expect(first["pageInfo"]?["hasNextPage"] == .bool(true))
            let cursor = try #require(first["pageInfo"]?["endCursor"]?.string)
            #expect(first["edges"]?[0]?["cursor"]?.string == cursor)
            let second = try await page("first: 1, after: \"\(cursor)\"")
            #expect(second["pageInfo"]?["hasNextPage"] == .bool(false))
            #expect(second["pageInfo"]?["hasPreviousPage"] == .bool(true))
            let ids = [first, second].compactMap { $0["nodes"]?[0]?["providerPositionId"]?.string }
            #expect(ids == nodes.compactMap { $0["providerPositionId"]?.string })
            // As in the cursor of another account.
            let text = try #require(Data(base64Encoded: cursor).map { String(decoding: $0, as: UTF8.self) })
            let other = Data(text.replacing(account, with: "other").utf8).base64EncodedString()
            let refused = try await gateway.ask(
                "{ account(provider: \"saxo\") { closedPositions(after: \"\(other)\") { nodes { symbol } } } }",
                as: alice, services)
            #expect(refused.failures.map(\.path) == ["account.closedPositions"], "\(refused)")
            #expect(refused["errors"]?[0]?["extensions"]?["argument"] == "after")
            #expect(try await page("symbols: [\"KO\"]")["nodes"] == .array([]))
            #expect(gateway.calls(of: .saxo)["GET /port/v1/closedpositions"] == 1)
        }
    }

    @Test("a closed position that cannot be read is a null with an error behind the others")
    func unreadableClosedPosition() async throws {
        try await Self.with { gateway, fresh in
            let account = try await gateway.account(with: .saxo, fresh())
            for (key, side) in ["BUY", "SELL", "BUY", "SELL"].enumerated() {
                _ = try await gateway.placed(Self.market(side, "key-\(key)", account), fresh())
            }
            let fault = Fault(.unreadableRow, provider: .saxo, endpoint: "GET /port/v1/closedpositions")
            try #require(gateway.sandbox.faults.add(fault))
            let answer = try await gateway.ask(
                "{ account(provider: \"saxo\") { closedPositions { nodes { symbol } } } }", as: alice, fresh()
            )
            let nodes = try #require(answer["data"]?["account"]?["closedPositions"]?["nodes"]?.elements)
            #expect(nodes.count > 1 && nodes.firstIndex(of: .null) == nodes.count - 1, "\(answer)")
            #expect(
                answer["errors"]?[0]?["message"]?.string?.hasPrefix(
                    "saxo sent a closed position that cannot be read: ") == true, "\(answer)")
        }
    }

    @Test(
        "closed positions are refused with the argument, and by a broker that does not report them",
        arguments: [
            ("saxo", "first: 0", "BAD_USER_INPUT", "first"),
            ("saxo", "first: 501", "BAD_USER_INPUT", "first"),
            ("saxo", "after: \"bm90aGluZw==\"", "BAD_USER_INPUT", "after"),
            ("alpaca", "first: 1", "UNSUPPORTED", nil),
        ])
    func refused(provider: String, arguments: String, code: String, argument: String?) async throws {
        try await withGateway { gateway in
            let backends = try gateway.backends([
                gateway.saxo(of: alice), gateway.connection("demo", of: alice),
            ])
            let answer = try await gateway.ask(
                "{ account(provider: \"\(provider)\") { closedPositions(\(arguments)) { nodes { symbol } } } }",
                as: alice, backends)
            let error = try #require(answer["errors"]?[0], "\(answer)")
            #expect(error["extensions"]?["code"]?.string == code)
            #expect(error["extensions"]?["argument"]?.string == argument)
            #expect(answer.failures.map(\.path) == ["account.closedPositions"])
            #expect(answer["data"]?["account"] != .null)
        }
    }

    @Test("an order book has prices, or a reason without them; other providers have none")
    func marketDepth() async throws {
        let query = """
            query($symbol: String!) { instrument(symbol: $symbol) { marketDepth { unavailability currency source stale
                bids { price quantity orderCount } asks { price quantity orderCount } } } }
            """
        for isSubscribed in [true, false] {
            try await Self.with({ $0.saxo.includesMarketDepth = isSubscribed }) { gateway, fresh in
                for (symbol, reason) in [
                    ("AAPL", isSubscribed ? nil : "NOT_SUBSCRIBED"), ("EUR/USD", "NO_ORDER_BOOK"),
                ] {
                    let answer = try await gateway.ask(
                        query, as: alice, fresh(), variables: ["symbol": .string(symbol)])
                    let depth = try #require(answer["data"]?["instrument"]?["marketDepth"], "\(answer)")
                    #expect(depth["unavailability"]?.string == reason && depth["source"] == "saxo")
                    #expect((depth["bids"] == .null) == (reason != nil))
                    #expect((depth["asks"]?.elements?.count == 5) == (reason == nil), "\(depth)")
                }
            }
        }
        try await withGateway { gateway in
            let backends = try gateway.backends([gateway.connection("demo", of: alice)])
            let answer = try await gateway.ask(
                query, as: alice, backends, variables: ["symbol": .string("AAPL")])
            #expect(
                answer.failures == [FieldFailure("instrument.marketDepth", "UNSUPPORTED", nil)], "\(answer)")
        }
    }

    @Test("watchlists of Saxo follow Portico's own and cannot be changed; without them there are none")
    func watchlists() async throws {
        for isServed in [true, false] {
            try await Self.with({ $0.saxo.servesWatchlists = isServed }) { gateway, fresh in
                let services = try fresh()
                let answer = try await gateway.ask(
                    "{ watchlists { id name provider readOnly items { symbol name } } }", as: alice, services)
                #expect(answer.failures.isEmpty, "\(answer)")
                let lists = try #require(answer["data"]?["watchlists"]?.elements)
                #expect(lists.map { $0["name"]?.string } == (isServed ? ["Currencies", "Technology"] : []))
                guard let list = lists.first else { return }
                #expect(list["provider"] == "saxo" && list["readOnly"] == .bool(true))
                #expect(list["items"]?[0]?["symbol"] == "EUR/DKK")
                let id = try #require(list["id"]?.string)
                let changed = try await gateway.ask(
                    "mutation { addToWatchlist(id: \"\(id)\", symbols: [\"KO\"]) { watchlist { id } } }",
                    as: alice, services)
                #expect(
                    changed.failures == [FieldFailure("addToWatchlist", "UNSUPPORTED", "saxo")], "\(changed)")
                #expect(
                    changed["errors"]?[0]?["message"]?.string
                        == "Watchlists at saxo cannot be changed through Portico. Use a list of `createWatchlist`."
                )
                #expect(gateway.calls(of: .saxo)["GET /ref/v1/watchlists/{watchlist_id}"] == 2)
            }
        }
    }
}
