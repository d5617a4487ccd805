import Brokerage
import Upstream

extension JSONObjectText {
    /// As a string, which Alpaca advises: so no reader in between can take it for a binary number.
    mutating func add(_ name: StaticString, _ value: Decimal?) {
        add(name, value?.description)
    }
}

extension JSONReader {
    /// Reads a page of market data whose list has a name.
    ///
    /// - Returns: The token of the next page; nil at the end.
    static func page(
        _ body: [UInt8], of name: StaticString, _ list: (inout JSONReader) throws(JSONError) -> Void
    ) throws(JSONError) -> String? {
        var next: String?
        try read(body) { reader throws(JSONError) in
            try reader.object { key, reader throws(JSONError) in
                switch key {
                case name: if try !reader.null() { try list(&reader) }
                case "next_page_token": next = try reader.stringOrNil()
                default: try reader.skip()
                }
            }
        }
        return next?.isEmpty == true ? nil : next
    }

    /// Reads a symbol.
    static func symbol(_ reader: inout JSONReader) throws(JSONError) -> Symbol {
        try reader.token(oneOf: "the symbols that markets have") { Symbol($0.string) }
    }

    /// Reads a value; nil if it cannot be read.
    mutating func readable<Value>(
        _ read: (inout JSONReader) throws(JSONError) -> Value
    ) throws(JSONError) -> Value? {
        switch try row(read) {
        case .success(let value): value
        case .failure: nil
        }
    }

    /// Reads a string; nil for an empty one.
    static func nonemptyString(_ reader: inout JSONReader) throws(JSONError) -> String? {
        let text = try reader.string()
        return text.isEmpty ? nil : text
    }

    /// Reads a factor, 0.0064 for 0.64 %, as a percentage without rounding.
    static func factorAsPercent(_ reader: inout JSONReader) throws(JSONError) -> Decimal {
        let factor = try reader.decimal()
        return try reader.required(try? factor.asPercent, "factor that can be told in per cent")
    }

    /// Reads a price; nil for 0, which means that there is none.
    static func price(_ reader: inout JSONReader) throws(JSONError) -> Decimal? {
        let price = try reader.decimal()
        return price.isZero ? nil : price
    }
}

extension Decimal {
    /// A hundred times the factor: the point moves, no digit changes.
    fileprivate var asPercent: Decimal {
        get throws(Overflow) {
            guard scale >= 2, let percent = Decimal(coefficient: coefficient, scale: scale - 2) else {
                return try self * 100
            }
            return percent
        }
    }
}
