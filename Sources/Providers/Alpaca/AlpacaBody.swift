import Brokerage
import Upstream

/// The body of a write: a JSON object (RFC 8259) of few members, put together member by member.
package struct AlpacaBody {
    package private(set) var bytes: [UInt8] = [UInt8(ascii: "{"), UInt8(ascii: "}")]

    mutating func add(_ name: StaticString, _ value: String?) {
        guard let value else { return }
        member(name) { bytes in Self.append(value, to: &bytes) }
    }

    /// As a string, which Alpaca advises: so no reader in between can take it for a binary number.
    mutating func add(_ name: StaticString, _ value: Decimal?) {
        add(name, value?.description)
    }

    mutating func add(_ name: StaticString, _ value: Bool) {
        member(name) { $0.append(contentsOf: (value ? "true" : "false").utf8) }
    }

    mutating func add(_ name: StaticString, _ values: [String]) {
        member(name) { bytes in
            bytes.append(UInt8(ascii: "["))
            for (index, value) in values.enumerated() {
                if index > 0 { bytes.append(UInt8(ascii: ",")) }
                Self.append(value, to: &bytes)
            }
            bytes.append(UInt8(ascii: "]"))
        }
    }

    mutating func add(_ name: StaticString, _ body: AlpacaBody) {
        member(name) { $0.append(contentsOf: body.bytes) }
    }

    private mutating func member(_ name: StaticString, _ value: (inout [UInt8]) -> Void) {
        bytes.removeLast()
        if bytes.count > 1 { bytes.append(UInt8(ascii: ",")) }
        Self.append("\(name)", to: &bytes)
        bytes.append(UInt8(ascii: ":"))
        value(&bytes)
        bytes.append(UInt8(ascii: "}"))
    }

    private static func append(_ text: String, to bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "\""))
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"):
                bytes.append(UInt8(ascii: "\\"))
                bytes.append(byte)
            case 0..<0x20:
                bytes.append(contentsOf: "\\u00".utf8)
                bytes.append(UInt8(ascii: "0") + byte >> 4)
                let low = byte & 0xF
                bytes.append(low < 10 ? UInt8(ascii: "0") + low : UInt8(ascii: "a") + (low - 10))
            default: bytes.append(byte)
            }
        }
        bytes.append(UInt8(ascii: "\""))
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
