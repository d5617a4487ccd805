import Brokerage

extension MarketScript {
    /// Reads `{"hours": "closed", "unpriced": ["AAPL"]}`, both optional; throws ``ScriptError`` for anything
    /// else.
    init(_ json: JSON) throws(ScriptError) {
        try json.requireMembers(["hours", "unpriced"])
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
        }
    }

    var json: JSON {
        ["hours": .string(hours.rawValue), "unpriced": .array(unpriced.sorted().map { .string($0) })]
    }
}

extension JSON {
    /// Refuses a mistyped member instead of passing over it.
    func requireMembers(_ names: Set<String>) throws(ScriptError) {
        guard case .object(let members) = self else { throw ScriptError("an object is expected") }
        if let stranger = members.first(where: { !names.contains($0.name) }) {
            throw ScriptError("unknown member \"\(stranger.name)\"; known are \(names.sorted())")
        }
    }

    /// The whole number of a member; nil when there is none.
    func whole(_ name: String, in range: ClosedRange<Int>) throws(ScriptError) -> Int? {
        guard let member = self[name] else { return nil }
        guard let number = member.integer, range.contains(number) else {
            throw ScriptError(
                "\"\(name)\" must be a whole number of \(range.lowerBound) ... \(range.upperBound)")
        }
        return number
    }
}
