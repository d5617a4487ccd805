import Brokerage

/// Equity through one session; what is held is looked up once, so that a month of minutes is quickly told.
struct EquityCurve {
    let session: TradingSession
    private let closing: Decimal
    private let beforeClose: Contents
    private let afterClose: Contents

    private struct Contents {
        let cash: Decimal
        let holdings: [(holding: Holding, tape: DayTape)]

        init(_ book: Book, _ session: TradingSession, at second: Int) throws {
            cash = try book.cash(at: second)
            holdings = try book.holdings(at: second).map { ($0, book.market.tape($0.instrument, session)) }
        }
    }

    init(_ book: Book, _ session: TradingSession) throws {
        self.session = session
        closing = try book.equity(atCloseOf: session)
        // A ledger's trades are made at the close.
        beforeClose = try Contents(book, session, at: session.close - 1)
        afterClose = try Contents(book, session, at: session.close)
    }

    /// Equity at a second from the close before to the opening after: at official closes while nothing is
    /// traded.
    func equity(at second: Int) throws -> Decimal {
        guard second < session.postMarketClose else { return closing }
        let contents = second < session.close ? beforeClose : afterClose
        return try contents.holdings.reduce(contents.cash) { sum, position in
            let price = position.tape.price(at: second) ?? position.tape.previousClose
            return try sum + position.holding.value(at: price)
        }
    }
}
