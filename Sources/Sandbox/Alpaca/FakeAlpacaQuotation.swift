import Brokerage

/// How Alpaca's data host writes trades, quotes and bars; the data stream writes them alike.
enum FakeAlpacaQuotation {
    static func bar(_ bar: Bar, start: Int) -> [JSONDocument.Member] {
        [
            .init(name: "t", value: stamp(start)), .init(name: "o", value: price(bar.open)),
            .init(name: "h", value: price(bar.high)), .init(name: "l", value: price(bar.low)),
            .init(name: "c", value: price(bar.close)),
            .init(name: "v", value: JSONDocument(integerLiteral: bar.volume)),
            .init(name: "n", value: JSONDocument(integerLiteral: bar.trades)),
            .init(name: "vw", value: .number(shortest: bar.averagePrice)),
        ]
    }

    static func trade(of instrument: FakeInstrument, _ view: MarketView) -> [JSONDocument.Member] {
        let last = view.market.lastTrade(instrument, at: view.now)
        let noise = SeededRandom(seed: UInt64(bitPattern: Int64(last.second))).branch(instrument.symbol)
        return [
            .init(
                name: "t",
                value: stamp(last.second - 1, nanoseconds: noise.number(0, below: 1_000_000_000))),
            .init(name: "x", value: "V"), .init(name: "p", value: price(last.price)),
            .init(name: "s", value: JSONDocument(integerLiteral: 1 + noise.number(1, below: 300))),
            .init(name: "c", value: ["@"]),
            .init(
                name: "i",
                value: JSONDocument(
                    integerLiteral: 50_000_000_000_000 + noise.number(2, below: 9_999_999_999_999))),
            .init(name: "z", value: .string(instrument.exchange.tape)),
        ]
    }

    /// A side that nobody takes has a price and a size of 0.
    static func quote(of instrument: FakeInstrument, _ view: MarketView) -> [JSONDocument.Member] {
        let quote = view.market.quote(instrument, at: view.now)
        let noise = SeededRandom(seed: UInt64(bitPattern: Int64(quote.second))).branch(instrument.symbol)
            .branch(
                .quote)
        return [
            .init(
                name: "t",
                value: stamp(quote.second - 1, nanoseconds: noise.number(0, below: 1_000_000_000))),
            .init(name: "ax", value: "V"), .init(name: "ap", value: price(quote.ask?.price ?? 0)),
            .init(name: "as", value: JSONDocument(integerLiteral: quote.ask?.size ?? 0)),
            .init(name: "bx", value: "V"), .init(name: "bp", value: price(quote.bid?.price ?? 0)),
            .init(name: "bs", value: JSONDocument(integerLiteral: quote.bid?.size ?? 0)),
            .init(name: "c", value: ["R"]), .init(name: "z", value: .string(instrument.exchange.tape)),
        ]
    }

    private static func price(_ cents: Int) -> JSONDocument {
        .number(shortest: Decimal(cents: cents))
    }

    private static func stamp(_ second: Int, nanoseconds: Int = 0) -> JSONDocument {
        let instant = Instant(secondsSince1970: Int64(second), nanoseconds: Int32(nanoseconds))
        return .string((instant ?? .earliest).description)
    }
}
