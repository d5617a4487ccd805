package import Brokerage
import PorticoCore
package import Upstream

/// The watchlists that Saxo stores: `ref/v1/watchlists`, which its documents no longer contain, and which applications
/// of third parties may lack.
extension SaxoClient: WatchlistSource {
    /// All lists with their instruments: the names, then each list separately, a few at a time.
    ///
    /// There are none if Saxo does not offer them to the application. A list that is deleted meanwhile is left
    /// out. More than ``maximumLists`` are the failure `tooMany`.
    package func watchlists(in context: CallContext) async throws(ProviderFailure) -> BrokerWatchlists {
        let listed: SaxoList<SaxoWatchlistName>
        do throws(ProviderFailure) {
            let url = try address(.reference, ["v1", "watchlists"], [("$top", Self.pageSize)])
            listed = try await list(
                "watchlists", .reference, url, of: SaxoWatchlistName.self, in: context)
        } catch {
            guard error.cause == .notFound || error.cause == .notEntitled else { throw error }
            return []
        }
        guard listed.items.count <= Self.maximumLists else {
            throw ProviderFailure(.saxo, .tooMany(.watchlists, limit: Self.maximumLists))
        }
        let results = await concurrently(listed.items, atMost: 4) { list async throws(ProviderFailure) in
            try await watchlist(list, in: context)
        }
        var unreadable = listed.unreadable
        let found = try results.found("watchlist", unreadable: &unreadable)
        return BrokerWatchlists(found, unreadable: unreadable)
    }

    private static var maximumLists: Int { 100 }

    private func watchlist(
        _ list: SaxoWatchlistName, in context: CallContext
    ) async throws(ProviderFailure) -> BrokerWatchlist {
        let url = try address(.reference, ["v1", "watchlists", list.id])
        let content = try await get("watchlist", .reference, url, in: context) { response throws(JSONError) in
            try SaxoWatchlist(json: response.body)
        }
        let known = content.instruments.elements.compactMap { instrument in
            configuration.symbolMapping.symbol(of: instrument.key, providerSymbol: instrument.providerSymbol)
                .map { (instrument: instrument, symbol: $0) }
        }
        // The list has the Uic of each instrument, so none of them is searched for its price. It has no currencies: a pair
        // states its own, and that of another instrument is looked up by Uic if a price does not state it.
        let listings = known.map { instrument, symbol in
            var currency: String?
            if case .currencies(_, let quote)? = SymbolKind(symbol) { currency = quote }
            return SaxoListing(instrument.key, symbol: symbol, currencyName: currency)
        }
        await instrumentCache.learn(listings, now: clock.now())
        var watchlist = BrokerWatchlist(
            id: list.id, name: list.name ?? list.id,
            items: known.map { BrokerWatchlist.Item(symbol: $0.symbol, name: $0.instrument.name) })
        watchlist.unreadable = content.instruments.unreadable(in: "Instruments")
        return watchlist
    }
}

/// An item of `GET /ref/v1/watchlists`.
///
/// Its form is not documented: the names are those of Saxo's parameters and of its other lists.
struct SaxoWatchlistName: JSONObjectDecodable, Hashable, Sendable {
    var id = ""
    var name: String?

    static let json = JSONFields(Self()) {
        $0.required("WatchlistId", \.id) { reader throws(JSONError) in
            guard let id = try reader.idOrNil() else { return nil }
            return try reader.required(isValid(id) ? id : nil, "id that can be a part of a path")
        }
        $0.optional("Name", \.name, JSONReader.readable)
    }

    /// Whether an id can be a part of a path.
    private static func isValid(_ id: String) -> Bool {
        (1...64).contains(id.utf8.count)
            && id.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                    UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "-"), UInt8(ascii: "_"):
                    true
                default: false
                }
            }
    }
}

/// The response of `GET /ref/v1/watchlists/{WatchListId}`.
struct SaxoWatchlist: JSONObjectDecodable, Sendable {
    var instruments = JSONRows<Instrument>()

    struct Instrument: JSONObjectDecodable, Hashable, Sendable {
        var key = SaxoInstrumentKey()
        var providerSymbol: String?
        var name: String?

        static let json = JSONFields(Self()) {
            $0.required("Uic", \.key.uic)
            $0.required("AssetType", \.key.assetType)
            $0.optional("Symbol", \.providerSymbol)
            $0.optional("Description", \.name)
        }
    }

    static let json = JSONFields(Self()) {
        $0.required("Instruments", \.instruments) { reader throws(JSONError) in
            try reader.rows()
        }
    }
}
