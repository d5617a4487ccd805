package import Brokerage

/// The corporate actions of the market's instruments: cash dividends, a split, a spin-off.
///
/// The market's prices are adjusted for splits, not for dividends and spin-offs. They are constants and rules of the
/// calendar, independent of the seed.
package enum CorporateActions {
    /// A split: each share before ``exDate`` is `ratio` shares from then on.
    package struct Split: Sendable, Hashable {
        package let symbol: String
        package let ratio: Int
        /// The first day of trading at the new price; a Monday and the first day of a month, so that no week or
        /// month contains both prices.
        package let exDate: CalendarDate
    }

    /// A spin-off: the holder of a share of `source` receives `ratio` shares of `new`.
    package struct SpinOff: Sendable, Hashable {
        package let source: String
        package let new: String
        package let ratio: Decimal
        /// The first day on which the source is traded without the new shares, and the day of their delivery.
        package let exDate: CalendarDate
    }

    /// A cash dividend of one share, in the currency of its price.
    package struct Dividend: Sendable, Hashable {
        package let symbol: String
        /// By the shares after later splits.
        package let amount: Decimal
        /// The holder at the end of the day before is entitled.
        package let exDate: CalendarDate
        package let payDate: CalendarDate

        /// Seven weeks before the ex-date, so that every announced dividend is declared.
        package var declaredOn: CalendarDate { exDate.adding(days: -49) ?? exDate }
    }

    /// The number of days before the ex-date from which on providers announce an action.
    package static let notice = 45

    package static let splits = [Split(symbol: "NVDA", ratio: 4, exDate: date("2025-12-01"))]

    package static let spinOffs = [
        SpinOff(
            source: "T", new: "WBD", ratio: Decimal(coefficient: 1, scale: 1) ?? .zero,
            exDate: date("2022-04-11"))
    ]

    /// Returns the number of shares after the known splits that one share of a day was; 1 without a split.
    ///
    /// A split is known from its ex-date on, so that nothing depends on the future.
    package static func splitRatio(of symbol: String, on day: CalendarDate, knownOn today: CalendarDate)
        -> Int
    {
        splits.reduce(1) { ratio, split in
            split.symbol == symbol && day < split.exDate && split.exDate <= today
                ? ratio * split.ratio : ratio
        }
    }

    /// Returns the dividends of an instrument with an ex-date in a range of days, oldest first.
    ///
    /// There are four a year. They grow by a cent or more in a year.
    package static func dividends(
        of symbol: String, from first: CalendarDate, through last: CalendarDate, _ exchanges: TradingHours
    ) -> [Dividend] {
        guard let payer = payers[symbol], first <= last else { return [] }
        return (first.year...last.year).flatMap { year in
            (0..<4).compactMap { quarter -> Dividend? in
                guard
                    let day = CalendarDate(year: year, month: payer.month + 3 * quarter, day: payer.day),
                    let exDate = session(from: day, exchanges), first <= exDate, exDate <= last,
                    let payDay = exDate.adding(days: payer.delay),
                    let payDate = session(from: payDay, exchanges)
                else { return nil }
                let growth = (year - 2026) * max(1, payer.amount / 20)
                return Dividend(
                    symbol: symbol, amount: Decimal(cents: max(1, payer.amount + growth)), exDate: exDate,
                    payDate: payDate)
            }
        }
    }

    /// The symbols of American exchanges that pay dividends.
    package static let payingSymbols: [String] = payers.keys.filter { !$0.hasSuffix(".L") }.sorted()

    /// Returns the first day of trading on or after a day.
    private static func session(from day: CalendarDate, _ exchanges: TradingHours) -> CalendarDate? {
        exchanges.session(on: day)?.date ?? exchanges.session(after: day)?.date
    }

    private struct Payer {
        /// A quarter's dividend in 2026, in hundredths of the unit of the price.
        let amount: Int
        /// The first month of the year with a dividend, 1 to 3.
        let month: Int
        /// The day of the month from which the ex-date is counted.
        let day: Int
        /// The days from the ex-date to the payment.
        let delay: Int
    }

    private static let payers: [String: Payer] = [
        "AAPL": Payer(amount: 26, month: 2, day: 9, delay: 3),
        "COST": Payer(amount: 130, month: 1, day: 30, delay: 14),
        "GOOGL": Payer(amount: 21, month: 3, day: 9, delay: 7),
        "JPM": Payer(amount: 150, month: 1, day: 6, delay: 25),
        "KO": Payer(amount: 52, month: 3, day: 13, delay: 17),
        "META": Payer(amount: 53, month: 3, day: 16, delay: 10),
        "MSFT": Payer(amount: 91, month: 2, day: 19, delay: 21),
        "NVDA": Payer(amount: 1, month: 3, day: 11, delay: 21),
        "PEP": Payer(amount: 142, month: 3, day: 6, delay: 24),
        "PFE": Payer(amount: 43, month: 1, day: 23, delay: 37),
        "QQQ": Payer(amount: 72, month: 3, day: 23, delay: 5),
        "SPY": Payer(amount: 188, month: 3, day: 20, delay: 41),
        "T": Payer(amount: 28, month: 1, day: 10, delay: 22),
        // Pence.
        "TSCO.L": Payer(amount: 4_73, month: 2, day: 12, delay: 45),
        "V": Payer(amount: 67, month: 2, day: 10, delay: 20),
        "VTI": Payer(amount: 96, month: 3, day: 27, delay: 4),
        "XOM": Payer(amount: 103, month: 2, day: 13, delay: 25),
    ]

    private static func date(_ text: String) -> CalendarDate {
        CalendarDate(text) ?? .earliest
    }
}

extension Bar {
    /// Returns the bar as it was traded: with prices and volume before later splits that are known.
    package func unadjusted(of instrument: FakeInstrument, on day: CalendarDate, knownOn today: CalendarDate)
        -> Bar
    {
        let ratio = CorporateActions.splitRatio(of: instrument.symbol, on: day, knownOn: today)
        return Bar(
            open: open * ratio, high: high * ratio, low: low * ratio, close: close * ratio,
            volume: volume / ratio)
    }
}
