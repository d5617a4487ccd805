/// Character classes of the grammar (specification, section 2.1 and appendix B).
extension UInt8 {
    static var tab: UInt8 { 0x09 }
    static var lineFeed: UInt8 { 0x0A }
    static var carriageReturn: UInt8 { 0x0D }
    static var space: UInt8 { 0x20 }
    static var quote: UInt8 { 0x22 }
    static var backslash: UInt8 { 0x5C }

    /// True for `NameStart`: a letter or an underscore.
    @inline(__always)
    var isNameStart: Bool {
        (self | 0x20) &- 0x61 < 26 || self == 0x5F
    }

    /// True for `NameContinue`: a letter, a digit or an underscore.
    @inline(__always)
    var isNameContinue: Bool {
        isNameStart || isDigit
    }

    /// True for `Digit`.
    @inline(__always)
    var isDigit: Bool {
        self &- 0x30 < 10
    }

    /// The value of a hexadecimal digit; nil for other bytes.
    var hexadecimalValue: UInt8? {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): self &- UInt8(ascii: "0")
        case UInt8(ascii: "A")...UInt8(ascii: "F"): self &- UInt8(ascii: "A") &+ 10
        case UInt8(ascii: "a")...UInt8(ascii: "f"): self &- UInt8(ascii: "a") &+ 10
        default: nil
        }
    }
}
