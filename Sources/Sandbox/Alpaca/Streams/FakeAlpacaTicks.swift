import Brokerage

/// What one second brings to a client of the data stream.
struct FakeAlpacaTicks {
    private let subscription: DataSubscription
    private let view: MarketView

    init(_ subscription: DataSubscription, _ view: MarketView) {
        self.subscription = subscription
        self.view = view
    }

    /// Trades, quotes, and at the turn of a minute bars; nothing while nothing is traded.
    var messages: [JSONDocument] {
        var messages: [JSONDocument] = []
        if view.phase != nil {
            messages += priced(.trades).map { message("t", $0, FakeAlpacaQuotation.trade(of: $0, view)) }
            messages += priced(.quotes).map { message("q", $0, FakeAlpacaQuotation.quote(of: $0, view)) }
        }
        guard view.now.isMultiple(of: 60) else { return messages }
        for instrument in priced(.bars) {
            let start = view.now - 60
            for candle in view.bars(of: instrument, every: .minute, from: start, through: start) {
                messages.append(
                    message("b", instrument, FakeAlpacaQuotation.bar(candle.bar, start: candle.start)))
            }
        }
        if view.phase == .regular, let session = view.marketDay {
            for instrument in priced(.dailyBars) {
                guard let bar = view.dayBar(instrument, session) else { continue }
                messages.append(
                    message("d", instrument, FakeAlpacaQuotation.bar(bar, start: session.midnight)))
            }
        }
        return messages
    }

    private func priced(_ channel: DataSubscription.Channel) -> [FakeInstrument] {
        subscription.instruments(channel).filter { view.priced($0.symbol) != nil }
    }

    private func message(_ type: JSONDocument, _ instrument: FakeInstrument, _ members: [JSONDocument.Member])
        -> JSONDocument
    {
        .object(
            [.init(name: "T", value: type), .init(name: "S", value: .string(instrument.symbol))] + members)
    }
}
