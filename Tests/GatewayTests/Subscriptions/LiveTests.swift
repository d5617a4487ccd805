import Brokerage
import GraphQL
import Sandbox
import TestSupport
import Testing
import Upstream

@testable import Gateway

@Suite("Subscriptions")
struct LiveTests {
    private let user = OwnerID("user")

    @Test("return all positions first, in the order of the query")
    func positions() async throws {
        try await withGateway { gateway in
            let user = try #require(self.user)
            gateway.clock.catchUp()
            let backends = try gateway.backends([gateway.connection("alpaca", of: user)])
            let asked = try await gateway.ask("{ positions { symbol quantity } }", as: user, backends)
            let expected = try #require(asked["data"]?["positions"]?.elements)
            #expect(expected.count > 1)
            let told = try await gateway.follow(
                "subscription { positions { symbol quantity } }", as: user, backends, count: expected.count)
            #expect(
                told.compactMap { $0["data"]?["positions"]?["symbol"]?.string }.sorted()
                    == expected.compactMap { $0["symbol"]?.string }.sorted())
        }
    }

    @Test("to one account return it at once, and again only after a change")
    func account() async throws {
        try await withGateway { gateway in
            let user = try #require(self.user)
            gateway.clock.catchUp()
            let backends = try gateway.backends([gateway.connection("alpaca", of: user)])
            let told = try await gateway.follow(
                "subscription { account { equity provider } }", as: user, backends, count: 1)
            #expect(told.first?["data"]?["account"]?["provider"]?.string == "alpaca")
            #expect(told.first?["data"]?["account"]?["equity"]?.string != nil)
        }
    }

    @Test("to quotes return each symbol's first price, and an error for an unknown symbol")
    func quotes() async throws {
        try await withGateway { gateway in
            let user = try #require(self.user)
            gateway.clock.catchUp()
            let backends = try gateway.backends([])
            let told = try await gateway.follow(
                "subscription { quotes(symbols: [\"AAPL\", \"MSFT\", \"NOSUCH\"]) { symbol price } }",
                as: user,
                backends, count: 3)
            let symbols = told.compactMap { $0["data"]?["quotes"]?["symbol"]?.string }
            #expect(symbols.sorted() == ["AAPL", "MSFT"])
            let failures = told.compactMap { $0["errors"]?.elements?.first }
            #expect(failures.count == 1)
            #expect(failures.first?["extensions"]?["code"]?.string == "NOT_FOUND")
            #expect(failures.first?["message"]?.string?.contains("NOSUCH") == true)
        }
    }

    @Test(
        "that cannot begin have an error with the reason",
        arguments: [
            ("subscription { account(id: \"Account:other:1\") { equity } }", "user", "NOT_FOUND"),
            ("subscription { positions { symbol } }", nil, "UNAUTHENTICATED"),
        ])
    func refusals(query: String, user: String?, code: String) async throws {
        try await withGateway { gateway in
            let owner = user.flatMap { OwnerID($0) }
            let mine = try #require(self.user)
            gateway.clock.catchUp()
            let backends = try gateway.backends([gateway.connection("alpaca", of: mine)])
            let told = try await gateway.follow(query, as: owner, backends, count: 1)
            #expect(told.first?["errors"]?.elements?.first?["extensions"]?["code"]?.string == code)
        }
    }

    @Test(
        "at a failing broker are null with an error")
    func failure() async throws {
        try await withGateway { gateway in
            let user = try #require(self.user)
            gateway.clock.catchUp()
            let backends = try gateway.backends([
                gateway.connection("lost", of: user, isReachable: false)
            ])
            let told = try await gateway.follow(
                "subscription { positions { symbol } }", as: user, backends, count: 1)
            #expect(told.first?["data"]?["positions"] == .null)
            let error = told.first?["errors"]?.elements?.first
            #expect(error?["extensions"]?["code"]?.string == "PROVIDER_UNAVAILABLE")
        }
    }
}

@Suite("The changes of a connection's items")
struct ChangeDetectorTests {
    private struct Item: LiveEntity {
        let globalID: String
        var value: Int
        var isCurrent = true
        var closed: Item? { isCurrent ? Item(globalID: globalID, value: 0) : nil }

        func isEquivalent(to other: Item) -> Bool { value == other.value }
    }

    private struct Lost: Error {}

    @Test(
        "are all items first, then changed and removed ones, and after a failure all again")
    func changes() {
        func limit(_ code: ErrorCode, at seconds: Int) -> FieldError {
            FieldError(code, "Later.", provider: .alpaca, retryAt: .earliest + .seconds(seconds))
        }
        let readings: [(Result<[(String, Int)], any Error>, [String]?)] = [
            (.success([("a", 1), ("b", 2)]), ["a1", "b2"]),
            (.success([("a", 1), ("b", 2)]), []),
            (.success([("a", 1), ("b", 3), ("c", 4)]), ["b3", "c4"]),
            (.success([("b", 3), ("c", 4)]), ["a0"]),
            (.failure(Lost()), nil),
            (.failure(Lost()), []),
            (.success([("b", 3), ("c", 4)]), ["b3", "c4"]),
            // An error is returned again if more than the time to try again has changed.
            (.failure(limit(.rateLimited, at: 1)), nil),
            (.failure(limit(.rateLimited, at: 2)), []),
            (.failure(limit(.reconnectRequired, at: 2)), nil),
            (.failure(Lost()), nil),
            (.success([("b", 3), ("c", 4)]), ["b3", "c4"]),
            (.failure(Lost()), nil),
        ]
        var changes = ChangeDetector<Item>()
        for (index, (reading, expected)) in readings.enumerated() {
            let news = changes.detectChanges(
                in: reading.map { $0.map { Item(globalID: $0.0, value: $0.1) } })
            switch news {
            case .items(let items):
                #expect(items.map { "\($0.globalID)\($0.value)" } == expected, "reading \(index)")
            case .failure:
                #expect(expected == nil, "reading \(index)")
            }
        }
    }

    @Test("report the end only to subscribers who had a value")
    func over() {
        func news(_ changes: inout ChangeDetector<Item>, _ items: [Item]) -> [Int] {
            guard case .items(let items) = changes.detectChanges(in: .success(items)) else { return [] }
            return items.map(\.value)
        }
        let (open, ended) = (Item(globalID: "a", value: 1), Item(globalID: "a", value: 2, isCurrent: false))
        var early = ChangeDetector<Item>()
        #expect(news(&early, [open]) == [1])
        #expect(news(&early, [ended]) == [2])
        var late = ChangeDetector<Item>()
        #expect(news(&late, [ended]) == [])
        // What came and went between two readings is told all the same.
        let brief = Item(globalID: "b", value: 3, isCurrent: false)
        #expect(news(&late, [ended, brief]) == [3])
        _ = late.detectChanges(in: .failure(Lost()))
        #expect(news(&late, [ended, brief]) == [])
    }
}
