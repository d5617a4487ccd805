import Alpaca
import Brokerage
import Gateway
import ProviderTestSupport
import Sandbox
import TestSupport
import Testing
import Upstream

@Suite("A holding that is calculated from the rows of its broker")
struct BookedOrderTests {
    /// Executions of orders within one millisecond, whose ids have another order than their times and quantities; a change of the
    /// symbol; and a dividend under each symbol.
    private static let rows = """
        [\(fill("4", "2026-01-05T15:00:00.5001Z", "buy", "5", at: "20", filled: "5", "AAPX")),
         \(fill("3", "2026-01-05T15:00:00.5002Z", "buy", "5", at: "30", filled: "10", "AAPX")),
         \(fill("2", "2026-01-05T15:00:00.5003Z", "buy", "2", at: "40", filled: "2", "AAPX")),
         \(fill("1", "2026-01-05T15:00:00.5003Z", "buy", "8", at: "50", filled: "10", "AAPX")),
         \(fill("5", "2026-01-06T15:00:00Z", "sell", "5", at: "25", filled: "5", "AAPX")),
         \(booking("6", "DIV", "2026-02-02", #""activity_sub_type":"CDIV","net_amount":"3.97","symbol":"AAPX""#)),
         \(booking("7", "NC", "2026-03-02", #""net_amount":"0","qty":"-15","symbol":"AAPX","group_id":"g""#)),
         \(booking("8", "NC", "2026-03-02", #""net_amount":"0","qty":"15","symbol":"AAPL","group_id":"g""#)),
         \(fill("9", "2026-03-03T15:00:00Z", "sell", "6", at: "40", filled: "6", "AAPL")),
         \(booking("10", "DIV", "2026-05-04", #""activity_sub_type":"CDIV","net_amount":"2.73","symbol":"AAPL""#))]
        """

    private static func fill(
        _ id: String, _ time: String, _ side: String, _ quantity: String, at price: String, filled: String,
        _ symbol: String
    ) -> String {
        """
        {"id":"20260105100000500::\(id)","activity_type":"FILL","transaction_time":"\(time)","type":"partial_fill",
         "price":"\(price)","qty":"\(quantity)","side":"\(side)","symbol":"\(symbol)","leaves_qty":"0",
         "cum_qty":"\(filled)","order_id":"o","order_status":"filled"}
        """
    }

    private static func booking(_ id: String, _ type: String, _ day: String, _ members: String) -> String {
        """
        {"id":"20260202000000000::\(id)","activity_type":"\(type)","date":"\(day)","created_at":"\(day)T14:00:00Z",
         "status":"executed","currency":"USD",\(members)}
        """
    }

    private static let account = """
        {"id":"6f1de4b1-7ad5-4d0e-9c57-0a6b2f0f8a31","account_number":"PA3ABCDEF12","status":"ACTIVE","currency":"USD",
         "buying_power":"900","cash":"900","equity":"1350","last_equity":"1350","multiplier":"1"}
        """
    private static let positions = """
        [{"asset_id":"b0b6dd9d-8b9b-48a9-ba46-b9d54906e415","symbol":"AAPL","exchange":"NASDAQ",
          "asset_class":"us_equity","qty":"9","avg_entry_price":"48.9","side":"long","market_value":"450",
          "cost_basis":"440","unrealized_pl":"10","current_price":"50","lastday_price":"50"}]
        """

    @Test("has the executions in their order, and the profit and the income of its earlier symbol")
    func figures() async throws {
        let answer = try await CannedAlpaca(
            account: Self.account, positions: Self.positions, activities: Self.rows
        ).data(
            """
            { activities(first: 100) { nodes { id } }
              portfolio { holdings(first: 1) { nodes { symbol profit {
                fifo { \(Self.figures) lots(first: 5) { quantity cost } } averageCost { \(Self.figures) }
                income { gross undetermined { reason } } } } } } }
            """)
        let ids = answer["activities"]?["nodes"]?.elements?.compactMap {
            $0["id"]?.string?.split(separator: ":").last.map { String($0) }
        }
        #expect(ids == ["10", "9", "8", "7", "6", "5", "1", "2", "3", "4"])
        let holding = try #require(answer["portfolio"]?["holdings"]?["nodes"]?[0])
        #expect(holding["symbol"] == "AAPL")
        let fifo = try #require(holding["profit"]?["fifo"])
        // 5 × (25 − 20) and 5 × (40 − 30) + 40 − 40.
        #expect(fifo["realizedProfit"]?["value"]?.decimal == 75)
        #expect(fifo["convertedRealizedProfit"]?["value"]?.decimal == 75)
        #expect(fifo["lots"]?.elements?.map { $0["quantity"]?.decimal } == [1, 8])
        #expect(fifo["lots"]?.elements?.map { $0["cost"]?.decimal } == [40, 400])
        #expect(fifo["yieldOnCostPercentage"]?.decimal == Decimal("1.5227"))
        // The average cost of a unit is 36.50: 5 × (25 − 36.5) + 6 × (40 − 36.5).
        let average = try #require(holding["profit"]?["averageCost"])
        #expect(average["realizedProfit"]?["value"]?.decimal == Decimal("-36.50"))
        let income = holding["profit"]?["income"]
        #expect(income?["gross"]?.decimal == Decimal("6.70"))
        #expect(income?["undetermined"] == .null)
    }

    private static let figures = """
        realizedProfit { value } convertedRealizedProfit { value } yieldOnCostPercentage
        """
}
