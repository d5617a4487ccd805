import Brokerage

/// The price data of an instrument at a moment.
struct FakeSaxoQuote: Sendable {
    let listing: FakeSaxoInstrument
    let access: Access
    /// In ticks; nil without a price.
    let last: Int?
    let bid: BestQuote.Side?
    let ask: BestQuote.Side?
    /// The second of the last price change.
    let second: Int
    /// The day's bar so far, and the close of the day before, in ticks.
    let dayBar: Bar?
    let lastClose: Int
    let delayInMinutes: Int
    /// The phase of the instrument's market.
    let phase: TradingSession.Phase?

    enum Access: Sendable, Hashable {
        case granted
        /// The price comes from an exchange without a data subscription.
        case denied
        case noPrice
    }

    init(_ listing: FakeSaxoInstrument, at view: MarketView, _ settings: FakeSaxoSettings) {
        let isExchange = listing.assetType.isExchangeTraded
        let delay = isExchange ? settings.exchangeDelayInMinutes : 0
        let instrument = listing.instrument
        let now = Market.clamped(view.now - delay * 60)
        let market = view.market
        self.listing = listing
        delayInMinutes = delay
        let schedule = market.schedule(of: instrument)
        phase = schedule.phase(at: view.now)
        let today = schedule.session(openedBy: now)
        let before = today.flatMap { schedule.session(before: $0.date) }
        lastClose = before.map { market.close(instrument, $0) } ?? instrument.anchor
        if isExchange && !settings.includesExchangePrices {
            access = .denied
        } else if view.priced(instrument.symbol) == nil {
            access = .noPrice
        } else {
            access = .granted
        }
        guard access == .granted else {
            (last, bid, ask, second, dayBar) = (nil, nil, nil, 0, nil)
            return
        }
        let quote = market.quote(instrument, at: now)
        let trade = market.lastTrade(instrument, at: now)
        // An index is calculated and has no sellers.
        let isQuoted = listing.assetType != .index
        (last, second) = (trade.price, trade.second)
        (bid, ask) = isQuoted ? (quote.bid, quote.ask) : (nil, nil)
        dayBar = today.flatMap { session in
            let tape = market.tape(instrument, session)
            return now >= session.close
                ? tape.regularBar : tape.bar(of: .regular, from: session.open, through: now)
        }
    }

    var isMarketOpen: Bool { phase == .regular }

    var marketState: String {
        switch phase {
        case .preMarket: "PreMarket"
        case .regular: "Open"
        case .postMarket: "PostMarket"
        case nil: "Closed"
        }
    }

    /// `PriceTypeBid` and `PriceTypeAsk`.
    func priceType(of side: BestQuote.Side?) -> String {
        switch access {
        case .denied: "NoAccess"
        case .noPrice: "NoMarket"
        case .granted:
            side == nil
                ? "NoMarket" : phase == nil ? "OldIndicative" : delayInMinutes > 0 ? "Indicative" : "Tradable"
        }
    }

    /// The price between bid and ask, with one more decimal; the last price if a side is missing.
    var mid: Decimal? {
        guard let bid, let ask else { return last.map(listing.instrument.price) }
        let sum = listing.instrument.price(bid.price + ask.price)
        return try? sum.divided(by: 2, to: listing.instrument.decimals + 1, .halfEven)
    }

    /// Returns the day on which a trade is settled: two working days after its day in New York.
    static func settlement(of second: Int) -> CalendarDate {
        let day = (Instant(secondsSince1970: Int64(second)) ?? .earliest).inNewYork.date
        let days = (1...7).compactMap { day.adding(days: $0) }.filter { !$0.weekday.isWeekend }
        return days.dropFirst().first ?? day
    }

    /// Returns the change of a price since the last close, in percent with two decimals.
    func percentChange(of price: Int) -> Decimal {
        let change = Decimal(price - lastClose)
        return (try? (change * 100).divided(by: Decimal(lastClose), to: 2, .halfEven)) ?? .zero
    }
}

/// The body of a price, in info prices and subscriptions.
struct FakeSaxoPrice {
    let quote: FakeSaxoQuote
    let format: FakeSaxoFormat
    /// Whether the group `MarketDepth` is available for instruments of exchanges.
    let hasDepth: Bool

    private var listing: FakeSaxoInstrument { quote.listing }

    static let defaultGroups: Set<String> = ["Quote"]

    func document(_ groups: Set<String>) -> JSONDocument {
        var members: [JSONDocument.Member] = [
            .init(name: "AssetType", value: .string(listing.assetType.rawValue)),
            .init(name: "Uic", value: .integer(listing.uic)),
            .init(name: "LastUpdated", value: lastUpdated),
            .init(name: "PriceSource", value: .string(listing.exchangeID)),
        ]
        let parts: [(String, JSONDocument)] = [
            ("Quote", quotePart), ("PriceInfo", info), ("PriceInfoDetails", details),
            ("InstrumentPriceDetails", instrumentDetails), ("DisplayAndFormat", listing.displayAndFormat),
        ]
        for (name, part) in parts where groups.contains(name) {
            members.append(name, part)
        }
        if groups.contains("MarketDepth"), let depth { members.append("MarketDepth", depth) }
        return .object(members)
    }

    /// The year 1 stands for "never".
    private var lastUpdated: JSONDocument {
        quote.last == nil ? "0001-01-01T00:00:00Z" : FakeSaxoFormat.time(quote.second)
    }

    private func price(_ ticks: Int) -> JSONDocument { format.price(ticks, of: listing.instrument) }

    /// Bid, ask and mid are omitted if the price type says that there is none.
    private var quotePart: JSONDocument {
        var members: [JSONDocument.Member] = [
            .init(name: "Amount", value: .integer(listing.assetType.isPair ? 100_000 : 0))
        ]
        if let ask = quote.ask { members.append("Ask", price(ask.price)) }
        if let bid = quote.bid { members.append("Bid", price(bid.price)) }
        if quote.bid != nil, quote.ask != nil, let mid = quote.mid {
            members.append("Mid", format.number(mid))
        }
        members += [
            .init(name: "DelayedByMinutes", value: .integer(quote.delayInMinutes)),
            .init(name: "ErrorCode", value: "None"),
            .init(name: "MarketState", value: .string(quote.marketState)),
            .init(name: "PriceTypeAsk", value: .string(quote.priceType(of: quote.ask))),
            .init(name: "PriceTypeBid", value: .string(quote.priceType(of: quote.bid))),
        ]
        if listing.assetType.isPair { members.append("RFQState", "None") }
        return .object(members)
    }

    /// The change is that of the mid price since the last close.
    private var info: JSONDocument {
        guard let bar = quote.dayBar, let mid = quote.mid,
            let change = try? mid - listing.instrument.price(quote.lastClose),
            let percent = try? (change * 100).divided(
                by: listing.instrument.price(quote.lastClose), to: 2, .halfEven)
        else { return .object([]) }
        return [
            "High": price(bar.high), "Low": price(bar.low), "NetChange": format.number(change),
            "PercentChange": format.number(percent),
        ]
    }

    /// 0 stands for "unknown".
    private var details: JSONDocument {
        let isTraded = listing.assetType.isExchangeTraded
        return [
            "AskSize": .integer(quote.ask?.size ?? 0),
            "BidSize": .integer(quote.bid?.size ?? 0),
            "LastClose": quote.last == nil ? 0 : price(quote.lastClose),
            "LastTraded": isTraded ? quote.last.map(price) ?? 0 : 0,
            "LastTradedSize": 0,
            "Open": quote.dayBar.map { price($0.open) } ?? 0,
            "Volume": .integer(isTraded ? quote.dayBar?.volume ?? 0 : 0),
        ]
    }

    /// `MarketDepth`: five prices of each side, a tick apart; nil without an order book.
    private var depth: JSONDocument? {
        guard hasDepth, listing.assetType.isExchangeTraded, let bid = quote.bid, let ask = quote.ask else {
            return JSONDocument?.none
        }
        // The size grows with the distance from the best price.
        func side(_ best: BestQuote.Side, _ direction: Int) -> [(price: Int, size: Int, orders: Int)] {
            (0..<5).map { level in
                (best.price + direction * level, best.size * (level + 1), 1 + (best.size + level) % 4)
            }
        }
        let (bids, asks) = (side(bid, -1).filter { $0.price > 0 }, side(ask, 1))
        func numbers(_ values: [Int]) -> JSONDocument {
            .array(values.map { .integer($0) })
        }
        return [
            "Ask": .array(asks.map { price($0.price) }), "AskSize": numbers(asks.map(\.size)),
            "AskOrders": numbers(asks.map(\.orders)), "Bid": .array(bids.map { price($0.price) }),
            "BidSize": numbers(bids.map(\.size)), "BidOrders": numbers(bids.map(\.orders)),
            "NoOfBids": .integer(bids.count),
            "NoOfOffers": .integer(asks.count), "UsingOrders": true,
        ]
    }

    private var instrumentDetails: JSONDocument {
        let members: [JSONDocument.Member] = [
            .init(name: "IsMarketOpen", value: .bool(quote.isMarketOpen)),
            .init(name: "ShortTradeDisabled", value: .bool(!listing.assetType.isOnMargin)),
        ]
        guard quote.last != nil else { return .object(members) }
        let date = FakeSaxoQuote.settlement(of: quote.second)
        return .object(members + [.init(name: "ValueDate", value: .string(date.description))])
    }
}

/// Saxo's format of numbers and times.
struct FakeSaxoFormat: Sendable {
    let writesExponents: Bool

    /// Writes a JSON number; below 0.0001 with an exponent, as .NET writes binary numbers.
    func number(_ decimal: Decimal) -> JSONDocument {
        let shortest = decimal.withoutTrailingZeros
        guard writesExponents, shortest.scale > 4, !shortest.isZero,
            shortest.coefficient.magnitude.description.count <= shortest.scale - 4
        else { return .number(shortest) }
        return .scientific(shortest)
    }

    /// Writes a price in ticks.
    func price(_ ticks: Int, of instrument: FakeInstrument) -> JSONDocument {
        number(instrument.price(ticks))
    }

    /// Writes a time: `2026-11-20T15:14:00.578000Z`.
    static func time(_ second: Int, microseconds: Int = 0) -> JSONDocument {
        let instant = Instant(secondsSince1970: Int64(second)) ?? .earliest
        let digits = String(min(max(microseconds, 0), 999_999))
        let fraction = String(repeating: "0", count: 6 - digits.count) + digits
        return .string("\(instant.description.dropLast()).\(fraction)Z")
    }

    static func time(_ instant: Instant) -> JSONDocument {
        time(Int(instant.secondsSince1970), microseconds: Int(instant.nanoseconds) / 1_000)
    }
}

extension JSONDocument {
    /// The decimal; nil for anything but a number.
    var decimal: Decimal? {
        guard case .number(let number) = self else { return nil }
        return number
    }

    var boolean: Bool? {
        guard case .bool(let value) = self else { return nil }
        return value
    }

    var elements: [JSONDocument]? {
        guard case .array(let elements) = self else { return nil }
        return elements
    }

    var members: [Member]? {
        guard case .object(let members) = self else { return nil }
        return members
    }
}
