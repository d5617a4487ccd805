import Brokerage

/// One line of the table of quotes: strings and nulls, made for people to read.
struct YqlQuote: Sendable {
    let members: [JSONDocument.Member]

    /// All fields are there for every symbol; one that is not listed has nulls.
    init(_ symbol: String, _ view: MarketView) throws {
        let listing = FakeYahooListing(symbol, in: view.market)
        var values = listing.map { Self.described($0) } ?? [:]
        if let listing, let day = FakeYahooDay(listing, view) {
            values.merge(try Self.priced(listing, day, view)) { $1 }
        }
        members =
            [.init(name: "symbol", value: .string(symbol))]
            + Self.names.map { name in
                .init(
                    name: name,
                    value: name == "Symbol" ? .string(symbol) : .optional(values[name]) { .string($0) })
            }
    }

    private static func described(_ listing: FakeYahooListing) -> [String: String] {
        var values = [
            "Name": listing.name, "Currency": listing.currency, "StockExchange": listing.exchange.code,
            "AverageDailyVolume": String(listing.instrument.dailyVolume),
        ]
        if let company = listing.company {
            values["EarningsShare"] = Decimal(cents: company.earningsPerShare).description
            values["DividendShare"] = company.dividendPerShare.map { Decimal(cents: $0).description }
        }
        return values
    }

    private static func priced(
        _ listing: FakeYahooListing, _ day: FakeYahooDay, _ view: MarketView
    ) throws -> [String: String] {
        func text(_ ticks: Int) -> String { listing.instrument.price(ticks).description }
        let (price, previous) = (day.bar.close, day.previousClose)
        let percent = signed(price - previous, try percent(price - previous, of: previous)) + "%"
        let time = time(day.second)
        var values = [
            "LastTradePriceOnly": text(price),
            "LastTradeDate": date(day.second),
            "LastTradeTime": time,
            "LastTradeWithTime": "\(time) - <b>\(text(price))</b>",
            "Open": text(day.bar.open),
            "PreviousClose": text(previous),
            "DaysLow": text(day.bar.low),
            "DaysHigh": text(day.bar.high),
            "DaysRange": "\(text(day.bar.low)) - \(text(day.bar.high))",
            "Volume": String(day.bar.volume),
            "Change": signed(price - previous, listing.instrument.price(abs(price - previous))),
            "PercentChange": percent,
            "ChangeinPercent": percent,
        ]
        values["Change_PercentChange"] = values["Change"].map { "\($0) - \(percent)" }
        let quote = view.market.quote(listing.instrument, at: view.now)
        values["Bid"] = quote.bid.map { text($0.price) }
        values["Ask"] = quote.ask.map { text($0.price) }
        if let company = listing.company {
            values["MarketCapitalization"] = try short(company.marketCapitalization(at: price))
            if company.earningsPerShare > 0 {
                values["PERatio"] = try Decimal(price).divided(
                    by: Decimal(company.earningsPerShare), to: 2, .halfEven
                ).description
            }
        }
        return values.merging(try year(listing, price, view)) { $1 }
    }

    private static func year(
        _ listing: FakeYahooListing, _ price: Int, _ view: MarketView
    ) throws -> [String: String] {
        guard let year = YearPriceStats(listing.instrument, view) else { return [:] }
        func text(_ ticks: Int) -> String { listing.instrument.price(ticks).description }
        func change(from base: Int) -> String {
            signed(price - base, listing.instrument.price(abs(price - base)))
        }
        func percentChange(from base: Int) throws -> String {
            signed(price - base, try percent(price - base, of: base)) + "%"
        }
        return [
            "YearLow": text(year.low),
            "YearHigh": text(year.high),
            "YearRange": "\(text(year.low)) - \(text(year.high))",
            "ChangeFromYearLow": change(from: year.low),
            "PercentChangeFromYearLow": try percentChange(from: year.low),
            "ChangeFromYearHigh": change(from: year.high),
            "PercebtChangeFromYearHigh": try percentChange(from: year.high),
        ]
    }

    /// Two decimals, without its sign.
    private static func percent(_ change: Int, of base: Int) throws -> Decimal {
        try Decimal(abs(change) * 100).divided(by: Decimal(base), to: 2, .halfEven)
    }

    /// The sign is always told: `+0.12`.
    private static func signed(_ change: Int, _ magnitude: Decimal) -> String {
        (change < 0 ? "-" : "+") + magnitude.description
    }

    /// `753.40B`.
    private static func short(_ dollars: Int) throws -> String {
        let (unit, suffix) = dollars >= 1_000_000_000 ? (1_000_000_000, "B") : (1_000_000, "M")
        return try Decimal(dollars).divided(by: Decimal(unit), to: 2, .halfEven).description + suffix
    }

    /// `4/10/2017`.
    private static func date(_ second: Int) -> String {
        let date = (Instant(secondsSince1970: Int64(second)) ?? .earliest).inNewYork.date
        return "\(date.month)/\(date.day)/\(date.year)"
    }

    /// `4:00pm`.
    private static func time(_ second: Int) -> String {
        let time = (Instant(secondsSince1970: Int64(second)) ?? .earliest).inNewYork
        let minute = time.minute < 10 ? "0\(time.minute)" : "\(time.minute)"
        return "\((time.hour + 11) % 12 + 1):\(minute)\(time.hour < 12 ? "am" : "pm")"
    }

    /// The table's columns in their order, with the misspelling that it had.
    private static let names = [
        "Ask", "AverageDailyVolume", "Bid", "AskRealtime", "BidRealtime", "BookValue", "Change_PercentChange",
        "Change", "Commission", "Currency", "ChangeRealtime", "AfterHoursChangeRealtime", "DividendShare",
        "LastTradeDate", "TradeDate", "EarningsShare", "ErrorIndicationreturnedforsymbolchangedinvalid",
        "EPSEstimateCurrentYear", "EPSEstimateNextYear", "EPSEstimateNextQuarter", "DaysLow", "DaysHigh",
        "YearLow", "YearHigh", "HoldingsGainPercent", "AnnualizedGain", "HoldingsGain",
        "HoldingsGainPercentRealtime", "HoldingsGainRealtime", "MoreInfo", "OrderBookRealtime",
        "MarketCapitalization", "MarketCapRealtime", "EBITDA", "ChangeFromYearLow",
        "PercentChangeFromYearLow", "LastTradeRealtimeWithTime", "ChangePercentRealtime",
        "ChangeFromYearHigh", "PercebtChangeFromYearHigh", "LastTradeWithTime", "LastTradePriceOnly",
        "HighLimit", "LowLimit", "DaysRange", "DaysRangeRealtime", "FiftydayMovingAverage",
        "TwoHundreddayMovingAverage", "ChangeFromTwoHundreddayMovingAverage",
        "PercentChangeFromTwoHundreddayMovingAverage", "ChangeFromFiftydayMovingAverage",
        "PercentChangeFromFiftydayMovingAverage", "Name", "Notes", "Open", "PreviousClose", "PricePaid",
        "ChangeinPercent", "PriceSales", "PriceBook", "ExDividendDate", "PERatio", "DividendPayDate",
        "PERatioRealtime", "PEGRatio", "PriceEPSEstimateCurrentYear", "PriceEPSEstimateNextYear", "Symbol",
        "SharesOwned", "ShortRatio", "LastTradeTime", "TickerTrend", "OneyrTargetPrice", "Volume",
        "HoldingsValue", "HoldingsValueRealtime", "YearRange", "DaysValueChange",
        "DaysValueChangeRealtime", "StockExchange", "DividendYield", "PercentChange",
    ]
}
