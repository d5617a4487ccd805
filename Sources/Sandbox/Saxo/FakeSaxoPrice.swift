import Brokerage

/// The body of a price, as info prices and subscriptions tell it.
struct FakeSaxoPrice {
    let quote: FakeSaxoQuote
    let format: FakeSaxoFormat

    private var listing: FakeSaxoInstrument { quote.listing }

    /// The default field group.
    static let defaultGroups: Set<String> = ["Quote"]

    func document(_ groups: Set<String>) -> JSONDocument {
        var members: [JSONDocument.Member] = [
            .init(name: "AssetType", value: .string(listing.assetType.rawValue)),
            .init(name: "Uic", value: JSONDocument(integerLiteral: listing.uic)),
            .init(name: "LastUpdated", value: lastUpdated),
            .init(name: "PriceSource", value: .string(listing.exchangeID)),
        ]
        let parts: [(String, JSONDocument)] = [
            ("Quote", quotePart), ("PriceInfo", info), ("PriceInfoDetails", details),
            ("InstrumentPriceDetails", instrumentDetails), ("DisplayAndFormat", listing.displayAndFormat),
        ]
        for (name, part) in parts where groups.contains(name) {
            members.append(.init(name: name, value: part))
        }
        return .object(members)
    }

    /// The year 1 stands for never.
    private var lastUpdated: JSONDocument {
        quote.last == nil ? "0001-01-01T00:00:00Z" : FakeSaxoFormat.time(quote.second)
    }

    private func price(_ ticks: Int) -> JSONDocument { format.price(ticks, of: listing.instrument) }

    /// Bid, ask and mid are left out where the type of price says that there is none.
    private var quotePart: JSONDocument {
        var members: [JSONDocument.Member] = [
            .init(
                name: "Amount",
                value: JSONDocument(integerLiteral: listing.assetType == .currencies ? 100_000 : 0))
        ]
        if let ask = quote.ask { members.append(.init(name: "Ask", value: price(ask.price))) }
        if let bid = quote.bid { members.append(.init(name: "Bid", value: price(bid.price))) }
        if quote.bid != nil, quote.ask != nil, let mid = quote.mid {
            members.append(.init(name: "Mid", value: format.number(mid)))
        }
        members += [
            .init(name: "DelayedByMinutes", value: JSONDocument(integerLiteral: quote.delayInMinutes)),
            .init(name: "ErrorCode", value: "None"),
            .init(name: "MarketState", value: .string(quote.marketState)),
            .init(name: "PriceTypeAsk", value: .string(quote.priceType(of: quote.ask))),
            .init(name: "PriceTypeBid", value: .string(quote.priceType(of: quote.bid))),
        ]
        if listing.assetType == .currencies { members.append(.init(name: "RFQState", value: "None")) }
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

    /// 0 stands for unknown.
    private var details: JSONDocument {
        let isTraded = listing.assetType.isExchangeTraded
        return [
            "AskSize": JSONDocument(integerLiteral: quote.ask?.size ?? 0),
            "BidSize": JSONDocument(integerLiteral: quote.bid?.size ?? 0),
            "LastClose": quote.last == nil ? 0 : price(quote.lastClose),
            "LastTraded": isTraded ? quote.last.map(price) ?? 0 : 0,
            "LastTradedSize": 0,
            "Open": quote.dayBar.map { price($0.open) } ?? 0,
            "Volume": JSONDocument(integerLiteral: isTraded ? quote.dayBar?.volume ?? 0 : 0),
        ]
    }

    private var instrumentDetails: JSONDocument {
        let now = Instant(secondsSince1970: Int64(quote.second)) ?? .earliest
        let settlement = (1...7).lazy.compactMap { now.inNewYork.date.adding(days: $0) }
            .filter { !$0.weekday.isWeekend }.prefix(2)
        let members: [JSONDocument.Member] = [
            .init(name: "IsMarketOpen", value: .bool(quote.isMarketOpen)),
            .init(name: "ShortTradeDisabled", value: .bool(!listing.assetType.isOnMargin)),
        ]
        guard quote.last != nil, let date = Array(settlement).last else { return .object(members) }
        return .object(members + [.init(name: "ValueDate", value: .string(date.description))])
    }
}
