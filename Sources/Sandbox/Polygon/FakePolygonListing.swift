import Brokerage

/// An instrument in Polygon's words.
struct FakePolygonListing: Sendable {
    let instrument: FakeInstrument

    init(_ instrument: FakeInstrument) {
        self.instrument = instrument
    }

    /// The instrument of a ticker, case-sensitive; nil when there is none, and for what is listed abroad.
    init?(_ ticker: String, in market: Market) {
        guard let symbol = Self.marketSymbol(ticker), let instrument = market.anyInstrument(symbol),
            instrument.exchange != .london, Self(instrument).ticker == ticker
        else { return nil }
        self.init(instrument)
    }

    /// Class shares with a dot, `BRK.B`; `I:SPX`, `C:EURUSD`, `X:BTCUSD`.
    var ticker: String {
        switch instrument.assetClass {
        case .equity: instrument.symbol
        case .index: "I:\(instrument.symbol)"
        case .currencyPair(let base, let quote): "C:\(base)\(quote)"
        case .crypto(let base): "X:\(base)USD"
        }
    }

    private static func marketSymbol(_ ticker: String) -> String? {
        let name = ticker.dropFirst(2)
        if ticker.hasPrefix("I:") { return String(name) }
        if ticker.hasPrefix("C:") || ticker.hasPrefix("X:") {
            return name.count >= 6 ? "\(name.dropLast(3))/\(name.suffix(3))" : nil
        }
        return ticker
    }

    var company: Company? { Company.issuer(of: instrument.symbol) }

    /// The market, in Polygon's word for it.
    var market: String {
        switch instrument.assetClass {
        case .equity: "stocks"
        case .index: "indices"
        case .currencyPair: "fx"
        case .crypto: "crypto"
        }
    }

    /// Polygon's code of the kind of security; nil outside of the stock market.
    var type: String? {
        switch instrument.assetClass {
        case .equity: instrument.isFund ? "ETF" : "CS"
        case .index, .currencyPair, .crypto: nil
        }
    }

    /// The exchange by its code in ISO 10383; nil for what none lists.
    var exchange: String? {
        switch instrument.exchange {
        case .nasdaq: "XNAS"
        case .nyse: "XNYS"
        case .arca: "ARCX"
        case .london: "XLON"
        case .overTheCounter: nil
        }
    }

    /// The midnight with which a day of its market begins: New York's, or UTC's where it never closes.
    func midnight(of date: CalendarDate) -> Int? {
        switch instrument.assetClass {
        case .equity, .index:
            LocalTime(date: date, hour: 0).map { Int(Instant(newYork: $0).secondsSince1970) }
        case .currencyPair, .crypto: date.daysSince1970 * 86_400
        }
    }

    /// The day of its market at a second.
    func date(at second: Int) -> CalendarDate {
        let moment = Instant(secondsSince1970: Int64(second)) ?? .earliest
        switch instrument.assetClass {
        case .equity, .index: return moment.inNewYork.date
        case .currencyPair, .crypto: return moment.dateInUTC
        }
    }
}
