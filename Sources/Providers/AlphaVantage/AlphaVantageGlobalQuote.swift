import Brokerage
import Upstream

/// The response of `GLOBAL_QUOTE`.
struct AlphaVantageGlobalQuote: JSONDecodable, Hashable {
    /// Nil for an unknown symbol, for which Alpha Vantage returns an empty object.
    var figures: Figures?

    struct Figures: Hashable {
        var price: Decimal
        var open: Decimal?
        var high: Decimal?
        var low: Decimal?
        var previousClose: Decimal?
        var volume: Decimal?
        /// The day of the last trade; its time is not returned.
        var day: CalendarDate?
    }

    init(json reader: inout JSONReader) throws(JSONError) {
        var isEmpty = true
        var quote: Figures??
        try reader.object { key, reader throws(JSONError) in
            isEmpty = false
            // `Global Quote - DATA DELAYED BY 15 MINUTES` for a key with such an entitlement.
            if key.string.hasPrefix("Global Quote") {
                quote = .some(try Figures.ifAny(json: &reader))
            } else {
                try reader.skip()
            }
        }
        figures = isEmpty ? nil : try reader.required(quote, "Global Quote")
    }
}

extension AlphaVantageGlobalQuote.Figures {
    fileprivate static func ifAny(json reader: inout JSONReader) throws(JSONError) -> Self? {
        var isEmpty = true
        var (price, open, high) = (Decimal?.none, Decimal?.none, Decimal?.none)
        var (low, close, volume) = (Decimal?.none, Decimal?.none, Decimal?.none)
        var day: CalendarDate?
        try reader.object { key, reader throws(JSONError) in
            isEmpty = false
            switch key {
            case "05. price": price = try reader.decimal()
            case "02. open": open = try reader.figureOrNil()
            case "03. high": high = try reader.figureOrNil()
            case "04. low": low = try reader.figureOrNil()
            case "06. volume": volume = try reader.figureOrNil()
            case "07. latest trading day": day = try reader.dateOrNil()
            case "08. previous close": close = try reader.figureOrNil()
            default: try reader.skip()
            }
        }
        if isEmpty { return nil }
        return Self(
            price: try reader.required(price, "05. price"), open: open, high: high, low: low,
            previousClose: close, volume: volume, day: day)
    }

    /// The figures as a `Quote` of Portico.
    func quote(
        of symbol: Symbol, in unit: PriceUnit, entitlement: AlphaVantageEntitlement?, fetchedAt: Instant
    ) throws(Decimal.Overflow) -> Quote {
        let asOf = day.flatMap { Self.close(of: $0, of: symbol, by: fetchedAt) }
        var quote = Quote(
            symbol: symbol, provenance: Provenance(source: .alphaVantage, fetchedAt: fetchedAt, asOf: asOf))
        quote.price = try unit.amount(price)
        if let open { quote.open = try unit.amount(open) }
        if let high { quote.high = try unit.amount(high) }
        if let low { quote.low = try unit.amount(low) }
        if let previousClose { quote.previousClose = try unit.amount(previousClose) }
        quote.volume = volume
        quote.currency = unit.currency
        quote.delayMinutes = entitlement?.delayMinutes
        // Without an entitlement the function has the last close (Alpha Vantage, "Quote Endpoint").
        quote.timeliness = entitlement?.timeliness ?? .endOfDay
        return quote
    }

    /// When American trading closed on a past day: the price is valid at least since then.
    ///
    /// Nil for a day that may not be over, and for exchanges whose hours are unknown.
    private static func close(of day: CalendarDate, of symbol: Symbol, by now: Instant) -> Instant? {
        guard case .listing(_, market: nil)? = SymbolKind(symbol),
            let close = LocalTime(date: day, hour: 16).map(Instant.init(newYork:)), close <= now
        else { return nil }
        return close
    }
}
