import Brokerage

extension MarketScript {
    /// Reads `{"hours": "closed", "unpriced": ["AAPL"]}`, both optional, with a `provider` perhaps, which is not
    /// looked at; throws ``ScriptError`` for anything else.
    init(_ json: JSONDocument, in market: Market) throws(ScriptError) {
        try json.requireMembers(["hours", "unpriced", "provider"])
        self.init()
        if let text = json["hours"] {
            guard let hours = text.string.flatMap(Hours.init(rawValue:)) else {
                throw ScriptError("\"hours\" must be one of \(Hours.allCases.map(\.rawValue))")
            }
            self.hours = hours
        }
        if let list = json["unpriced"] {
            guard case .array(let symbols) = list, symbols.allSatisfy({ $0.string != nil }) else {
                throw ScriptError("\"unpriced\" must be a list of symbols")
            }
            unpriced = Set(symbols.compactMap(\.string))
            if let stranger = unpriced.sorted().first(where: { market.anyInstrument($0) == nil }) {
                throw ScriptError(
                    "\"unpriced\": \"\(stranger)\" is not listed; symbols are spelled AAPL, BRK.B, SPX, EUR/USD"
                )
            }
        }
    }

    var json: JSONDocument {
        ["hours": .string(hours.rawValue), "unpriced": .array(unpriced.sorted().map { .string($0) })]
    }
}
