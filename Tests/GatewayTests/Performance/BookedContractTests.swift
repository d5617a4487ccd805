import Alpaca
import Brokerage
import Gateway
import ProviderTestSupport
import Sandbox
import TestSupport
import Testing
import Upstream

@Suite("Holdings of which a broker books units, and no amounts")
struct BookedContractTests {
    /// A purchase of an option contract and of shares, a dividend in shares, a dividend in cash, and one that is unreadable.
    private static let rows = """
        [{"id":"20260903100000500::1","activity_type":"FILL","transaction_time":"2026-09-03T15:00:00Z","type":"fill",
          "price":"2.50","qty":"1","side":"buy","symbol":"AAPL261218C00230000","leaves_qty":"0","cum_qty":"1",
          "order_id":"o","order_status":"filled"},
         {"id":"20260903100000500::2","activity_type":"FILL","transaction_time":"2026-09-03T15:01:00Z","type":"fill",
          "price":"60","qty":"100","side":"buy","symbol":"KO","leaves_qty":"0","cum_qty":"100","order_id":"p",
          "order_status":"filled"},
         {"id":"20261001000000000::3","activity_type":"DIV","activity_sub_type":"SDIV","date":"2026-10-01",
          "created_at":"2026-10-01T20:00:00Z","status":"executed","currency":"USD","symbol":"KO","qty":"5",
          "net_amount":"0"},
         {"id":"20261002000000000::4","activity_type":"DIV","activity_sub_type":"CDIV","date":"2026-10-02",
          "created_at":"2026-10-02T20:00:00Z","status":"executed","currency":"USD","symbol":"KO",
          "net_amount":"50.00"},
         {"id":"20261005000000000::5","activity_type":"DIV","activity_sub_type":"CDIV","date":"2026-10-05",
          "created_at":"2026-10-05T20:00:00Z","status":"executed","currency":"USD","symbol":"KO",
          "net_amount":true}]
        """

    private static let account = """
        {"id":"6f1de4b1-7ad5-4d0e-9c57-0a6b2f0f8a31","account_number":"PA3ABCDEF12","status":"ACTIVE","currency":"USD",
         "buying_power":"900","cash":"900","equity":"7480","last_equity":"7480","multiplier":"1"}
        """
    private static let positions = """
        [{"asset_id":"b0b6dd9d-8b9b-48a9-ba46-b9d54906e415","symbol":"AAPL261218C00230000","exchange":"OPRA",
          "asset_class":"us_option","qty":"1","avg_entry_price":"2.5","side":"long","market_value":"280",
          "cost_basis":"250","unrealized_pl":"30","current_price":"2.8","lastday_price":"2.8"},
         {"asset_id":"c0b6dd9d-8b9b-48a9-ba46-b9d54906e415","symbol":"KO","exchange":"NYSE",
          "asset_class":"us_equity","qty":"105","avg_entry_price":"57.142857","side":"long","market_value":"6300",
          "cost_basis":"6000","unrealized_pl":"300","current_price":"60","lastday_price":"60"}]
        """

    @Test(
        "have the cost of the contract's units, the units of a dividend, and an income that is not too small")
    func figures() async throws {
        let answer = try await CannedAlpaca(
            account: Self.account, positions: Self.positions, activities: Self.rows
        ).data(
            """
            { portfolio { income { gross known { gross } undetermined { reason date symbol } }
                holdings(first: 2) { nodes { symbol profit { fifo {
                  cost { value } unrealizedProfit { value } missing { quantity }
                  lots(first: 5) { quantity cost unrealizedProfit } } } } } } }
            """)
        let portfolio = try #require(answer["portfolio"])
        let income = try #require(portfolio["income"])
        #expect(income["gross"] == .null && income["known"]?["gross"]?.decimal == 50)
        #expect(income["undetermined"]?["reason"] == "MISSING_AMOUNT")
        #expect(income["undetermined"]?["date"] == "2026-10-05")
        let holdings = try #require(portfolio["holdings"]?["nodes"]?.elements)
        #expect(holdings.map { $0["symbol"] } == ["KO", "AAPL261218C00230000"])
        // 105 × 60 − 6,000, and 280 − 250.
        for (holding, (quantity, cost, profit)) in zip(holdings, [(105, 6000, 300), (1, 250, 30)]) {
            let basis = try #require(holding["profit"]?["fifo"])
            #expect(basis["cost"]?["value"]?.decimal == Decimal(cost))
            #expect(basis["unrealizedProfit"]?["value"]?.decimal == Decimal(profit))
            #expect(basis["missing"] == .array([]))
            let lot = try #require(basis["lots"]?[0])
            #expect(lot["quantity"]?.decimal == Decimal(quantity) && lot["cost"]?.decimal == Decimal(cost))
            #expect(lot["unrealizedProfit"]?.decimal == Decimal(profit))
        }
    }
}
