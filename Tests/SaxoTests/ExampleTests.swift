import Brokerage
import ProviderTestSupport
import Saxo
import Testing
import Upstream

/// A file of `Tests/Golden/providers/saxo`, a type that decodes it, and the text of the decoded value.
struct Example: Sendable, CustomTestStringConvertible {
    let name: String
    let read: @Sendable (String) throws -> String
    let expected: String

    var testDescription: String { name }

    init<Value: JSONDecodable & SendableMetatype>(
        _ name: String, _ type: Value.Type, _ expected: String,
        _ shown: @escaping @Sendable (Value) throws -> String
    ) {
        self.name = name
        self.expected = expected
        read = { try shown(try decode(type, from: $0)) }
    }

    static let all: [Example] = [
        Example("client", SaxoUser.self, "b2Zf|0kq9bXc2-7hTTa1Vg== uQ7xN3c-5m1Y8aFz2LQw4A==") {
            "\($0.clientKey) \($0.defaultAccountKey ?? "")"
        },
        Example("accounts", SaxoPage<SaxoAccount>.self, "17304452 EUR") { page in
            page.items.map { "\($0.id) \($0.currency)" }.joined(separator: ", ")
        },
        Example("balance", SaxoBalance.self, "EUR 996386.01 -17662.4") {
            "\($0.currency ?? "") \(shown($0.totalValue)) \(shown($0.marginUsed))"
        },
        Example(
            "netpositions", SaxoPage<SaxoNetPosition>.self, "16 FxSpot 200000 EURDKK, 211 Stock 40 AAPL:xnas"
        ) { page in
            page.items.map {
                "\($0.base.key.uic) \($0.base.key.assetType) \($0.base.amount) \($0.format.symbol ?? "")"
            }.joined(separator: ", ")
        },
        Example("orders", SaxoPage<SaxoOpenOrder>.self, "5014824029 buy 100000 Limit 7.1 GoodTillCancel") {
            let order = try #require($0.items.first)
            return
                "\(order.id) \(order.side) \(order.amount) \(order.type) \(shown(order.terms.price)) "
                + (order.terms.duration.type ?? "")
        },
        Example("order-result", SaxoOrderResult.self, "5014824029 -") {
            "\($0.item.orderID ?? "-") \($0.item.error?.code ?? "-")"
        },
        Example("order-result-refused", SaxoOrderResult.self, "- OnWrongSideOfMarket") {
            "\($0.item.orderID ?? "-") \($0.item.error?.code ?? "-")"
        },
        Example("cancel-result", SaxoOrderResult.self, "5014824029 -, 5014824030 OrderNotFound") {
            $0.others.map { "\($0.orderID ?? "-") \($0.error?.code ?? "-")" }.joined(separator: ", ")
        },
        Example(
            "error", SaxoErrorBody.self,
            "InvalidModelState Amount: Amount must be a positive number; ManualOrder: ManualOrder is required"
        ) { problem in
            "\(problem.info.code ?? "") "
                + problem.fields.map { "\($0.name): \($0.texts.joined())" }.joined(separator: "; ")
        },
        Example("infoprices", SaxoPage<SaxoPrice>.self, "211 none none Closed - -") {
            let price = try #require($0.items.first)
            return
                "\(price.uic ?? 0) \(shown(price.quote.bidKind)) \(shown(price.quote.askKind)) "
                + "\(price.quote.marketState ?? "") \(shown(price.quote.bid)) \(shown(price.lastUpdated))"
        },
        Example("chart", SaxoChart.self, "1892739 2026-11-20T14:00:00Z 7.4606 7.46205") {
            let sample = try #require($0.samples.first)
            guard case .sides(let bid, let ask) = sample.prices else { return "no sides" }
            return "\($0.version ?? 0) \(sample.time) \(bid.open) \(ask.close)"
        },
        Example("instruments", SaxoPage<SaxoInstrument>.self, "211 Stock AAPL:xnas USD next") {
            let item = try #require($0.items.first)
            return
                "\(item.key.uic) \(item.key.assetType) \(item.providerSymbol) \(item.currency ?? "") "
                + ($0.next == nil ? "last" : "next")
        },
        Example("token", SaxoTokenResponse.self, "1200 3600") { "\($0.accessSeconds) \($0.refreshSeconds)" },
    ]

    private static func shown(_ value: (some Any)?) -> String { value.map { "\($0)" } ?? "-" }
}

@Suite("Saxo's examples")
struct ExampleTests {
    @Test("are read", arguments: Example.all)
    func whole(_ example: Example) throws {
        #expect(try example.read(goldenText(example.name)) == example.expected)
    }

    @Test("are read alike with numbers in quotes and with members that nobody knows", arguments: Example.all)
    func variants(_ example: Example) throws {
        let text = try goldenText(example.name)
        let quoted = text.replacing(/([:\[,])(-?\d+(?:\.\d+)?)(?=[,}\]])/) { "\($0.1)\"\($0.2)\"" }
        #expect(quoted != text || !text.contains(/[:,]\d/))
        #expect(try example.read(quoted) == example.expected)
        let stranger = text.replacing(#"{""#, with: #"{"Novelty":{"a":[1,null,{"b":"c"}]},""#)
        #expect(try example.read(stranger) == example.expected)
    }
}
