import Brokerage

extension FakeAlpacaOrderTicket {
    /// Reads the body of `POST /v2/orders`.
    ///
    /// Throws ``FakeAlpacaError`` for what Alpaca refuses before it looks at the account. Brackets and trailing stops are not offered, and refused with these words.
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
            instrument: instrument, side: try json.enumValue("side"), type: try Self.type(json),
            timeInForce: try json.enumValue("time_in_force"), quantity: try json.amount("qty"),
            notional: try json.amount("notional"), limitPrice: try json.amount("limit_price"),
            stopPrice: try json.amount("stop_price"), extendedHours: json["extended_hours"] == .bool(true),
            clientOrderID: json["client_order_id"]?.string)
        if let orderClass = json["order_class"]?.string, orderClass != "", orderClass != "simple" {
            throw .unprocessable("order_class \"\(orderClass)\" is not offered by the sandbox")
        }
        try checkSize()
        try checkPrices()
        guard !extendedHours || (type == .limit && [.day, .goodTillCanceled].contains(timeInForce)) else {
            throw .unprocessable("extended hours order must be DAY or GTC limit orders")
        }
        guard (clientOrderID?.count ?? 0) <= 128 else {
            throw .invalid("client_order_id must be no more than 128 characters")
        }
    }

    private static func type(_ json: JSONDocument) throws(FakeAlpacaError) -> OrderKind {
        guard json["type"]?.string != "trailing_stop" else {
            throw .unprocessable("type \"trailing_stop\" is not offered by the sandbox")
        }
        return try json.enumValue("type")
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
        guard size.withoutTrailingZeros.scale <= 9 else {
            throw .invalid("\(name) must have at most 9 decimals")
        }
        guard instrument.isFractionable else {
            throw .unprocessable("asset \"\(instrument.symbol)\" is not fractionable")
        }
        guard type == .market, timeInForce == .day else {
            throw .unprocessable("fractional orders must be DAY market orders")
        }
    }

    /// Shares and dollars that are less than this can be multiplied exactly.
    private static let bound: Decimal = 1_000_000_000

    func checkPrices() throws(FakeAlpacaError) {
        let prices = [
            ("limit_price", limitPrice, type.hasLimit), ("stop_price", stopPrice, type.hasStop),
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
    /// A decimal that is written as a string or as a number; nil where there is none.
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

    /// One of an enumeration's words.
    func enumValue<Word: RawRepresentable<String>>(_ name: String) throws(FakeAlpacaError) -> Word {
        guard let text = self[name]?.string else { throw .invalid("\(name) is required") }
        guard let word = Word(rawValue: text) else { throw .invalid("invalid \(name): \(text)") }
        return word
    }
}
