import Brokerage
import PorticoCore

/// Alpaca's bars: pages of several symbols, pages of one symbol, and the latest minute of each.
struct FakeAlpacaBars: Sendable {
    let host: FakeAlpacaHost
    let settings: FakeAlpacaSettings

    var routes: [SandboxRoute] {
        [
            host.get("/v2/stocks/bars") { context in
                let page = try page(of: FakeAlpacaMarketData.instruments(context), context)
                return [
                    "bars": .object(
                        page.bars.map { .init(name: $0.symbol, value: .array($0.bars)) }),
                    "next_page_token": .optional(page.next) { .string($0.text) },
                ]
            },
            host.get("/v2/stocks/{symbol}/bars") { context in
                let symbol = context.request.parameters["symbol"] ?? ""
                guard FakeAlpacaMarketData.isSymbol(symbol) else {
                    throw FakeAlpacaError.invalidSymbol(symbol)
                }
                let page = try page(of: [symbol].compactMap(context.view.market.instrument), context)
                return [
                    "bars": .optional(page.bars.first) { .array($0.bars) }, "symbol": .string(symbol),
                    "next_page_token": .optional(page.next) { .string($0.text) },
                ]
            },
            host.get("/v2/stocks/bars/latest") { context in
                try context.checkFeed(settings)
                let bars = try FakeAlpacaMarketData.instruments(context).compactMap { instrument in
                    context.view.priced(instrument.symbol).flatMap(context.view.minuteBar).map { minute in
                        JSONDocument.Member(
                            name: instrument.symbol,
                            value: .object(FakeAlpacaMarketDataJSON.bar(minute.bar, start: minute.start)))
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

    /// Writes the bars symbol by symbol, so a page may contain one symbol only; a symbol without bars is
    /// omitted.
    private func page(of instruments: [FakeInstrument], _ context: FakeAlpacaHost.AuthenticatedRequest) throws
        -> Page
    {
        let query = try FakeAlpacaBarQuery(context.request, context.view, settings)
        var page = Page()
        var left = query.limit
        let symbols = instruments.sorted { $0.symbol < $1.symbol }
        for instrument in symbols where instrument.symbol >= query.token?.symbol ?? "" {
            var bars: [JSONDocument] = []
            for candle in query.series(of: instrument, context.view) {
                guard left > 0 else {
                    page.next = FakeAlpacaBarQuery.Token(symbol: instrument.symbol, start: candle.start)
                    break
                }
                let bar =
                    query.isRaw
                    ? candle.bar.unadjusted(
                        of: instrument, on: candle.date, knownOn: context.view.instant.inNewYork.date)
                    : candle.bar
                bars.append(.object(FakeAlpacaMarketDataJSON.bar(bar, start: candle.start)))
                left -= 1
            }
            if !bars.isEmpty { page.bars.append((instrument.symbol, bars)) }
            if page.next != nil { break }
        }
        return page
    }
}

/// The validated parameters of Alpaca's bars.
struct FakeAlpacaBarQuery {
    let length: BarLength
    let start: Int
    let end: Int
    /// The maximum number of bars of all symbols on one page.
    let limit: Int
    let newestFirst: Bool
    /// True for prices as traded, before later splits.
    let isRaw: Bool
    let token: Token?

    /// A page token: the position of the next bar.
    struct Token: Equatable {
        let symbol: String
        let start: Int

        var text: String { Base64.standard.padded("\(symbol)|M|\(start)000000000") }

        init(symbol: String, start: Int) {
            self.symbol = symbol
            self.start = start
        }

        init?(_ text: String) {
            guard let parts = Base64.standard.text(padded: text)?.split(separator: "|"), parts.count == 3,
                parts[2].hasSuffix("000000000"), let start = Int(parts[2].dropLast(9))
            else { return nil }
            self.init(symbol: String(parts[0]), start: start)
        }
    }

    init(_ request: SandboxRequest, _ view: MarketView, _ settings: FakeAlpacaSettings)
        throws(FakeAlpacaError)
    {
        guard let text = request[query: "timeframe"] else {
            throw .badRequest("timeframe is required")
        }
        guard let length = BarLength(alpaca: text) else { throw .badRequest("invalid timeframe: \(text)") }
        self.length = length
        limit = try request.integer("limit", in: 1...10_000) ?? 1_000
        newestFirst = try request.choice("sort", of: ["asc", "desc"]) == "desc"
        let adjustment = try request.choice(
            "adjustment", of: ["raw", "split", "dividend", "spin-off", "all"], isList: true)
        isRaw = !(adjustment ?? "raw").split(separator: ",").contains { $0 == "split" || $0 == "all" }
        let feed = try request.choice("feed", of: FakeAlpacaFeeds.historical)
        token = try request[query: "page_token"].map { text throws(FakeAlpacaError) in
            guard let token = Token(text) else { throw .badRequest("invalid page_token: \(text)") }
            return token
        }
        start = try request.timestamp("start", isEnd: false) ?? view.marketDay?.midnight ?? view.now
        end = try request.timestamp("end", isEnd: true) ?? view.now
        guard start <= end else { throw .badRequest("end should not be before start") }
        if let delay = settings.recentSIPDelay, feed == "sip" || feed == nil,
            end > view.now - Int(delay.components.seconds)
        {
            switch settings.recentSIPRefusal {
            case .forbidden: throw .notSubscribed("subscription does not permit querying recent SIP data")
            case .unprocessable: throw .endTooLate
            }
        }
    }

    /// Returns the remaining bars of one symbol.
    func series(of instrument: FakeInstrument, _ view: MarketView) -> BarSeries {
        var (first, last) = (start, end)
        if let token, token.symbol == instrument.symbol {
            if newestFirst { last = min(last, token.start) } else { first = max(first, token.start) }
        }
        return view.bars(of: instrument, every: length, from: first, through: last, newestFirst: newestFirst)
    }
}

/// Alpaca's names of data sources.
enum FakeAlpacaFeeds {
    static let latest = ["delayed_sip", "iex", "otc", "sip", "boats", "overnight"]
    static let historical = ["iex", "otc", "sip", "boats"]
    static let streamed = ["iex", "sip", "delayed_sip", "otc"]
    static let streamedOvernight = ["boats", "overnight"]
}

extension FakeAlpacaHost.AuthenticatedRequest {
    /// Checks the feed of a request for latest prices; those of all exchanges need the paid plan.
    func checkFeed(_ settings: FakeAlpacaSettings) throws(FakeAlpacaError) {
        let feed = try request.choice("feed", of: FakeAlpacaFeeds.latest)
        if feed == "sip", settings.plan(of: user.name) == .basic {
            throw .notSubscribed("subscription does not permit querying recent SIP data")
        }
    }
}

extension BarLength {
    /// Parses `[1-59]Min|T`, `[1-23]Hour|H`, `1Day|D`, `1Week|W`, `[1,2,3,4,6,12]Month|M`; nil for other
    /// texts.
    init?(alpaca text: String) {
        let digits = text.prefix { $0.isASCII && $0.isNumber }
        guard let count = Int(digits), digits.first != "0" else { return nil }
        switch text.dropFirst(digits.count) {
        case "Min", "T":
            guard (1...59).contains(count) else { return nil }
            self = .minutes(count)
        case "Hour", "H":
            guard (1...23).contains(count) else { return nil }
            self = .minutes(count * 60)
        case "Day", "D":
            guard count == 1 else { return nil }
            self = .day
        case "Week", "W":
            guard count == 1 else { return nil }
            self = .week
        case "Month", "M":
            guard [1, 2, 3, 4, 6, 12].contains(count) else { return nil }
            self = .months(count)
        default: return nil
        }
    }
}
