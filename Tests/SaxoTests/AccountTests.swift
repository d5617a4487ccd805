import Brokerage
import ProviderTestSupport
import Saxo
import Testing
import Upstream

@Suite("Saxo's accounts")
struct AccountTests {
    static let identity = ["/port/v1/clients/me": "client", "/port/v1/accounts/me": "accounts"]

    /// The bodies of the examples, by path.
    static func bodies(_ names: [String: String]) throws -> [String: String] {
        try names.merging(identity) { first, _ in first }.mapValues(goldenText)
    }

    @Test("come with the balance of each, asked for by its key")
    func balances() async throws {
        try await withSaxo(try Self.bodies(["/port/v1/balances": "balance"])) { saxo, server in
            let accounts = try await saxo.accounts(in: .patient)
            #expect(accounts.count == 1)
            let account = try #require(accounts.first)
            #expect(account.id == "uQ7xN3c-5m1Y8aFz2LQw4A==")
            #expect(account.number == "17304452")
            #expect(account.currency == "EUR")
            #expect(account.equity?.description == "996386.01")
            #expect(account.cash?.description == "999956.74")
            #expect(account.settledCash?.description == "999956.74")
            #expect(account.availableCash?.description == "978723.61")
            #expect(account.unsettledCash == 0)
            #expect(account.blockedCash == 0)
            #expect(account.marginUsed?.description == "17662.4")
            #expect(account.marginAvailable?.description == "978723.61")
            #expect(account.marginUtilization?.description == "1.77")
            #expect(account.buyingPower == nil)
            #expect(account.lastEquity == nil)
            #expect(account.canTrade == nil)
            #expect(account.provenance.fetchedAt == wallTime)
            #expect(
                server.requests.map(\.path) == [
                    "/port/v1/clients/me", "/port/v1/accounts/me", "/port/v1/balances",
                ])
            #expect(
                server.requests.last?.query == [
                    "ClientKey": "b2Zf|0kq9bXc2-7hTTa1Vg==", "AccountKey": "uQ7xN3c-5m1Y8aFz2LQw4A==",
                ])
            for request in server.requests {
                #expect(request.headers["authorization"] == "Bearer \(secretToken)")
            }
            _ = try await saxo.accounts(in: .patient)
            #expect(server.requests.count == 4)
        }
    }

    @Test("begin with the default one, and each is in its own currency")
    func several() async throws {
        let accounts = #"""
            {"Data":[{"AccountId":"2","AccountKey":"b","ClientKey":"c","Currency":"USD","Active":false},
            {"AccountId":1,"AccountKey":"uQ7xN3c-5m1Y8aFz2LQw4A==","ClientKey":"c","Currency":"EUR"}]}
            """#
        let client = try goldenText("client")
        try await withSaxo(answering: { request, _ in
            switch request.path {
            case "/port/v1/clients/me": .text(client)
            case "/port/v1/accounts/me": .text(accounts)
            default:
                .text(
                    request.query["AccountKey"] == "b"
                        ? #"{"Currency":"USD","CashBalance":"12.50"}"# : #"{"Currency":"EUR","TotalValue":1}"#
                )
            }
        }) { saxo, _ in
            let accounts = try await saxo.accounts(in: .patient)
            #expect(accounts.map(\.number) == ["1", "2"])
            #expect(accounts.map(\.currency) == ["EUR", "USD"])
            #expect(accounts.map { $0.cash?.description } == [nil, "12.50"])
            #expect(accounts.map(\.canTrade) == [nil, false])
            #expect(accounts.map(\.marginUsed) == [nil, nil])
        }
    }

    @Test(
        "show their value only if Saxo could calculate it, and their cash always",
        arguments: [
            ("Ok", true), ("OkWithConditions", true), ("ApproximatedPrice", true), ("PricePending", false),
            ("NoMarketAccess", false), ("UnknownPrice", false), ("CurrencyConversionFailed", false),
            ("FailedToCalculateCollateral", false), ("SystemError", false), ("SomethingNew", true),
        ])
    func reliability(name: String, hasFigures: Bool) async throws {
        var bodies = try Self.bodies([:])
        bodies["/port/v1/balances"] =
            #"{"CalculationReliability":"\#(name)","CashBalance":1000,"CashAvailableForTrading":900,"#
            + #""TotalValue":1000,"UnrealizedPositionsValue":0,"MarginUsedByCurrentPositions":-10,"#
            + #""MarginAvailableForTrading":900,"MarginUtilizationPct":1,"Currency":"EUR","#
            + #""CurrencyDecimals":2,"OpenPositionsCount":3}"#
        try await withSaxo(bodies) { saxo, _ in
            let account = try #require(try await saxo.accounts(in: .patient).first)
            #expect(account.cash == 1000 && account.settledCash == 1000)
            #expect(account.equity == (hasFigures ? 1000 : nil))
            #expect(account.availableCash == (hasFigures ? 900 : nil))
            #expect(account.marginAvailable == (hasFigures ? 900 : nil))
            #expect(account.marginUsed == (hasFigures ? 10 : nil))
            #expect(account.marginUtilization == (hasFigures ? 1 : nil))
        }
    }

    @Test("are not told of where one of their balances cannot be read")
    func partial() async throws {
        var bodies = try Self.bodies([:])
        bodies["/port/v1/balances"] = #"{"Currency":"EUR","CashBalance":true}"#
        try await withSaxo(bodies) { saxo, _ in
            let failure = await #expect(throws: ProviderFailure.self) {
                try await saxo.accounts(in: .patient)
            }
            #expect(
                failure?.description
                    == "saxo: an invalid response: CashBalance: expected a decimal, found true (byte 32)"
            )
        }
    }
}
