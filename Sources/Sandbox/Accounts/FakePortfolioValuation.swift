import Brokerage

/// The holdings of an account at one moment, with their values.
///
/// A holding without a scripted price still has its market value; only the price is omitted.
struct FakePortfolioValuation {
    let ledger: Ledger
    let cash: Decimal
    let positions: [Position]
    /// Cash and holdings at the close before the current trading day.
    let lastEquity: Decimal
    /// The gross value at that close; half of it is the margin of the previous day.
    let lastGrossValue: Decimal
    /// The date of that close.
    let lastDay: CalendarDate

    struct Position {
        let holding: FakeHolding
        /// In cents.
        let price: Int
        /// The official close before the current trading day, in cents.
        let lastClose: Int
        /// The value at that close; shares bought since then count at their own price.
        let lastValue: Decimal
        let isPriced: Bool

        var value: Decimal {
            get throws { try holding.value(at: price) }
        }
    }

    init(_ book: FakePortfolio, _ view: MarketView) throws {
        guard let today = view.tradingDay, let last = view.market.exchanges.session(before: today.date) else {
            throw NoSession()
        }
        let market = view.market
        ledger = book.ledger
        cash = try book.cash(at: view.now)
        let revalued = try book.holdings(at: view.now, boughtAtCloseOf: last)
        positions = try book.holdings(at: view.now).map { holding in
            Position(
                holding: holding, price: market.lastTrade(holding.instrument, at: view.now).price,
                lastClose: market.close(holding.instrument, last),
                lastValue: revalued.first { $0.instrument == holding.instrument }?.cost ?? .zero,
                isPriced: view.priced(holding.instrument.symbol) != nil)
        }
        lastEquity = try book.equity(atCloseOf: last)
        lastGrossValue = try book.holdings(at: last.close).reduce(Decimal.zero) { sum, holding in
            try sum + holding.value(at: market.close(holding.instrument, last)).magnitude
        }
        lastDay = last.date
    }

    /// Cannot occur: the market has a previous session at every moment, see ``Market/clamped(_:)``.
    struct NoSession: Error {}

    /// The value of the long positions, in dollars.
    var longValue: Decimal {
        get throws { try positions.filter { !$0.holding.quantity.isNegative }.sum { try $0.value } }
    }

    /// The value of the short positions, in dollars: zero or negative.
    var shortValue: Decimal {
        get throws { try positions.filter { $0.holding.quantity.isNegative }.sum { try $0.value } }
    }

    /// Cash plus all holdings.
    var equity: Decimal {
        get throws { try cash + longValue + shortValue }
    }
}

extension Array {
    fileprivate func sum(_ value: (Element) throws -> Decimal) throws -> Decimal {
        try reduce(Decimal.zero) { try $0 + value($1) }
    }
}

/// The equity during one session.
///
/// The holdings are looked up once, so that a month of minutes is fast to compute.
struct EquityCurve {
    private let session: TradingSession
    /// The contents before the session, and after each of its trades.
    private let steps: [(second: Int, contents: FakePortfolioSnapshot)]
    private let tapes: [String: DayTape]

    init(_ book: FakePortfolio, _ session: TradingSession) throws {
        self.session = session
        steps = try book.contents(from: session.preMarketOpen - 1, through: session.postMarketClose)
        let held = steps.last?.contents.holdings ?? []
        tapes = Dictionary(
            held.map { ($0.instrument.symbol, book.market.tape($0.instrument, session)) },
            uniquingKeysWith: { first, _ in first })
    }

    /// Returns the equity at a second between the previous close and the next opening; official closes apply
    /// while the market is closed.
    func equity(at second: Int) throws -> Decimal {
        guard let contents = steps.last(where: { $0.second <= second })?.contents ?? steps.first?.contents
        else { return .zero }
        return try contents.holdings.reduce(contents.cash) { sum, holding in
            guard let tape = tapes[holding.instrument.symbol] else { return sum }
            let official = second < session.preMarketOpen ? tape.previousClose : tape.close
            return try sum + holding.value(at: tape.price(at: second) ?? official)
        }
    }
}
