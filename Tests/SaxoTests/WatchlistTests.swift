import Brokerage
import ProviderTestSupport
import Saxo
import Testing
import Upstream

@Suite("Saxo's watchlists")
struct WatchlistTests {
    private static let names =
        #"{"Data":[{"WatchlistId":"7","Name":"Mine"},{"WatchlistId":"8"},{"WatchlistId":"gone","Name":"Gone"}]}"#
    private static let currencies = #"""
        {"Instruments":[{"Amount":0.0,"AssetType":"FxSpot","Description":"Euro/Danish Krone","NonTradableReason":"None",
        "Symbol":"EURDKK","TradingStatus":"Tradable","Uic":16,"WatchlistInstrumentId":"122276671"},
        {"AssetType":"CfdOnStock","Uic":211}]}
        """#

    @Test("have their instruments with Portico's symbols; a list that is deleted meanwhile is left out")
    func lists() async throws {
        let bodies = [
            "/ref/v1/watchlists": Self.names, "/ref/v1/watchlists/7": Self.currencies,
            "/ref/v1/watchlists/8": #"{"Instruments":[]}"#,
        ]
        try await withSaxo(bodies) { saxo, server in
            let lists = try await saxo.watchlists(in: .patient)
            #expect(lists.map(\.id) == ["7", "8"] && lists.map(\.name) == ["Mine", "8"])
            #expect(lists[0].items.map(\.symbol.text) == ["EUR/DKK", "UIC=211:CfdOnStock"])
            #expect(lists[0].items.map(\.name) == ["Euro/Danish Krone", nil])
            #expect(lists[1].items.isEmpty)
            #expect(server.requests.count == 4)
            let pair = try await saxo.listing(for: #require(Symbol("EUR/DKK")), in: .patient)
            #expect(pair?.key.uic == 16)
            #expect(server.requests.count == 4, "the pair of a list was searched")
        }
    }

    @Test("are not read if there are more than are read at most")
    func many() async throws {
        let rows = (1...101).map { #"{"WatchlistId":"\#($0)"}"# }.joined(separator: ",")
        try await withSaxo(["/ref/v1/watchlists": #"{"Data":[\#(rows)]}"#]) { saxo, server in
            await #expect(throws: ProviderFailure(.saxo, .tooMany(.watchlists, limit: 100))) {
                try await saxo.watchlists(in: .patient)
            }
            #expect(server.requests.count == 1)
        }
    }

    private static let shares = #"""
        {"Instruments":[{"AssetType":"Stock","Symbol":"TSCO:xlon","Uic":5},{"AssetType":"Stock","Symbol":"AAPL:xnas","Uic":211},
        {"AssetType":"Stock","Uic":999}]}
        """#
    private static let tesco =
        #"{"Uic":5,"AssetType":"Stock","Symbol":"TSCO:xlon","CurrencyCode":"GBP","PriceCurrency":"GBX"}"#
    private static let symbols = ["TSCO:XLON", "AAPL", "UIC=999:Stock"]

    /// A server with one list of three shares, of which Saxo knows two; with `statesCurrency`, prices and charts have a
    /// display format.
    private func withShares(
        statesCurrency: Bool, _ body: (SaxoClient, CannedServer) async throws -> Void
    ) async throws {
        try await withSaxo(
            answering: { request, _ in
                func format(_ currency: String) -> String {
                    statesCurrency ? #","DisplayAndFormat":{"Currency":"\#(currency)"}"# : ""
                }
                switch request.path {
                case "/ref/v1/watchlists": return .text(#"{"Data":[{"WatchlistId":"7"}]}"#)
                case "/ref/v1/watchlists/7": return .text(Self.shares)
                case "/trade/v1/infoprices/list":
                    return .text(
                        #"{"Data":[{"Uic":5,"AssetType":"Stock","PriceInfoDetails":{"LastTraded":412.5}\#(format("GBP"))},"#
                            + #"{"Uic":211,"AssetType":"Stock","PriceInfoDetails":{"LastTraded":225}\#(format("USD"))},"#
                            + #"{"Uic":999,"ErrorCode":"IllegalInstrumentId"}]}"#)
                case "/chart/v3/charts":
                    return .text(
                        #"{"Data":[{"Time":"2026-11-19T08:00:00Z","Open":410,"High":415,"Low":405,"Close":412.5}]"#
                            + #"\#(format("GBP"))}"#)
                case "/ref/v1/instruments/details/5/Stock": return .text(Self.tesco)
                case "/ref/v1/instruments/details":
                    return .text(
                        #"{"Data":[\#(Self.tesco),"#
                            + #"{"Uic":211,"AssetType":"Stock","Symbol":"AAPL:xnas","CurrencyCode":"USD"}]}"#)
                default: return .text("", status: 404)
                }
            }, body)
    }

    @Test(
        "have prices and charts without a look-up of a share, because these state their currency, unless they can be in pence"
    )
    func noLookUp() async throws {
        try await withShares(statesCurrency: true) { saxo, server in
            let lists = try await saxo.watchlists(in: .patient)
            #expect(lists[0].items.map(\.symbol.text) == Self.symbols)
            let symbols = lists[0].items.map(\.symbol)
            let quotes = try await saxo.quotes(for: symbols, in: .patient)
            #expect(
                try quotes[symbols[0]]?.price == decimal("4.125") && quotes[symbols[0]]?.currency == "GBP")
            #expect(try quotes[symbols[1]]?.price == decimal("225") && quotes[symbols[1]]?.currency == "USD")
            #expect(quotes[symbols[2]] == nil && quotes.failures.isEmpty)
            let chart = try await saxo.charts(
                of: [symbols[0]], ChartWindow(interval: .oneDay, last: 1), in: .patient)[symbols[0]]
            #expect(try chart?[0].prices.close == decimal("4.125") && chart?.currency == "GBP")
            let calls = server.requests.map(\.path)
            #expect(
                calls == [
                    "/ref/v1/watchlists", "/ref/v1/watchlists/7", "/trade/v1/infoprices/list",
                    "/ref/v1/instruments/details/5/Stock", "/chart/v3/charts",
                ])
        }
    }

    @Test("have the currencies of all shares by one call, once, if prices do not state them")
    func lookUp() async throws {
        try await withShares(statesCurrency: false) { saxo, server in
            let symbols = try await saxo.watchlists(in: .patient)[0].items.map(\.symbol)
            for _ in 0..<2 {
                let quotes = try await saxo.quotes(for: Array(symbols.prefix(2)), in: .patient)
                #expect(
                    try quotes[symbols[0]]?.price == decimal("4.125") && quotes[symbols[0]]?.currency == "GBP"
                )
                #expect(
                    try quotes[symbols[1]]?.price == decimal("225") && quotes[symbols[1]]?.currency == "USD")
            }
            let lookUps = server.requests.filter { $0.path.hasPrefix("/ref/v1/instruments") }
            #expect(lookUps.map { $0.query["Uics"] } == ["5,211"])
            #expect(lookUps.map { $0.query["AssetTypes"] } == ["Stock"])
            // Saxo does not know the third, so no order can be for it.
            let unknown = try await saxo.listing(for: symbols[2], in: .patient)
            #expect(unknown == nil)
        }
    }

    @Test("are none for an application that does not have them", arguments: [403, 404])
    func missing(status: Int) async throws {
        try await withSaxo(answering: { _, _ in .text("", status: status) }) { saxo, server in
            let lists = try await saxo.watchlists(in: .patient)
            #expect(lists.isEmpty)
            #expect(server.requests.count == 1)
        }
    }

    @Test("fail as a whole if one of them cannot be fetched")
    func failures() async throws {
        let names = #"{"Data":[{"WatchlistId":"7","Name":"Mine"}]}"#
        try await withSaxo(answering: { request, _ in
            request.path == "/ref/v1/watchlists" ? .text(names) : .text("", status: 503)
        }) { saxo, _ in
            await #expect(throws: ProviderFailure(.saxo, .unavailable)) {
                try await saxo.watchlists(in: .patient)
            }
        }
    }

    @Test(
        "have the others if one cannot be read, or if an id is no part of a path",
        arguments: [
            ("8", #"watchlist: no "Instruments""#, 3), ("", "Data[1]", 2), ("a/b", "Data[1]", 2),
            ("..", "Data[1]", 2), ("a|b=", "Data[1]", 2), (String(repeating: "1", count: 65), "Data[1]", 2),
        ])
    func unreadable(id: String, place: String, calls: Int) async throws {
        let bodies = [
            "/ref/v1/watchlists":
                #"{"Data":[{"WatchlistId":"7","Name":"Mine"},{"WatchlistId":"\#(id)"}]}"#,
            "/ref/v1/watchlists/7": #"{"Instruments":[]}"#, "/ref/v1/watchlists/8": "{}",
        ]
        try await withSaxo(bodies) { saxo, server in
            let lists = try await saxo.watchlists(in: .patient)
            #expect(lists.map(\.id) == ["7"])
            #expect(lists.unreadable.count == 1)
            #expect(lists.unreadable[0].hasPrefix(place), "\(lists.unreadable)")
            #expect(server.requests.count == calls)
        }
    }

    @Test("of the sandbox are read")
    func sandbox() async throws {
        try await RunningSandbox.run { fixture in
            let saxo = try fixture.client()
            let lists = try await saxo.watchlists(in: .patient)
            #expect(lists.map(\.name) == ["Currencies", "Technology"])
            #expect(lists[0].items.map(\.symbol.text) == ["EUR/DKK", "EUR/USD", "GBP/USD", "USD/JPY"])
            #expect(lists[1].items.first?.name == "Apple Inc.")
            let shares = lists[1].items.map(\.symbol)
            let quotes = try await saxo.quotes(for: shares, in: .patient)
            #expect(Set(quotes.found.values.map(\.currency)) == ["USD"] && quotes.found.count == shares.count)
            #expect(fixture.calls("GET /ref/v1/instruments") == 0)
            #expect(fixture.calls("GET /ref/v1/instruments/details") == 0)
            // Another read is the same as without a list: the number of its calls does not depend on the order.
            let order = try #require(try await saxo.listing(for: shares[0], in: .patient))
            #expect(order.currencyName == "USD")
            #expect(fixture.calls("GET /ref/v1/instruments") == 1)
        }
    }
}
