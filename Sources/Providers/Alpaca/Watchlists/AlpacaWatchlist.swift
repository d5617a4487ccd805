import Brokerage
import Upstream

/// A watchlist; without what is in it where all of them are listed.
struct AlpacaWatchlist: JSONDecodable, Hashable {
    let id: String
    let name: String
    let assets: [AlpacaAsset]?
    let createdAt: Instant?
    let updatedAt: Instant?

    init(json reader: inout JSONReader) throws(JSONError) {
        var (id, name) = (String?.none, String?.none)
        var assets: [AlpacaAsset]?
        var (createdAt, updatedAt) = (Instant?.none, Instant?.none)
        try reader.object { key, reader throws(JSONError) in
            switch key {
            case "id": id = try reader.string()
            case "name": name = try reader.string()
            case "assets":
                assets = try reader.optional { reader throws(JSONError) in
                    try reader.array(of: AlpacaAsset.self)
                }
            case "created_at": createdAt = try reader.instantOrNil()
            case "updated_at": updatedAt = try reader.instantOrNil()
            default: try reader.skip()
            }
        }
        self.id = try reader.required(id, "id")
        self.name = try reader.required(name, "name")
        self.assets = assets
        self.createdAt = createdAt
        self.updatedAt = updatedAt
    }

    /// The list in Portico's words; one without assets is empty, as Alpaca leaves those of an empty list out.
    var watchlist: BrokerWatchlist {
        let items = assets?.map { BrokerWatchlist.Item(symbol: $0.symbol, name: $0.name) }
        var watchlist = BrokerWatchlist(id: id, name: name, items: items ?? [])
        watchlist.createdAt = createdAt
        watchlist.updatedAt = updatedAt
        return watchlist
    }
}
