import Brokerage

/// The watchlists that Saxo stores: read-only, and the same for all clients.
///
/// The form of one list is from a sample of Saxo; that of the list of lists is invented.
struct FakeSaxoWatchlists: Sendable {
    let host: FakeSaxoHost

    private struct Watchlist {
        let id: String
        let name: String
        let symbols: [String]
    }

    private static let lists = [
        Watchlist(id: "4711001", name: "Currencies", symbols: ["EUR/DKK", "EUR/USD", "GBP/USD", "USD/JPY"]),
        Watchlist(id: "4711002", name: "Technology", symbols: ["AAPL", "MSFT", "NVDA", "GOOGL"]),
    ]

    var routes: [SandboxRoute] {
        [
            host.get("/ref/v1/watchlists") { context in
                .json(
                    try FakeSaxoPage(context).document(Self.lists) { list in
                        ["Name": .string(list.name), "WatchlistId": .string(list.id)]
                    })
            },
            host.get("/ref/v1/watchlists/{watchlist_id}") { context in
                let id = context.request.parameters["watchlist_id"]
                guard let list = Self.lists.first(where: { $0.id == id }) else {
                    throw FakeSaxoError.notFound
                }
                return .json(["Instruments": .array(Self.items(of: list, in: context.view.market))])
            },
        ]
    }

    private static func items(of list: Watchlist, in market: Market) -> [JSONDocument] {
        list.symbols.compactMap(market.anyInstrument).compactMap(FakeSaxoInstruments.instrument(of:)).map {
            listing in
            [
                "Amount": 0,
                "AssetType": .string(listing.assetType.rawValue),
                "Description": .string(listing.description),
                "NonTradableReason": "None",
                "Symbol": .string(listing.symbol),
                "TradingStatus": "Tradable",
                "Uic": .integer(listing.uic),
                "WatchlistInstrumentId": .string("\(list.id)\(listing.uic)"),
            ]
        }
    }
}
