import Brokerage
import Upstream

/// The answer of `GET /v2/account/portfolio/history`: columns of equal length, any value of which may be null.
struct AlpacaHistory: JSONDecodable, Hashable {
    /// Seconds since 1970; the beginning of an interval, or 20:00 in New York for a day.
    var times: [Instant?] = []
    /// Null for what time has not reached.
    var equity: [Decimal?] = []
    /// Null or missing columns are empty.
    var profitLoss: [Decimal?] = []
    var profitLossPercent: [Decimal?] = []
    var baseValue: Decimal?
    /// The interval that Alpaca chose; nil where it does not say.
    var interval: Interval?

    init(json reader: inout JSONReader) throws(JSONError) {
        var (times, equity) = ([Instant?]?.none, [Decimal?]?.none)
        try reader.object { key, reader throws(JSONError) in
            switch key {
            case "timestamp": times = try reader.instants()
            case "equity": equity = try reader.decimals()
            case "profit_loss": profitLoss = try reader.decimals()
            case "profit_loss_pct": profitLossPercent = try reader.percents()
            case "base_value": baseValue = try reader.decimalOrNil()
            case "timeframe": interval = try reader.interval()
            default: try reader.skip()
            }
        }
        self.times = try reader.required(times, "timestamp")
        self.equity = try reader.required(equity, "equity")
        _ = try reader.required(areParallel ? true : nil, "value in each column for each timestamp")
    }

    private var areParallel: Bool {
        equity.count == times.count
            && [profitLoss, profitLossPercent].allSatisfy { $0.isEmpty || $0.count == times.count }
    }
}

extension JSONReader {
    /// Reads an array; null counts as an empty one.
    private mutating func column<Value>(
        _ value: (inout JSONReader) throws(JSONError) -> Value?
    ) throws(JSONError) -> [Value?] {
        var values: [Value?] = []
        guard try !null() else { return values }
        try array { reader throws(JSONError) in
            values.append(try value(&reader))
        }
        return values
    }

    fileprivate mutating func instants() throws(JSONError) -> [Instant?] {
        try column { reader throws(JSONError) in
            try reader.optional { reader throws(JSONError) in try reader.instant(since1970: .seconds) }
        }
    }

    fileprivate mutating func decimals() throws(JSONError) -> [Decimal?] {
        try column { reader throws(JSONError) in try reader.decimalOrNil() }
    }

    fileprivate mutating func percents() throws(JSONError) -> [Decimal?] {
        try column { reader throws(JSONError) in try reader.factorAsPercentOrNil() }
    }

    fileprivate mutating func interval() throws(JSONError) -> Interval? {
        try optional { reader throws(JSONError) in
            try reader.token(oneOf: "1Min, 5Min, 15Min, 1H, 1D") { name in
                AlpacaTimeframe(rawValue: name.string)?.interval
            }
        }
    }
}
