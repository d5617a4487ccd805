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
        return try await getChart("corporate actions", spelling, items, in: context) {
            chart, reader throws(JSONError) -> CorporateActionHistory in
            let actions = chart.actions(of: symbol, fetchedAt: clock.wallTime())
            return try reader.required(
                actions, "currency of the dividends, and amounts that a decimal can hold")
        }
    }
}

/// The member `events` of a chart: maps from times to events.
package struct YahooEvents: JSONDecodable, Hashable {
    private(set) var dividends: [PaidDividend] = []
    private(set) var splits: [DoneSplit] = []
    /// The errors of the dividends and splits that could not be read.
    private(set) var unreadableDividends: [String] = []
    private(set) var unreadableSplits: [String] = []
    /// The time of the latest split that could not be read, which is its key; the latest possible if no key is a time.
    ///
    /// The amounts of dividends before it are unknown, because they are by the shares after it.
    private(set) var latestUnreadableSplit: Instant?

    struct PaidDividend: JSONObjectDecodable, Hashable {
        /// The opening of trading on the ex-date.
        var time = Instant.earliest
        /// By the shares after all later splits.
        var amount = Decimal.zero
        /// Nil if it is that of the chart; the dividends of a listing may be in another currency than its prices.
        var currency: String?

        static let json = JSONFields(Self()) {
            $0.required("date", \.time) { reader throws(JSONError) in
                try reader.instant(since1970: .seconds)
            }
            $0.required("amount", \.amount)
            $0.optional("currency", \.currency) { reader throws(JSONError) in
                let currency = try reader.string()
                return currency.isEmpty ? nil : currency
            }
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
            case "dividends":
                let rows: JSONRows<PaidDividend> = try Self.rows(json: &reader)
                (dividends, unreadableDividends) = (rows.elements, rows.unreadable(in: "dividends"))
            case "splits":
                let rows: JSONRows<DoneSplit> = try Self.rows(json: &reader)
                (splits, unreadableSplits) = (rows.elements, rows.unreadable(in: "splits"))
                latestUnreadableSplit = rows.failures.map(Self.time).max()
            default: try reader.skip()
            }
        }
    }

    /// The values of a map, in any order.
    private static func rows<Event: JSONDecodable & Sendable>(
        json reader: inout JSONReader
    ) throws(JSONError) -> JSONRows<Event> {
        var rows = JSONRows<Event>()
        if try reader.null() { return rows }
        try reader.object { key, reader throws(JSONError) in
            let name = key.string
            try rows.add(reader.row(Event.init(json:)), at: .key(name))
        }
        return rows
    }

    private static func time(of error: JSONError) -> Instant {
        guard case .key(let name)? = error.path.first, let seconds = Int64(name) else { return .latest }
        return Instant(secondsSince1970: seconds) ?? .latest
    }
}

extension YahooEvents.DoneSplit {
    init(json reader: inout JSONReader) throws(JSONError) {
        self = try Self.json.read(from: &reader)
        let isRatio = newShares > .zero && oldShares > .zero
        _ = try reader.required(isRatio ? true : nil, "numerator and denominator above zero")
    }
}

extension YahooChart {
    /// The digits after the point of an amount: those of Yahoo's numbers of later shares have errors behind them.
    private static var amountDigits: Int { 6 }

    /// The events with the amounts of the shares at the ex-dates; nil if no dividend has a known currency.
    func actions(of symbol: Symbol, fetchedAt: Instant) -> CorporateActionHistory? {
        var unreadable = events.unreadableDividends
        let splits = events.splits.compactMap { event in
            Split(exDate: date(of: event.time), newShares: event.newShares, oldShares: event.oldShares)
        }
        var dividends: [Dividend] = []
        for event in events.dividends {
            if let time = events.latestUnreadableSplit, event.time < time {
                unreadable.append("dividends.\(event.time.secondsSince1970): a later split cannot be read")
            } else if let dividend = dividend(event, splits) {
                dividends.append(dividend)
            } else {
                unreadable.append(
                    "dividends.\(event.time.secondsSince1970): no known currency, or an amount out of range")
            }
        }
        guard events.dividends.isEmpty || !dividends.isEmpty || events.latestUnreadableSplit != nil else {
            return nil
        }
        let provenance = Provenance(source: .yahoo, fetchedAt: fetchedAt)
        return CorporateActionHistory(
            DividendHistory(
                symbol: symbol, dividends: dividends, unreadable: unreadable, provenance: provenance),
            SplitHistory(
                symbol: symbol, splits: splits, unreadable: events.unreadableSplits, provenance: provenance))
    }

    /// A dividend of a share at its ex-date, in whole currency: those of shares that are quoted in pence are in pence, too.
    private func dividend(_ event: YahooEvents.PaidDividend, _ splits: [Split]) -> Dividend? {
        guard let unit = (event.currency ?? meta.quote.currency).flatMap(PriceUnit.init) else { return nil }
        let exDate = date(of: event.time)
        do {
            var (new, old): (Decimal, Decimal) = (1, 1)
            for split in splits where split.exDate > exDate {
                (new, old) = (try new * split.newShares, try old * split.oldShares)
            }
            let amount = try event.amount.narrowedToSinglePrecision(keeping: 0)
                .multiplied(by: new, dividedBy: old, to: Self.amountDigits, .halfEven)
            return Dividend(
                exDate: exDate, amount: try unit.amount(amount.withoutTrailingZeros), currency: unit.currency)
        } catch {
            return nil
        }
    }

    /// The day of an event at the exchange, whose present difference from UTC is known.
    ///
    /// An exchange opens hours after midnight, so that an hour of summer time does not change the day.
    private func date(of time: Instant) -> CalendarDate {
        if meta.timeZone == "America/New_York" { return time.inNewYork.date }
        return (time + .seconds(meta.offset ?? 0)).dateInUTC
    }
}
