import Brokerage

/// One call that the gate has let in.
struct FakeAlphaVantageCall: Sendable {
    let function: FakeAlphaVantageFunction
    let request: SandboxRequest
    let plan: FakeAlphaVantageSettings.Plan
    let view: MarketView
    let settings: FakeAlphaVantageSettings

    subscript(_ parameter: String) -> String? { request[query: parameter] }

    /// What is said of a symbol or a parameter that the function does not know.
    var invalid: FakeAlphaVantageNotice { .invalidCall(function: function.rawValue) }

    /// The instrument that the parameter `symbol` means; nil when nothing of that name is listed.
    var instrument: FakeInstrument? { self["symbol"].flatMap(instrument(providerSymbol:)) }

    /// The instrument of a symbol in Alpha Vantage's spelling: class shares with a dash, London's as `TSCO.LON`.
    func instrument(providerSymbol symbol: String) -> FakeInstrument? {
        if symbol.hasSuffix(".LON") { return view.market.anyInstrument(String(symbol.dropLast(2))) }
        guard settings.acceptsDottedSymbols || !symbol.contains(".") else { return nil }
        return view.market.instrument(symbol.replacing("-", with: "."))
    }

    /// One of a parameter's values, `usual` where it is not given; throws ``invalid`` for any other.
    func choice<Choice: RawRepresentable<String>>(
        _ parameter: String, _ usual: Choice
    ) throws(FakeAlphaVantageNotice) -> Choice {
        guard let text = self[parameter] else { return usual }
        guard let choice = Choice(rawValue: text) else { throw invalid }
        return choice
    }

    /// A parameter that is `true` or `false`; throws ``invalid`` for anything else.
    func flag(_ parameter: String, _ usual: Bool) throws(FakeAlphaVantageNotice) -> Bool {
        guard let text = self[parameter] else { return usual }
        guard let flag = Bool(text) else { throw invalid }
        return flag
    }
}

/// What is asked for, in the parameter `function`.
enum FakeAlphaVantageFunction: String, Sendable, CaseIterable {
    case globalQuote = "GLOBAL_QUOTE"
    case bulkQuotes = "REALTIME_BULK_QUOTES"
    case search = "SYMBOL_SEARCH"
    case intraday = "TIME_SERIES_INTRADAY"
    case daily = "TIME_SERIES_DAILY"
    case weekly = "TIME_SERIES_WEEKLY"
    case monthly = "TIME_SERIES_MONTHLY"
    case overview = "OVERVIEW"
}

extension FakeInstrument {
    /// Class shares with a dash, `BRK-B`; London's as `TSCO.LON`.
    var alphaVantageSymbol: String {
        exchange == .london ? "\(symbol)ON" : symbol.replacing(".", with: "-")
    }
}

extension JSONDocument {
    /// A price as Alpha Vantage writes it: a string with four digits after the point.
    static func fourDigits(cents: Int) -> JSONDocument {
        .string((Decimal(coefficient: Int128(cents) * 100, scale: 4) ?? .zero).description)
    }

    /// A whole number as a string.
    static func digits(_ number: Int) -> JSONDocument { .string(String(number)) }
}
