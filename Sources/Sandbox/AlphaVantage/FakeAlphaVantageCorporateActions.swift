import Brokerage

extension FakeAlphaVantageCall {
    /// Returns `DIVIDENDS`: all dividends, newest first; an empty object for unlisted symbols.
    ///
    /// Amounts are those of the shares at their time, and the oldest ones have only the ex-date.
    func dividends() throws -> JSONDocument {
        try actions { symbol, today, last in
            let first = Instant(secondsSince1970: Int64(Market.clamped(0)))?.dateInUTC ?? today
            let all = CorporateActions.dividends(
                of: symbol, from: max(first, settings.historyBegins), through: last, view.market.exchanges)
            return try all.reversed().enumerated().map { place, dividend in
                let ratio = CorporateActions.splitRatio(of: symbol, on: dividend.exDate, knownOn: today)
                let isOld = place >= Self.datedDividends
                func date(_ date: CalendarDate) -> JSONDocument { isOld ? "None" : .string(date.description) }
                return [
                    "ex_dividend_date": .string(dividend.exDate.description),
                    "declaration_date": date(dividend.declaredOn), "record_date": date(dividend.exDate),
                    "payment_date": date(dividend.payDate),
                    "amount": .text(try dividend.amount * Decimal(ratio)),
                ]
            }
        }
    }

    /// The number of dividends with all dates.
    private static var datedDividends: Int { 80 }

    /// Returns `SPLITS`: all splits, newest first; an empty object for unlisted symbols.
    func splits() throws -> JSONDocument {
        try actions { symbol, _, last in
            CorporateActions.splits.filter { $0.symbol == symbol && $0.exDate <= last }.reversed().map {
                split in
                [
                    "effective_date": .string(split.exDate.description),
                    "split_factor": .fourDigits(cents: split.ratio * 100),
                ]
            }
        }
    }

    private func actions(
        _ items: (_ symbol: String, _ today: CalendarDate, _ last: CalendarDate) throws -> [JSONDocument]
    ) throws -> JSONDocument {
        guard let symbol = self["symbol"], !symbol.isEmpty else { throw invalid }
        guard let instrument = instrument(providerSymbol: symbol) else { return .object([]) }
        let today = view.instant.inNewYork.date
        let last = today.adding(days: CorporateActions.notice) ?? today
        return [
            "symbol": .string(instrument.alphaVantageSymbol),
            "data": .array(try items(instrument.symbol, today, last)),
        ]
    }
}
