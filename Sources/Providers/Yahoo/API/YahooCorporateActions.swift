package import Brokerage
package import Upstream

extension YahooClient: CombinedCorporateActionSource {
    package var actionScope: CacheScope { .shared(.yahoo) }
    package var reportsDeclarations: Bool { false }

    package func corporateActions(
        of symbols: [Symbol], in context: CallContext
    ) async throws(ProviderFailure) -> KeyedResults<Symbol, CorporateActionHistory> {
        var batch = KeyedResults<Symbol, CorporateActionHistory>()
        for symbol in symbols { batch[symbol] = try await corporateActions(of: symbol, in: context) }
        return batch
    }

    /// `GET /v8/finance/chart/{symbol}` with the events of the whole history, beside months, which are the fewest bars.
    private func corporateActions(
        of symbol: Symbol, in context: CallContext
    ) async throws(ProviderFailure) -> CorporateActionHistory? {
        let spelling = try providerSymbol(for: symbol)
        let items = [("interval", Optional("1mo")), ("range", "max"), ("events", "div,split")]
        let chart = try await get(
            "corporate actions",
            { $0.appending(path: "v8", "finance", "chart", spelling)?.appending(query: items) }, in: context
        ) { reader throws(JSONError) in try YahooChart.response(json: &reader) }
        guard let chart else { return nil }
        // It is not documented whether amounts of shares that are quoted in pence are in pence or in pounds.
        guard let unit = chart.meta.currency.flatMap(PriceUnit.init), !unit.isHundredth else {
            throw ProviderFailure(.yahoo, .unsupported)
        }
        guard let actions = chart.actions(of: symbol, in: unit.currency, fetchedAt: clock.wallTime()) else {
            throw ProviderFailure(.yahoo, .invalidResponse(nil))
        }
        return actions
    }
}

/// The member `events` of a chart: maps from times to events.
package struct YahooEvents: JSONDecodable, Hashable {
    var dividends: [PaidDividend] = []
    var splits: [DoneSplit] = []

    struct PaidDividend: JSONObjectDecodable, Hashable {
        /// The opening of trading on the ex-date.
        var time = Instant.earliest
        /// By the shares after all later splits.
        var amount = Decimal.zero

        static let json = JSONFields(Self()) {
            $0.required("date", \.time) { reader throws(JSONError) in
                try reader.instant(since1970: .seconds)
            }
            $0.required("amount", \.amount)
        }
    }

    struct DoneSplit: JSONObjectDecodable, Hashable {
        var time = Instant.earliest
        var newShares = Decimal.zero
        var oldShares = Decimal.zero

        static let json = JSONFields(Self()) {
            $0.required("date", \.time) { reader throws(JSONError) in
                try reader.instant(since1970: .seconds)
            }
            $0.required("numerator", \.newShares)
            $0.required("denominator", \.oldShares)
        }
    }

    init() {}

    package init(json reader: inout JSONReader) throws(JSONError) {
        try reader.object { key, reader throws(JSONError) in
            switch key {
            case "dividends": dividends = try Self.values(json: &reader)
            case "splits": splits = try Self.values(json: &reader)
            default: try reader.skip()
            }
        }
    }

    /// The values of a map, in any order.
    private static func values<Event: JSONDecodable>(
        json reader: inout JSONReader
    ) throws(JSONError) -> [Event] {
        var events: [Event] = []
        if try reader.null() { return events }
        try reader.object { _, reader throws(JSONError) in events.append(try Event(json: &reader)) }
        return events
    }
}

extension YahooChart {
    /// The digits after the point of an amount; Yahoo's binary numbers have errors behind them.
    private static var amountDigits: Int { 6 }

    /// The events with the amounts of the shares at the ex-dates; nil for numbers that are not valid.
    func actions(of symbol: Symbol, in currency: String, fetchedAt: Instant) -> CorporateActionHistory? {
        var splits: [Split] = []
        for event in events.splits {
            guard
                let split = Split(
                    exDate: date(of: event.time), newShares: event.newShares, oldShares: event.oldShares)
            else { return nil }
            splits.append(split)
        }
        var dividends: [Dividend] = []
        for event in events.dividends {
            let exDate = date(of: event.time)
            var (new, old): (Decimal, Decimal) = (1, 1)
            for split in splits where split.exDate > exDate {
                guard let (nextNew, nextOld) = try? (new * split.newShares, old * split.oldShares) else {
                    return nil
                }
                (new, old) = (nextNew, nextOld)
            }
            guard
                let amount = try? event.amount.multiplied(
                    by: new, dividedBy: old, to: Self.amountDigits, .halfEven)
            else { return nil }
            dividends.append(
                Dividend(exDate: exDate, amount: amount.withoutTrailingZeros, currency: currency))
        }
        let provenance = Provenance(source: .yahoo, fetchedAt: fetchedAt)
        return CorporateActionHistory(
            DividendHistory(symbol: symbol, dividends: dividends, provenance: provenance),
            SplitHistory(symbol: symbol, splits: splits, provenance: provenance))
    }

    /// The day of an event at the exchange, whose present difference from UTC is known.
    ///
    /// An exchange opens hours after midnight, so that an hour of summer time does not change the day.
    private func date(of time: Instant) -> CalendarDate {
        if meta.timeZone == "America/New_York" { return time.inNewYork.date }
        return (time + .seconds(meta.offset ?? 0)).dateInUTC
    }
}
