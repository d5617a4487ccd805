import Brokerage

/// An account at one moment: what it holds, and what that is worth.
///
/// A holding whose price the script takes away is still worth what the market knows; only its price is not
/// told.
struct Valuation {
    let ledger: Ledger
    let cash: Decimal
    let positions: [Position]
    /// Cash and everything held at the close before the current trading day.
    let lastEquity: Decimal
    /// Half of what everything held was worth at that close counts for the margin of the day before.
    let lastGrossValue: Decimal
    /// The day of that close.
    let lastDay: CalendarDate

    struct Position {
        let holding: Holding
        /// In cents.
        let price: Int
        /// The official close before the current trading day, in cents.
        let lastClose: Int
        /// What it was worth at that close; what was bought since counts at its own price.
        let lastValue: Decimal
        let isPriced: Bool

        var value: Decimal {
            get throws { try holding.value(at: price) }
        }
    }

    init(_ book: AccountBook, _ view: MarketView) throws {
        guard let today = view.tradingDay, let last = TradingCalendar.session(before: today.date) else {
            throw NoSession()
        }
        let market = view.market
        ledger = book.ledger
        cash = try book.cash(at: view.now)
        let standing = try book.holdings(at: view.now, boughtAtCloseOf: last)
        positions = try book.holdings(at: view.now).map { holding in
            Position(
                holding: holding, price: market.lastTrade(holding.instrument, at: view.now).price,
                lastClose: market.close(holding.instrument, last),
                lastValue: standing.first { $0.instrument == holding.instrument }?.cost ?? .zero,
                isPriced: view.priced(holding.instrument.symbol) != nil)
        }
        lastEquity = try book.equity(atCloseOf: last)
        lastGrossValue = try book.holdings(at: last.close).reduce(Decimal.zero) { sum, holding in
            try sum + holding.value(at: market.close(holding.instrument, last)).magnitude
        }
        lastDay = last.date
    }

    /// The market always has a session behind it: see ``Market/clamped(_:)``.
    struct NoSession: Error {}

    /// What is held long is worth, in dollars.
    var longValue: Decimal {
        get throws { try positions.filter { !$0.holding.quantity.isNegative }.sum { try $0.value } }
    }

    /// What is held short is worth, in dollars: zero or below.
    var shortValue: Decimal {
        get throws { try positions.filter { $0.holding.quantity.isNegative }.sum { try $0.value } }
    }

    /// All that the account is worth.
    var equity: Decimal {
        get throws { try cash + longValue + shortValue }
    }
}

extension Array {
    fileprivate func sum(_ value: (Element) throws -> Decimal) throws -> Decimal {
        try reduce(Decimal.zero) { try $0 + value($1) }
    }
}

/// Equity through one session; what is held is looked up once, so that a month of minutes is quickly told.
struct EquityCurve {
    private let session: TradingSession
    /// What there was before the session, and after each trade of it.
    private let steps: [(second: Int, contents: AccountBookSnapshot)]
    private let tapes: [String: DayTape]

    init(_ book: AccountBook, _ session: TradingSession) throws {
        self.session = session
        steps = try book.contents(from: session.preMarketOpen - 1, through: session.postMarketClose)
        let held = steps.last?.contents.holdings ?? []
        tapes = Dictionary(
            held.map { ($0.instrument.symbol, book.market.tape($0.instrument, session)) },
            uniquingKeysWith: { first, _ in first })
    }

    /// Equity at a second from the close before to the opening after: at official closes while nothing is
    /// traded.
    func equity(at second: Int) throws -> Decimal {
        guard let contents = steps.last(where: { $0.second <= second })?.contents ?? steps.first?.contents
        else { return .zero }
        return try contents.holdings.reduce(contents.cash) { sum, holding in
            guard let tape = tapes[holding.instrument.symbol] else { return sum }
            let standing = second < session.preMarketOpen ? tape.previousClose : tape.close
            return try sum + holding.value(at: tape.price(at: second) ?? standing)
        }
    }
}
