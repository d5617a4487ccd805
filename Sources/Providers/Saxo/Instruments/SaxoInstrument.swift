import Brokerage
import Upstream

/// An item of `GET /ref/v1/instruments`, where the Uic is called `Identifier`.
struct SaxoInstrument: JSONDecodable, Hashable {
    var key: SaxoInstrumentKey
    /// For display: `AAPL:xnas`.
    var providerSymbol: String
    var name: String?
    var currency: String?
    var exchangeID: String?
    var primaryListing: Int?
    /// Else it is a family of instruments, such as all options on a share, and ``key`` the family's.
    var isInstrument: Bool

    init(json reader: inout JSONReader) throws(JSONError) {
        var (uic, assetType, spelling) = (Int?.none, String?.none, String?.none)
        var (name, currency, exchangeID) = (String?.none, String?.none, String?.none)
        var (primaryListing, kind) = (Int?.none, String?.none)
        try reader.object { key, reader throws(JSONError) in
            switch key {
            case "Identifier": uic = try reader.int()
            case "AssetType": assetType = try reader.string()
            case "Symbol": spelling = try reader.string()
            case "Description": name = try reader.stringOrNil()
            case "CurrencyCode": currency = try reader.stringOrNil()
            case "ExchangeId": exchangeID = try reader.stringOrNil()
            case "PrimaryListing": primaryListing = try reader.intOrNil()
            case "SummaryType": kind = try reader.stringOrNil()
            default: try reader.skip()
            }
        }
        key = SaxoInstrumentKey(
            uic: try reader.required(uic, "Identifier"),
            assetType: try reader.required(assetType, "AssetType"))
        self.providerSymbol = try reader.required(spelling, "Symbol")
        self.name = name
        self.currency = currency
        self.exchangeID = exchangeID
        self.primaryListing = primaryListing
        isInstrument = kind == nil || kind == "Instrument"
    }
}

extension SaxoInstrument {
    func listing(in dialect: SaxoSymbols) -> SaxoListing? {
        dialect.symbol(of: key, providerSymbol: providerSymbol).map {
            SaxoListing(key, symbol: $0, currencyName: currency)
        }
    }

    func hit(in dialect: SaxoSymbols, fetchedAt: Instant) -> SearchHit? {
        guard let symbol = dialect.symbol(of: key, providerSymbol: providerSymbol) else { return nil }
        var instrument = Instrument(
            symbol: symbol, assetClass: AssetClass(saxo: key.assetType),
            provenance: Provenance(source: .saxo, fetchedAt: fetchedAt))
        instrument.name = name
        instrument.exchange = SaxoSymbols.exchange(in: providerSymbol) ?? exchangeID
        instrument.currency = currency.map { SaxoCurrency($0).code }
        var listing = Listing(saxo: key)
        listing.exchange = exchangeID
        instrument.listing = listing
        return SearchHit(instrument: instrument)
    }
}

extension SaxoSymbols {
    /// The market identifier code of a spelling: `XNAS`.
    static func exchange(in spelling: String) -> String? {
        guard let colon = spelling.lastIndex(of: ":") else { return nil }
        let code = spelling[spelling.index(after: colon)...]
        return code.utf8.count == 4 ? code.uppercased() : nil
    }
}
