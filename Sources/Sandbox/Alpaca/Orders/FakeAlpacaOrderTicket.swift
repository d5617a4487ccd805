import Brokerage

/// The content of an order request.
struct FakeAlpacaOrderTicket: Sendable {
    let instrument: FakeInstrument
    let side: Side
    let type: OrderKind
    let timeInForce: TimeInForce
    /// Shares; nil for an order by value.
    var quantity: Decimal?
    /// Dollars; nil for an order by shares.
    var notional: Decimal?
    var limitPrice: Decimal?
    var stopPrice: Decimal?
    var extendedHours = false
    var clientOrderID: String?
    var trailPrice: Decimal?
    var trailPercent: Decimal?
    var orderClass = OrderClass.simple
    /// The limit price of the leg that takes the profit.
    var takeProfit: Decimal?
    /// The prices of the leg that limits the loss.
    var stopLoss: StopLoss?

    struct StopLoss: Sendable {
        let stop: Decimal
        let limit: Decimal?
    }

    enum OrderClass: String, Sendable {
        case simple = ""
        case bracket
        case oneCancelsOther = "oco"
        case oneTriggersOther = "oto"
    }

    enum Side: String, Sendable {
        case buy
        case sell

        var opposite: Side { self == .buy ? .sell : .buy }
    }

    enum OrderKind: String, Sendable {
        case market
        case limit
        case stop
        case stopLimit = "stop_limit"
        case trailingStop = "trailing_stop"

        var hasLimit: Bool {
            switch self {
            case .limit, .stopLimit: true
            case .market, .stop, .trailingStop: false
            }
        }

        var hasStop: Bool {
            switch self {
            case .stop, .stopLimit: true
            case .market, .limit, .trailingStop: false
            }
        }
    }

    enum TimeInForce: String, Sendable {
        case day
        case goodTillCanceled = "gtc"
        case opening = "opg"
        case closing = "cls"
        case immediateOrCancel = "ioc"
        case fillOrKill = "fok"
    }
}

extension FakeAlpacaOrderTicket {
    /// Parses the body of `POST /v2/orders`.
    ///
    /// Throws ``FakeAlpacaError`` for errors that Alpaca detects without the account's data.
    init(_ json: JSONDocument, _ settings: FakeAlpacaSettings) throws(FakeAlpacaError) {
        guard let symbol = json["symbol"]?.string, !symbol.isEmpty else {
            throw .invalid("symbol is required")
        }
        guard let instrument = FakeInstrument.listing.first(where: { $0.symbol == symbol }) else {
            throw .unprocessable("asset \"\(symbol)\" not found")
        }
        guard !settings.untradable.contains(symbol) else {
            throw .unprocessable("asset \"\(symbol)\" is not tradable")
        }
        self.init(
            instrument: instrument, side: try json.enumValue("side"), type: try json.enumValue("type"),
            timeInForce: try json.enumValue("time_in_force"), quantity: try json.amount("qty"),
            notional: try json.amount("notional"), limitPrice: try json.amount("limit_price"),
            stopPrice: try json.amount("stop_price"), extendedHours: json["extended_hours"] == .bool(true),
            clientOrderID: json["client_order_id"]?.string)
        trailPrice = try json.amount("trail_price")
        trailPercent = try json.amount("trail_percent")
        try readExits(json)
        try checkSize()
        try checkPrices()
        guard !extendedHours || (type == .limit && [.day, .goodTillCanceled].contains(timeInForce)) else {
            throw .unprocessable("extended hours order must be DAY or GTC limit orders")
        }
        guard (clientOrderID?.count ?? 0) <= 128 else {
            throw .invalid("client_order_id must be no more than 128 characters")
        }
    }

    /// Reads the class of the order and its exits; of an `oco` order the take profit is the order itself.
    private mutating func readExits(_ json: JSONDocument) throws(FakeAlpacaError) {
        guard let name = json["order_class"]?.string, name != "", name != "simple" else { return }
        guard let orderClass = OrderClass(rawValue: name) else {
            throw .invalid("invalid order_class: \(name)")
        }
        self.orderClass = orderClass
        takeProfit = try json["take_profit"]?.amount("limit_price")
        if let stop = try json["stop_loss"]?.amount("stop_price") {
            stopLoss = StopLoss(stop: stop, limit: try json["stop_loss"]?.amount("limit_price"))
        }
        let count = (takeProfit == nil ? 0 : 1) + (stopLoss == nil ? 0 : 1)
        switch orderClass {
        case .simple: break
        case .bracket, .oneCancelsOther:
            guard count == 2 else {
                throw .unprocessable(
                    "\(name) orders require take_profit.limit_price and stop_loss.stop_price")
            }
        case .oneTriggersOther:
            guard count == 1 else {
                throw .unprocessable("oto orders require one of take_profit and stop_loss")
            }
        }
        guard [.day, .goodTillCanceled].contains(timeInForce), !extendedHours else {
            throw .unprocessable("\(name) orders must be DAY or GTC orders of the regular hours")
        }
        if orderClass == .oneCancelsOther {
            guard type == .limit else { throw .unprocessable("oco orders must be limit orders") }
            limitPrice = takeProfit
        }
        if let takeProfit, let stop = stopLoss?.stop {
            let exitsBySale = (orderClass == .oneCancelsOther) == (side == .sell)
            guard exitsBySale ? takeProfit > stop : takeProfit < stop else {
                throw .unprocessable("take_profit.limit_price must be beyond stop_loss.stop_price")
            }
        }
    }

    private func checkSize() throws(FakeAlpacaError) {
        guard (quantity == nil) != (notional == nil) else {
            throw .invalid(
                quantity == nil ? "qty or notional is required" : "only one of qty or notional is accepted")
        }
        let size = quantity ?? notional ?? .zero
        let name = quantity == nil ? "notional" : "qty"
        guard size > .zero else { throw .invalid("\(name) must be > 0") }
        guard size < Self.bound else { throw .invalid("\(name) must be < \(Self.bound)") }
        let isFractional = notional != nil || size.withoutTrailingZeros.scale > 0
        guard isFractional else { return }
        guard orderClass == .simple else { throw .unprocessable("fractional orders must be simple orders") }
        guard size.withoutTrailingZeros.scale <= 9 else {
            throw .invalid("\(name) must have at most 9 decimals")
        }
        guard instrument.isFractionable else {
            throw .unprocessable("asset \"\(instrument.symbol)\" is not fractionable")
        }
        // All types except for trailing stops since August 2024.
        guard type != .trailingStop else {
            throw .unprocessable("fractional orders cannot be trailing stop orders")
        }
        guard timeInForce == .day else { throw .unprocessable("fractional orders must be DAY orders") }
    }

    /// Shares and dollars below this limit can be multiplied exactly.
    private static let bound: Decimal = 1_000_000_000

    func checkPrices() throws(FakeAlpacaError) {
        guard (trailPrice != nil || trailPercent != nil) == (type == .trailingStop),
            trailPrice == nil || trailPercent == nil
        else {
            throw .invalid("trailing_stop orders require one of trail_price and trail_percent")
        }
        guard type != .trailingStop || [.day, .goodTillCanceled].contains(timeInForce) else {
            throw .unprocessable("trailing stop orders must be DAY or GTC")
        }
        if let percent = trailPercent, percent <= .zero || percent >= 100 {
            throw .invalid("trail_percent must be > 0 and < 100")
        }
        let prices = [
            ("limit_price", limitPrice, type.hasLimit), ("stop_price", stopPrice, type.hasStop),
            ("trail_price", trailPrice, trailPrice != nil),
            ("take_profit.limit_price", takeProfit, takeProfit != nil),
            ("stop_loss.stop_price", stopLoss?.stop, stopLoss != nil),
            ("stop_loss.limit_price", stopLoss?.limit, stopLoss?.limit != nil),
        ]
        for (name, price, isNeeded) in prices {
            guard (price != nil) == isNeeded else {
                throw .invalid("\(type.rawValue) orders \(isNeeded ? "require" : "must not have") a \(name)")
            }
            guard let price else { continue }
            guard price > .zero else { throw .invalid("\(name) must be > 0") }
            guard price < Self.bound else { throw .invalid("\(name) must be < \(Self.bound)") }
            guard price.withoutTrailingZeros.scale <= (price < 1 ? 4 : 2) else {
                throw .unprocessable(
                    "invalid \(name) \(price). sub-penny increment does not fulfill minimum pricing criteria")
            }
        }
    }
}

extension JSONDocument {
    /// Returns a decimal that is a string or a number; nil if it is missing.
    func amount(_ name: String) throws(FakeAlpacaError) -> Decimal? {
        switch self[name] {
        case nil, .null: return nil
        case .number(let number): return number
        case .string(let text):
            guard let number = Decimal(text) else { throw .invalid("\(name) is not a number: \(text)") }
            return number
        case .some: throw .invalid("\(name) must be a number")
        }
    }

    func enumValue<Word: RawRepresentable<String>>(_ name: String) throws(FakeAlpacaError) -> Word {
        guard let text = self[name]?.string else { throw .invalid("\(name) is required") }
        guard let word = Word(rawValue: text) else { throw .invalid("invalid \(name): \(text)") }
        return word
    }
}
