import Brokerage
import Sandbox
import TestSupport
import Testing

@Suite("Saxo's stand-in answers in Saxo's shapes")
struct SaxoWireTests {
    struct Case: CustomTestStringConvertible, Sendable {
        let path: String
        /// Nil for a shape without a schema.
        let shape: String?
        var testDescription: String { path }

        static let client = FakeSaxoClient.demo.escapedKey
        static let krone = FakeSaxoClient.escaped(FakeSaxoClient.demo.accounts[1].key)
        static let all: [Case] = [
            Case(path: "/port/v1/clients/me", shape: "Client"),
            Case(path: "/port/v1/accounts/me", shape: "AccountPage"),
            Case(path: "/port/v1/accounts/me?$top=1", shape: "AccountPage"),
            Case(path: "/port/v1/balances/me", shape: "Balance"),
            Case(path: "/port/v1/balances?ClientKey=\(client)", shape: "Balance"),
            Case(path: "/port/v1/balances?ClientKey=\(client)&AccountKey=\(krone)", shape: "Balance"),
            Case(path: "/port/v1/netpositions/me", shape: "NetPositionPage"),
            Case(
                path:
                    "/port/v1/netpositions?ClientKey=\(client)&$top=2&$skip=1&FieldGroups=NetPositionBase,NetPositionView,DisplayAndFormat,ExchangeInfo",
                shape: "NetPositionPage"),
            Case(
                path: "/port/v1/netpositions?ClientKey=\(client)&AccountKey=\(krone)",
                shape: "NetPositionPage"),
            Case(path: "/port/v1/closedpositions?ClientKey=\(client)", shape: "ClosedPositionPage"),
            Case(path: "/port/v1/orders/me?FieldGroups=DisplayAndFormat", shape: "OpenOrderPage"),
            Case(path: "/port/v1/orders?ClientKey=\(client)", shape: "OpenOrderPage"),
            // Older clients end paths with a slash, and write some of them with other capitals.
            Case(path: "/port/v1/orders/me/", shape: "OpenOrderPage"),
            Case(path: "/Port/v1/NetPositions/Me/", shape: "NetPositionPage"),
            Case(path: "/trade/v1/infoprices?Uic=21&AssetType=FxSpot", shape: "InfoPrice"),
            Case(
                path:
                    "/trade/v1/infoprices/list?Uics=16,21,42,21700189,999999&AssetType=FxSpot&FieldGroups=\(groups)",
                shape: "InfoPricePage"),
            Case(
                path: "/trade/v1/infoprices/list?Uics=211,30000&AssetType=Stock&FieldGroups=\(groups)",
                shape: "InfoPricePage"),
            Case(
                path: "/trade/v1/infoprices/list?Uics=4910&AssetType=StockIndex&FieldGroups=\(groups)",
                shape: "InfoPricePage"),
            Case(path: "/chart/v3/charts?AssetType=FxSpot&Uic=21&Horizon=60&Count=30", shape: "Chart"),
            Case(
                path:
                    "/chart/v3/charts?AssetType=Stock&Uic=211&Horizon=1440&Count=300&FieldGroups=Data,ChartInfo,DisplayAndFormat",
                shape: "Chart"),
            Case(path: "/chart/v3/charts?AssetType=CfdOnStock&Uic=211&Horizon=5&Count=3", shape: "Chart"),
            Case(path: "/chart/v3/charts?AssetType=StockIndex&Uic=4910&Horizon=129600", shape: "Chart"),
            Case(path: "/ref/v1/instruments?Keywords=apple", shape: "InstrumentPage"),
            Case(path: "/ref/v1/instruments?AssetTypes=Stock,FxSpot&$top=7&$skip=3", shape: "InstrumentPage"),
            Case(
                path: "/ref/v1/instruments?Uics=4910&IncludeNonTradable=true&$inlinecount=AllPages",
                shape: "InstrumentPage"),
            Case(path: "/ref/v1/instruments/details/21/FxSpot", shape: nil),
            Case(path: "/ref/v1/instruments/details?Uics=211,21", shape: nil),
        ]
        private static let groups =
            "Quote,PriceInfo,PriceInfoDetails,InstrumentPriceDetails,DisplayAndFormat,Timestamps"
    }

    private func expectValid(_ reply: Client.Reply, _ wanted: Case) throws {
        #expect(reply.status == 200)
        #expect(reply.headers["content-type"] == "application/json; charset=UTF-8")
        #expect(reply.headers["x-correlation"] != nil)
        #expect(reply.isWhole)
        let document = try JSONValue(parsing: reply.body)
        guard let shape = wanted.shape else { return }
        #expect(try Golden.schema(of: "saxo").definition(shape).violations(in: document) == [])
    }

    @Test(
        "every answer is valid by the provider's schema, at any time of the week", arguments: Case.all,
        Moment.all)
    func valid(_ wanted: Case, moment: String) async throws {
        try await withSandbox(at: moment) { try expectValid(await $0.saxo(wanted.path), wanted) }
    }

    @Test("and is valid without prices, delayed, and without access to exchanges", arguments: Case.all)
    func validWithoutPrices(_ wanted: Case) async throws {
        try await withSandbox { fixture in
            fixture.sandbox.script = MarketScript(unpriced: ["AAPL", "EUR/USD", "EUR/DKK", "SPX"])
            try expectValid(await fixture.saxo(wanted.path), wanted)
        }
        try await withSandbox({ $0.saxo.exchangeDelayInMinutes = 15 }) { fixture in
            try expectValid(await fixture.saxo(wanted.path), wanted)
        }
        guard !wanted.path.contains("AssetType=Stock") || !wanted.path.hasPrefix("/chart") else { return }
        try await withSandbox({ $0.saxo.includesExchangePrices = false }) { fixture in
            try expectValid(await fixture.saxo(wanted.path), wanted)
        }
    }

    @Test("the same seed and clock give the same bytes", arguments: Case.all)
    func deterministic(_ wanted: Case) async throws {
        let first = try await withSandbox { try await $0.saxo(wanted.path) }
        let again = try await withSandbox { try await $0.saxo(wanted.path) }
        let host = try #require(first.headers["x-correlation"])
        #expect(host == again.headers["x-correlation"])
        #expect(wanted.path.contains("$top") || first.body == again.body)
    }
}
