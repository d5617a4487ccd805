/// Invented identifiers of the shares and funds of the US exchanges, with valid check digits.
///
/// Real ISINs of the United States contain CUSIPs, which need a licence.
package struct FakeIdentifiers: Sendable, Hashable {
    /// ISO 6166: `US`, the letters of the symbol, and a check digit.
    package let isin: String
    /// The composite FIGI.
    package let figi: String
    package let shareClassFIGI: String

    /// Nil for an instrument that is not listed in the United States.
    package init?(of symbol: String) {
        guard let place = Self.places[symbol] else { return nil }
        isin = Self.withISINCheckDigit("US" + Self.padded(symbol.filter(\.isLetter), to: 9))
        figi = Self.withFIGICheckDigit("BBG" + Self.padded(String(2 * place + 1), to: 8))
        shareClassFIGI = Self.withFIGICheckDigit("BBG" + Self.padded(String(2 * place + 2), to: 8))
    }

    private static let places = Dictionary(
        uniqueKeysWithValues: FakeInstrument.listing.map(\.symbol).sorted().enumerated().map { ($1, $0) })

    private static func padded(_ text: String, to count: Int) -> String {
        String(repeating: "0", count: max(0, count - text.count)) + text
    }

    /// Digits count as themselves, letters as 10 to 35.
    private static func value(of byte: UInt8) -> Int {
        let isDigit = byte <= UInt8(ascii: "9")
        return isDigit ? Int(byte) - Int(UInt8(ascii: "0")) : Int(byte) - Int(UInt8(ascii: "A")) + 10
    }

    private static func sumOfDigits(_ number: Int) -> Int { number / 10 + number % 10 }

    private static func appending(_ sum: Int, to text: String) -> String {
        text + String((10 - sum % 10) % 10)
    }

    /// ISO 6166, annex A: of the digits of all values, every second one from the right is doubled.
    package static func withISINCheckDigit(_ text: String) -> String {
        let digits = text.utf8.map(value).flatMap { $0 < 10 ? [$0] : [$0 / 10, $0 % 10] }
        let sum = digits.reversed().enumerated().reduce(0) { sum, next in
            sum + sumOfDigits(next.offset.isMultiple(of: 2) ? 2 * next.element : next.element)
        }
        return appending(sum, to: text)
    }

    /// OMG FIGI 1.2: every second value from the left is doubled, as a whole.
    package static func withFIGICheckDigit(_ text: String) -> String {
        let sum = text.utf8.map(value).enumerated().reduce(0) { sum, next in
            sum + sumOfDigits(next.offset.isMultiple(of: 2) ? next.element : 2 * next.element)
        }
        return appending(sum, to: text)
    }
}
