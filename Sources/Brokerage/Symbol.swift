/// The short name of an instrument: `AAPL`, `BRK.B`, `EUR/DKK`.
///
/// Case matters.
package struct Symbol: Hashable, Sendable, CustomStringConvertible {
    package let text: String

    /// The longest symbol, in bytes; the longest in use (option contracts) have 21.
    package static let maximumLength = 32

    /// Nil where the text is empty, too long, or has a character that no market's symbols have: only ASCII
    /// letters, digits and `. - / : = ^ _ +` may stand in one, so that a symbol can never smuggle a separator into
    /// a list, a path or a key.
    package init?(_ text: String) {
        let length = text.utf8.count
        guard (1...Symbol.maximumLength).contains(length), text.utf8.allSatisfy(Symbol.mayContain) else {
            return nil
        }
        self.text = text
    }

    private init(valid text: String) {
        self.text = text
    }

    /// A symbol to try things out with.
    package static let example = Symbol(valid: "AAPL")

    package var description: String { text }

    private static func mayContain(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        case UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "/"), UInt8(ascii: ":"), UInt8(ascii: "="),
            UInt8(ascii: "^"), UInt8(ascii: "_"), UInt8(ascii: "+"):
            true
        default: false
        }
    }
}
