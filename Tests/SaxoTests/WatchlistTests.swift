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

    @Test("are none for an application that does not have them", arguments: [403, 404])
    func missing(status: Int) async throws {
        try await withSaxo(answering: { _, _ in .text("", status: status) }) { saxo, server in
            let lists = try await saxo.watchlists(in: .patient)
            #expect(lists.isEmpty)
            #expect(server.requests.count == 1)
        }
    }

    @Test("fail as a whole if one of them cannot be read, or if an id is no part of a path")
    func failures() async throws {
        let names = #"{"Data":[{"WatchlistId":"7","Name":"Mine"}]}"#
        try await withSaxo(answering: { request, _ in
            request.path == "/ref/v1/watchlists" ? .text(names) : .text("", status: 503)
        }) { saxo, _ in
            await #expect(throws: ProviderFailure(.saxo, .unavailable)) {
                try await saxo.watchlists(in: .patient)
            }
        }
        for id in ["", "a/b", "..", String(repeating: "1", count: 65)] {
            let names = #"{"Data":[{"WatchlistId":"\#(id)","Name":"Mine"}]}"#
            try await withSaxo(["/ref/v1/watchlists": names]) { saxo, server in
                await #expect(throws: ProviderFailure(.saxo, .invalidResponse(nil))) {
                    try await saxo.watchlists(in: .patient)
                }
                #expect(server.requests.count == 1)
            }
        }
    }

    @Test("of the sandbox are read")
    func sandbox() async throws {
        try await RunningSandbox.run { fixture in
            let lists = try await fixture.client().watchlists(in: .patient)
            #expect(lists.map(\.name) == ["Currencies", "Technology"])
            #expect(lists[0].items.map(\.symbol.text) == ["EUR/DKK", "EUR/USD", "GBP/USD", "USD/JPY"])
            #expect(lists[1].items.first?.name == "Apple Inc.")
        }
    }
}
