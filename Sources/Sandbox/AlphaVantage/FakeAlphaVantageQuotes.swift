import Brokerage

/// `GLOBAL_QUOTE` and `REALTIME_BULK_QUOTES`.
struct FakeAlphaVantageQuotes: Sendable {
    let call: FakeAlphaVantageCall

    /// The maximum number of symbols of a bulk call.
    private static let maximumSymbols = 100

    /// Returns one symbol's day; an empty object without data.
    func globalQuote() throws -> JSONDocument {
        guard let symbol = call["symbol"], !symbol.isEmpty else { throw call.invalid }
        let name =
            call["entitlement"] == "delayed"
            ? "Global Quote - DATA DELAYED BY 15 MINUTES" : "Global Quote"
        let quote = try call.instrument(providerSymbol: symbol).flatMap(day).map { day in
            try globalQuote(day)
        }
        return .object([.init(name: name, value: quote ?? .object([]))])
    }

    private func globalQuote(_ day: Day) throws -> JSONDocument {
        [
            "01. symbol": .string(day.instrument.alphaVantageSymbol),
            "02. open": .fourDigits(cents: day.bar.open),
            "03. high": .fourDigits(cents: day.bar.high),
            "04. low": .fourDigits(cents: day.bar.low),
            "05. price": .fourDigits(cents: day.bar.close),
            "06. volume": .digits(day.bar.volume),
            "07. latest trading day": .string(day.session.date.description),
            "08. previous close": .fourDigits(cents: day.previousClose),
            "09. change": .fourDigits(cents: day.change),
            "10. change percent": .string("\(try day.changePercent)%"),
        ]
    }

    /// Returns the quotes of up to 100 symbols; unlisted ones are omitted.
    func bulk() throws -> JSONDocument {
        let symbols = (call["symbol"] ?? "").split(separator: ",").map(String.init)
        guard (1...Self.maximumSymbols).contains(symbols.count) else { throw call.invalid }
        let days = symbols.compactMap { call.instrument(providerSymbol: $0) }.compactMap(day)
        let isSample = !call.plan.entitlements.contains("realtime")
        return [
            "endpoint": "Realtime Bulk Quotes",
            "message": isSample
                ? "This is sample data: a plan with real-time prices has the quotes themselves." : "success",
            "data": .array(try days.map(bulkQuote)),
        ]
    }

    private func bulkQuote(_ day: Day) throws -> JSONDocument {
        var members: [JSONDocument.Member] = [
            .init(name: "symbol", value: .string(day.instrument.alphaVantageSymbol)),
            .init(name: "timestamp", value: .string(timestamp(of: day))),
            .init(name: "open", value: Self.shortest(day.bar.open)),
            .init(name: "high", value: Self.shortest(day.bar.high)),
            .init(name: "low", value: Self.shortest(day.bar.low)),
            .init(name: "close", value: Self.shortest(day.bar.close)),
            .init(name: "volume", value: .digits(day.bar.volume)),
            .init(name: "previous_close", value: Self.shortest(day.previousClose)),
            .init(name: "change", value: Self.shortest(day.change)),
            .init(name: "change_percent", value: .text(try day.changePercent)),
        ]
        if let price = extendedPrice(of: day) {
            let change = price - day.bar.close
            members += [
                .init(name: "extended_hours_quote", value: Self.shortest(price)),
                .init(name: "extended_hours_change", value: Self.shortest(change)),
                .init(
                    name: "extended_hours_change_percent",
                    value: .text(try Day.percent(change, of: day.bar.close))),
            ]
        }
        return .object(members)
    }

    /// Returns the last price outside of market hours; nil during these, and while the market is closed.
    private func extendedPrice(of day: Day) -> Int? {
        switch call.view.phase(of: day.instrument) {
        case .preMarket, .postMarket: call.view.price(day.instrument.symbol)
        case .regular, nil: nil
        }
    }

    private func timestamp(of day: Day) -> String {
        let last = call.view.market.lastTrade(day.instrument, at: call.view.now)
        let local = (Instant(secondsSince1970: Int64(last.second)) ?? .earliest).inNewYork
        let noise = SeededRandom(seed: UInt64(bitPattern: Int64(last.second))).branch(day.instrument.symbol)
        let milliseconds = String(1_000 + noise.number(0, below: 1_000)).dropFirst()
        return "\(local.text).\(milliseconds)"
    }

    private static func shortest(_ cents: Int) -> JSONDocument { .text(Decimal(cents: cents)) }

    /// Returns the current or last market day of an instrument; nil without a price.
    private func day(_ instrument: FakeInstrument) -> Day? {
        let view = call.view
        guard view.priced(instrument.symbol) != nil, let session = view.marketDay(of: instrument),
            let bar = view.dayBar(instrument, session)
        else { return nil }
        let tape = view.market.tape(instrument, session)
        return Day(instrument: instrument, session: session, bar: bar, previousClose: tape.previousClose)
    }
}

/// A market day of one instrument, up to the current second.
private struct Day {
    let instrument: FakeInstrument
    let session: TradingSession
    let bar: Bar
    let previousClose: Int

    /// In cents.
    var change: Int { bar.close - previousClose }

    /// With four decimals.
    var changePercent: Decimal {
        get throws { try Self.percent(change, of: previousClose) }
    }

    static func percent(_ change: Int, of base: Int) throws -> Decimal {
        try Decimal(change * 100).divided(by: Decimal(base), to: 4, .halfEven)
    }
}

extension LocalTime {
    /// The time in Alpha Vantage's form, without a zone: `2026-11-20 19:00:00`.
    var text: String {
        let parts = [hour, minute, second].map { $0 < 10 ? "0\($0)" : "\($0)" }
        return "\(date) \(parts.joined(separator: ":"))"
    }
}
