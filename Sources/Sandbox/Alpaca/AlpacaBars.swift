import Brokerage

/// Alpaca's bars: of several symbols page by page, of one symbol, and the latest minute of each.
struct AlpacaBars: Sendable {
    let host: AlpacaHost
    let settings: AlpacaSettings

    var routes: [Route] {
        [
            host.get("/v2/stocks/bars") { visit in
                let page = try page(of: AlpacaMarketData.instruments(visit), visit)
                return [
                    "bars": .object(
                        page.bars.map { .init(name: $0.symbol, value: .array($0.bars)) }),
                    "next_page_token": .optional(page.next) { .string($0.text) },
                ]
            },
            host.get("/v2/stocks/{symbol}/bars") { visit in
                let symbol = visit.request.parameters["symbol"] ?? ""
                guard AlpacaMarketData.isSymbol(symbol) else { throw AlpacaError.invalidSymbol(symbol) }
                let page = try page(of: [symbol].compactMap(visit.view.market.instrument), visit)
                return [
                    "bars": .optional(page.bars.first) { .array($0.bars) }, "symbol": .string(symbol),
                    "next_page_token": .optional(page.next) { .string($0.text) },
                ]
            },
            host.get("/v2/stocks/bars/latest") { visit in
                _ = try visit.request.choice("feed", of: AlpacaFeeds.latest)
                let bars = try AlpacaMarketData.instruments(visit).compactMap { instrument in
                    visit.view.priced(instrument.symbol).flatMap(visit.view.minuteBar).map { minute in
                        JSON.Member(
                            name: instrument.symbol,
                            value: .object(AlpacaQuotation.bar(minute.bar, start: minute.start)))
                    }
                }
                return ["bars": .object(bars)]
            },
        ]
    }

    private struct Page {
        var bars: [(symbol: String, bars: [JSON])] = []
        var next: AlpacaBarQuery.Token?
    }

    /// Symbol by symbol, so that a page may hold one symbol only; a symbol without bars is absent.
    private func page(of instruments: [Instrument], _ visit: AlpacaHost.Visit) throws -> Page {
        let query = try AlpacaBarQuery(visit.request, visit.view, settings)
        var page = Page()
        var left = query.limit
        let symbols = instruments.sorted { $0.symbol < $1.symbol }
        for instrument in symbols where instrument.symbol >= query.token?.symbol ?? "" {
            var bars: [JSON] = []
            for candle in query.series(of: instrument, visit.view) {
                guard left > 0 else {
                    page.next = AlpacaBarQuery.Token(symbol: instrument.symbol, start: candle.start)
                    break
                }
                bars.append(.object(AlpacaQuotation.bar(candle.bar, start: candle.start)))
                left -= 1
            }
            if !bars.isEmpty { page.bars.append((instrument.symbol, bars)) }
            if page.next != nil { break }
        }
        return page
    }
}
