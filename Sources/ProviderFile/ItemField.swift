import Brokerage

/// The form of a value of an item, and the conversions that apply to it.
struct ValueForm: Sendable {
    let name: String
    /// The keys of the format.
    let conversions: [String]
    /// The names of a closed set; nil for other values.
    var options: [String]?
    var allowsDates = false

    static let number = ValueForm(name: "a number", conversions: ["path", "times", "plus"])
    static let integer = ValueForm(name: "a whole number", conversions: ["path", "value"])
    static let text = ValueForm(name: "a text", conversions: ["path"])
    static let textOrConstant = ValueForm(name: "a text", conversions: ["path", "value"])
    static let texts = ValueForm(name: "a list of texts", conversions: ["path", "each"])
    static let time = ValueForm(name: "a time", conversions: ["path", "date"])
    static let candleTime = ValueForm(name: "a time", conversions: ["path", "date"], allowsDates: true)

    static func choice<Value: RawRepresentable<String> & CaseIterable>(of type: Value.Type) -> ValueForm {
        ValueForm(
            name: "a choice", conversions: ["path", "value", "choices", "otherwise"],
            options: type.allCases.map(\.rawValue))
    }

    /// All conversions; the schema reports other keys.
    static let all: Set<String> = [
        "path", "value", "times", "plus", "date", "choices", "otherwise", "each",
    ]
}

/// A value of an item; the raw value is its name in the format.
protocol ItemField: RawRepresentable<String> {
    var form: ValueForm { get }
}

enum QuoteField: String, ItemField {
    case symbol, price, bid, ask, open, high, low, previousClose, volume, extendedHoursPrice, marketState
    case timeliness, currency, delayMinutes, asOf

    var form: ValueForm {
        switch self {
        case .symbol: .text
        case .price, .bid, .ask, .open, .high, .low, .previousClose, .volume, .extendedHoursPrice: .number
        case .marketState: .choice(of: MarketState.self)
        case .timeliness: .choice(of: Timeliness.self)
        case .currency: .textOrConstant
        case .delayMinutes: .integer
        case .asOf: .time
        }
    }
}

enum CandleField: String, ItemField {
    case time, open, high, low, close, volume

    var form: ValueForm {
        switch self {
        case .time: .candleTime
        case .open, .high, .low, .close, .volume: .number
        }
    }
}

enum InstrumentField: String, ItemField {
    case symbol, name, assetClass, exchange, currency, about

    var form: ValueForm {
        switch self {
        case .symbol, .name, .about: .text
        case .exchange, .currency: .textOrConstant
        case .assetClass: .choice(of: AssetClass.self)
        }
    }
}

enum ArticleField: String, ItemField {
    case id, headline, summary, author, url, imageUrl, publisher, symbols, publishedAt

    var form: ValueForm {
        switch self {
        case .id, .headline, .summary, .author, .url, .imageUrl: .text
        case .publisher: .textOrConstant
        case .symbols: .texts
        case .publishedAt: .time
        }
    }
}
