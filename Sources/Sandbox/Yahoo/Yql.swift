import Brokerage
import NIOHTTP1

/// `GET /v1/public/yql`: Yahoo's query language over the community's table of quotes, as of spring 2017.
enum Yql {
    private static let table = "yahoo.finance.quotes"
    /// The file with the definitions of the community's tables.
    private static let environment = "store://datatables.org/alltableswithkeys"

    static func respond(to request: SandboxRequest, _ view: MarketView, _ settings: FakeYahooSettings) throws
        -> SandboxResponse
    {
        switch settings.yql {
        case .discontinued: return discontinued
        case .serving: break
        }
        guard request[query: "format"] == "json" else {
            return errorResponse("The sandbox answers format=json only")
        }
        guard let statement = request[query: "q"].flatMap(YqlStatement.init) else {
            return errorResponse(
                "Query syntax error(s) [line 1:0 expecting statement_ql got '\(request[query: "q"] ?? "")']")
        }
        guard statement.table == table, request[query: "env"] == environment else {
            return errorResponse("No definition found for Table \(statement.table)")
        }
        return .json(try document(statement, view))
    }

    /// Returns an object for one quote, an array for several, and null for none.
    private static func document(_ statement: YqlStatement, _ view: MarketView) throws -> JSONDocument {
        let quotes = try statement.symbols.map { symbol in
            let quote = try YqlQuote(symbol, view)
            return JSONDocument.object(quote.members.filter { statement.fields?.contains($0.name) ?? true })
        }
        let results: JSONDocument =
            switch quotes.count {
            case 0: .null
            case 1: ["quote": quotes[0]]
            default: ["quote": .array(quotes)]
            }
        let created = Instant(secondsSince1970: view.instant.secondsSince1970) ?? .earliest
        return [
            "query": [
                "count": JSONDocument(integerLiteral: quotes.count),
                "created": .string(created.description),
                "lang": "en-US",
                "results": results,
            ]
        ]
    }

    private static func errorResponse(_ description: String) -> SandboxResponse {
        .json(
            ["error": ["lang": "en-US", "description": .string(description)]], status: .badRequest)
    }

    /// The response of the table's source since 2017-11-01.
    private static let discontinued = SandboxResponse.text(
        """
        It has come to our attention that this service is being used in violation of the Yahoo Terms of Service. \
        As such, the service is being discontinued.
        """, status: .forbidden)
}

/// A statement of Yahoo's query language, limited to quotes.
struct YqlStatement: Sendable, Hashable {
    /// The selected fields; nil for all.
    let fields: Set<String>?
    let table: String
    /// The symbols of the condition, in order.
    let symbols: [String]

    /// Parses `select * from yahoo.finance.quotes where symbol in ("AAPL","MSFT")`, or `where symbol =
    /// "AAPL"`; nil for anything else.
    init?(_ text: String) {
        var rest = Substring(text)
        guard Self.consumeKeyword("select", from: &rest), let from = Self.range(of: "from", in: rest) else {
            return nil
        }
        let names = rest[..<from.lowerBound].split { $0 == "," || $0.isWhitespace }.map(String.init)
        guard !names.isEmpty else { return nil }
        fields = names == ["*"] ? nil : Set(names)
        rest = rest[from.upperBound...]
        guard let condition = Self.range(of: "where", in: rest) else { return nil }
        table = String(rest[..<condition.lowerBound].filter { !$0.isWhitespace })
        rest = rest[condition.upperBound...]
        guard Self.consumeKeyword("symbol", from: &rest), let symbols = Self.symbols(rest) else { return nil }
        self.symbols = symbols
    }

    /// Parses `in ("AAPL", 'MSFT')` or `= "AAPL,MSFT"`.
    private static func symbols(_ text: Substring) -> [String]? {
        var rest = text.drop(while: \.isWhitespace)
        var list: Substring
        if rest.first == "=" {
            list = rest.dropFirst()
        } else {
            guard consumeKeyword("in", from: &rest), rest.first == "(", let end = rest.lastIndex(of: ")")
            else {
                return nil
            }
            list = rest[rest.index(after: rest.startIndex)..<end]
        }
        list = list.drop(while: \.isWhitespace)
        return list.split { $0 == "," || $0 == "\"" || $0 == "'" || $0.isWhitespace || $0 == ";" }
            .map(String.init)
    }

    /// Consumes a case-insensitive keyword and the space after it.
    private static func consumeKeyword(_ word: String, from text: inout Substring) -> Bool {
        let trimmed = text.drop(while: \.isWhitespace)
        guard trimmed.prefix(word.count).lowercased() == word else { return false }
        text = trimmed.dropFirst(word.count).drop(while: \.isWhitespace)
        return true
    }

    /// Returns the range of a keyword between spaces.
    private static func range(of word: String, in text: Substring) -> Range<Substring.Index>? {
        [word, word.uppercased()].compactMap { text.firstRange(of: " \($0) ") }.first
    }
}

/// One row of the table of quotes: texts and nulls, formatted for display.
struct YqlQuote: Sendable {
    let members: [JSONDocument.Member]

    /// Every symbol has all fields; an unlisted one has nulls.
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

    /// Returns the magnitude with two decimals.
    private static func percent(_ change: Int, of base: Int) throws -> Decimal {
        try Decimal(abs(change) * 100).divided(by: Decimal(base), to: 2, .halfEven)
    }

    /// Writes a number with its sign, also a positive one: `+0.12`.
    private static func signed(_ change: Int, _ magnitude: Decimal) -> String {
        (change < 0 ? "-" : "+") + magnitude.description
    }

    /// Writes `753.40B`.
    private static func short(_ dollars: Int) throws -> String {
        let (unit, suffix) = dollars >= 1_000_000_000 ? (1_000_000_000, "B") : (1_000_000, "M")
        return try Decimal(dollars).divided(by: Decimal(unit), to: 2, .halfEven).description + suffix
    }

    /// Writes `4/10/2017`.
    private static func date(_ second: Int) -> String {
        let date = (Instant(secondsSince1970: Int64(second)) ?? .earliest).inNewYork.date
        return "\(date.month)/\(date.day)/\(date.year)"
    }

    /// Writes `4:00pm`.
    private static func time(_ second: Int) -> String {
        let time = (Instant(secondsSince1970: Int64(second)) ?? .earliest).inNewYork
        let minute = time.minute < 10 ? "0\(time.minute)" : "\(time.minute)"
        return "\((time.hour + 11) % 12 + 1):\(minute)\(time.hour < 12 ? "am" : "pm")"
    }

    /// The table's columns in order, with the original misspelling.
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
