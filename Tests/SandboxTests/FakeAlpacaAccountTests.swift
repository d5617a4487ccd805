import Brokerage
import Sandbox
import TestSupport
import Testing

import struct Sandbox.FakeInstrument

@Suite("Alpaca's account and positions")
struct FakeAlpacaAccountTests {
    static let tokens = [RunningSandbox.demo, RunningSandbox.second]

    @Test(
        "equity is cash and what everything held is worth, in whole cents", arguments: tokens, Moment.all)
    func addsUp(user: [String: String], moment: String) async throws {
        let (account, positions) = try await withSandbox(at: moment) { fixture in
            try (
                JSONValue(parsing: await fixture.trading("/v2/account", user).body),
                JSONValue(parsing: await fixture.trading("/v2/positions", user).body)
            )
        }
        let values = try #require(positions.elements).map { try decimal($0["market_value"]) }
        #expect(!values.isEmpty)
        let cash = try decimal(account["cash"])
        #expect(
            try decimal(account["equity"]) == values.reduce(cash) { try $0 + $1 }.rounded(to: 2, .halfEven))
        let long = try values.filter { !$0.isNegative }.reduce(Decimal.zero) { try $0 + $1 }
        let short = try values.filter(\.isNegative).reduce(Decimal.zero) { try $0 + $1 }
        #expect(try decimal(account["long_market_value"]) == long.rounded(to: 2, .halfEven))
        #expect(try decimal(account["short_market_value"]) == short.rounded(to: 2, .halfEven))
        #expect(account["portfolio_value"] == account["equity"])
    }

    @Test("equity moves by what the positions made today", arguments: tokens, Moment.all)
    func today(user: [String: String], moment: String) async throws {
        let (account, positions) = try await withSandbox(at: moment) { fixture in
            try (
                JSONValue(parsing: await fixture.trading("/v2/account", user).body),
                JSONValue(parsing: await fixture.trading("/v2/positions", user).body)
            )
        }
        let made = try #require(positions.elements).map { try decimal($0["unrealized_intraday_pl"]) }
        let before = try decimal(account["last_equity"])
        #expect(
            try decimal(account["equity"]) == made.reduce(before) { try $0 + $1 }.rounded(to: 2, .halfEven))
    }

    @Test("a position's numbers agree with each other", arguments: tokens)
    func position(user: [String: String]) async throws {
        let reply = try await withSandbox { try await $0.trading("/v2/positions", user) }
        for position in try #require(JSONValue(parsing: reply.body).elements) {
            let quantity = try decimal(position["qty"])
            let price = try decimal(position["current_price"])
            let value = try decimal(position["market_value"])
            let cost = try decimal(position["cost_basis"])
            let profit = try decimal(position["unrealized_pl"])
            #expect(try value == quantity * price)
            #expect(try profit == value - cost)
            #expect(position["side"] == (quantity.isNegative ? "short" : "long"))
            let factor = try profit.divided(by: cost.magnitude, to: 10, .halfEven)
            #expect(try decimal(position["unrealized_plpc"]) == factor)
            let entry = try cost.divided(by: quantity, to: 9, .halfEven)
            #expect(try decimal(position["avg_entry_price"]) == entry)
        }
    }

    @Test("the demonstration holds a fraction, a class share and a short position")
    func demo() async throws {
        let reply = try await withSandbox { try await $0.trading("/v2/positions") }
        let positions = try #require(JSONValue(parsing: reply.body).elements)
        let quantities = Dictionary(
            uniqueKeysWithValues: positions.map { ($0["symbol"]?.string, $0["qty"]?.string) })
        #expect(
            quantities == [
                "SPY": "20", "AAPL": "52.25", "BRK.B": "15", "KO": "120", "NVDA": "36.5", "MSFT": "14",
                "JPM": "18",
                "TSLA": "-8", "COST": "3.141592653", "GOOGL": "22", "VTI": "10",
            ])
    }

    @Test("a position is found by symbol and by asset id")
    func byID() async throws {
        let apple = try #require(FakeInstrument.listing.first { $0.symbol == "AAPL" })
        try await withSandbox { fixture in
            let bySymbol = try await fixture.trading("/v2/positions/AAPL")
            let byID = try await fixture.trading("/v2/positions/\(apple.id)")
            #expect(try JSONValue(parsing: bySymbol.body)["symbol"] == "AAPL")
            #expect(bySymbol.body == byID.body)
        }
    }

    @Test("where the market has no price, the numbers that need one are null")
    func unpriced() async throws {
        let reply = try await withSandbox { fixture in
            fixture.sandbox.script = MarketScript(unpriced: ["AAPL"])
            return try await fixture.trading("/v2/positions/AAPL")
        }
        let members = try #require(JSONValue(parsing: reply.body).members)
        #expect(
            Set(members.filter { $0.value == .null }.keys) == [
                "market_value", "unrealized_pl", "unrealized_plpc", "unrealized_intraday_pl",
                "unrealized_intraday_plpc", "current_price", "lastday_price", "change_today",
            ])
    }

    @Test("a switch tells of short positions without signs")
    func unsignedShorts() async throws {
        let reply = try await withSandbox({ $0.alpaca.shortsAreNegative = false }) { fixture in
            try await fixture.trading("/v2/positions/TSLA")
        }
        let position = try JSONValue(parsing: reply.body)
        #expect(position["qty"] == "8")
        #expect(position["side"] == "short")
        #expect(try !decimal(position["market_value"]).isNegative)
        #expect(try !decimal(position["cost_basis"]).isNegative)
    }

    @Test("each user sees an account of their own")
    func users() async throws {
        try await withSandbox { fixture in
            let first = try JSONValue(parsing: await fixture.trading("/v2/account", RunningSandbox.demo).body)
            let second = try JSONValue(
                parsing: await fixture.trading("/v2/account", RunningSandbox.second).body)
            #expect(first["id"] == .string(SandboxUser.demo.ledger.accountID))
            #expect(second["id"] == .string(SandboxUser.second.ledger.accountID))
        }
    }

    @Test("every trade of the built-in users is of a listed symbol, on a day of trading", arguments: [0, 1])
    func ledgers(index: Int) throws {
        let ledger = [SandboxUser.demo, .second][index].ledger
        #expect(ledger.opened > .earliest)
        for trade in ledger.trades {
            #expect(NewYorkCalendar.session(on: trade.date) != nil, "\(trade)")
            #expect(Market(seed: 1).instrument(trade.symbol) != nil, "\(trade)")
            #expect(!trade.quantity.isZero, "\(trade)")
        }
    }
}
