import Brokerage

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
