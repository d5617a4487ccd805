import Brokerage

/// What one second brings to a client of the data stream.
struct AlpacaTicks {
    private let subscription: DataSubscription
    private let view: MarketView

    init(_ subscription: DataSubscription, _ view: MarketView) {
        self.subscription = subscription
        self.view = view
    }

    /// Trades, quotes, and at the turn of a minute bars; nothing while nothing is traded.
    var messages: [JSON] {
        var messages: [JSON] = []
        if view.phase != nil {
            messages += priced(.trades).map { message("t", $0, AlpacaQuotation.trade(of: $0, view)) }
            messages += priced(.quotes).map { message("q", $0, AlpacaQuotation.quote(of: $0, view)) }
        }
        guard view.now.isMultiple(of: 60) else { return messages }
        for instrument in priced(.bars) {
            let start = view.now - 60
            for candle in view.bars(of: instrument, every: .minute, from: start, through: start) {
                messages.append(
                    message("b", instrument, AlpacaQuotation.bar(candle.bar, start: candle.start)))
            }
        }
        if view.phase == .regular, let session = view.marketDay {
            for instrument in priced(.dailyBars) {
                guard let bar = view.dayBar(instrument, session) else { continue }
                messages.append(
                    message("d", instrument, AlpacaQuotation.bar(bar, start: session.midnight)))
            }
        }
        return messages
    }

    private func priced(_ channel: DataSubscription.Channel) -> [Instrument] {
        subscription.instruments(channel).filter { view.priced($0.symbol) != nil }
    }

    private func message(_ type: JSON, _ instrument: Instrument, _ members: [JSON.Member]) -> JSON {
        .object(
            [.init(name: "T", value: type), .init(name: "S", value: .string(instrument.symbol))] + members)
    }
}
