import Brokerage

/// Alpaca's bars: of several symbols page by page, of one symbol, and the latest minute of each.
struct FakeAlpacaBars: Sendable {
    let host: FakeAlpacaHost
    let settings: FakeAlpacaSettings

    var routes: [SandboxRoute] {
        [
            host.get("/v2/stocks/bars") { visit in
                let page = try page(of: FakeAlpacaMarketData.instruments(visit), visit)
                return [
                    "bars": .object(
                        page.bars.map { .init(name: $0.symbol, value: .array($0.bars)) }),
                    "next_page_token": .optional(page.next) { .string($0.text) },
                ]
            },
            host.get("/v2/stocks/{symbol}/bars") { visit in
                let symbol = visit.request.parameters["symbol"] ?? ""
                guard FakeAlpacaMarketData.isSymbol(symbol) else {
                    throw FakeAlpacaError.invalidSymbol(symbol)
                }
                let page = try page(of: [symbol].compactMap(visit.view.market.instrument), visit)
                return [
                    "bars": .optional(page.bars.first) { .array($0.bars) }, "symbol": .string(symbol),
                    "next_page_token": .optional(page.next) { .string($0.text) },
                ]
            },
            host.get("/v2/stocks/bars/latest") { visit in
                _ = try visit.request.choice("feed", of: FakeAlpacaFeeds.latest)
                let bars = try FakeAlpacaMarketData.instruments(visit).compactMap { instrument in
                    visit.view.priced(instrument.symbol).flatMap(visit.view.minuteBar).map { minute in
                        JSONDocument.Member(
                            name: instrument.symbol,
                            value: .object(FakeAlpacaQuotation.bar(minute.bar, start: minute.start)))
                    }
                }
                return ["bars": .object(bars)]
            },
        ]
    }

    private struct Page {
        var bars: [(symbol: String, bars: [JSONDocument])] = []
        var next: FakeAlpacaBarQuery.Token?
    }

    /// Symbol by symbol, so that a page may hold one symbol only; a symbol without bars is absent.
    private func page(of instruments: [FakeInstrument], _ visit: FakeAlpacaHost.AuthenticatedRequest) throws
        -> Page
    {
        let query = try FakeAlpacaBarQuery(visit.request, visit.view, settings)
        var page = Page()
        var left = query.limit
        let symbols = instruments.sorted { $0.symbol < $1.symbol }
        for instrument in symbols where instrument.symbol >= query.token?.symbol ?? "" {
            var bars: [JSONDocument] = []
            for candle in query.series(of: instrument, visit.view) {
                guard left > 0 else {
                    page.next = FakeAlpacaBarQuery.Token(symbol: instrument.symbol, start: candle.start)
                    break
                }
                bars.append(.object(FakeAlpacaQuotation.bar(candle.bar, start: candle.start)))
                left -= 1
            }
            if !bars.isEmpty { page.bars.append((instrument.symbol, bars)) }
            if page.next != nil { break }
        }
        return page
    }
}
