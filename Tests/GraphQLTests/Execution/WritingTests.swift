import TestSupport
import Testing

@testable import GraphQL

@Suite("Writing JSON")
struct WritingTests {
    private func written(_ write: (inout ResponseWriter) -> Void) -> String {
        String(decoding: ResponseWriter.bytes(expecting: 0, write), as: UTF8.self)
    }

    @Test(
        "doubles have the form that ECMAScript gives them",
        arguments: [
            (0.0, "0"), (-0.0, "0"), (1.0, "1"), (-1.5, "-1.5"), (0.1, "0.1"), (100.25, "100.25"),
            (0.0001, "0.0001"),
            (1e-7, "1e-7"), (1.5e-9, "1.5e-9"), (0.000001, "0.000001"), (123456789.1234, "123456789.1234"),
            (1e21, "1e+21"), (1e20, "100000000000000000000"),
            (123456789012345680000.0, "123456789012345680000"),
            (Double.leastNonzeroMagnitude, "5e-324"),
            (Double.greatestFiniteMagnitude, "1.7976931348623157e+308"),
            (Double.leastNormalMagnitude, "2.2250738585072014e-308"),
            (0.30000000000000004, "0.30000000000000004"), (9007199254740993.0, "9007199254740992"),
            (4.35, "4.35"),
            (1_000_000_000.0, "1000000000"), (999_999_999.9999, "999999999.9999"),
        ])
    func writesDoubles(_ value: Double, _ text: String) {
        #expect(written { $0.write(value) } == text)
    }

    @Test("doubles read back as themselves, in as few digits as Swift needs")
    func readsBack() {
        var random = SplitMix(seed: 7)
        for round in 0..<50_000 {
            let value: Double =
                switch round % 3 {
                case 0: Double(bitPattern: random.next())
                case 1: Double.random(in: -1e6...1e6, using: &random)
                default: (Double.random(in: -1e6...1e6, using: &random) * 1e4).rounded() / 1e4
                }
            guard value.isFinite else { continue }
            let text = written { $0.write(value) }
            #expect(Double(text) == value, "\(value.bitPattern)")
            #expect(digits(text) == digits(value.description), "\(value)")
        }
    }

    /// The significant digits of a number's text.
    private func digits(_ text: String) -> String {
        let mantissa = text.prefix { $0 != "e" }.filter(\.isNumber)
        let trimmed = mantissa.drop { $0 == "0" }
        return String(trimmed.reversed().drop { $0 == "0" }.reversed())
    }

    @Test(
        "integers",
        arguments: [
            (0, "0"), (7, "7"), (-7, "-7"), (10, "10"), (99, "99"), (100, "100"), (12345, "12345"),
            (99_999_999, "99999999"), (100_000_000, "100000000"), (-1_020_000_003, "-1020000003"),
            (1_0000_0000_0000_0000, "10000000000000000"),
            (Int.max, "9223372036854775807"), (Int.min, "-9223372036854775808"),
        ])
    func writesIntegers(_ value: Int, _ text: String) {
        #expect(written { $0.write(value) } == text)
    }

    @Test("a neighbour of a number with four decimals is written as itself, not as that number")
    func neighbours() {
        var random = SplitMix(seed: 11)
        for _ in 0..<20_000 {
            // From a ten-thousandth to numbers of more than nine digits, with equal frequency for each order
            // of magnitude.
            let bits = UInt64.random(in: 1..<(1 << UInt64.random(in: 1...44, using: &random)), using: &random)
            let price = Double(bits) / 1e4
            for value in [price, price.nextUp, price.nextDown, -price] {
                let text = written { $0.write(value) }
                #expect(Double(text) == value, "\(value.bitPattern)")
                #expect(digits(text) == digits(value.description), "\(value)")
            }
        }
    }

    @Test(
        "strings are escaped where JSON demands it",
        arguments: [
            ("", #""""#), ("plain", #""plain""#), ("exactly8", #""exactly8""#), ("a\"b", #""a\"b""#),
            ("a\\b", #""a\\b""#),
            ("line\nfeed", #""line\nfeed""#), ("\u{0}\u{1F}\u{8}\u{C}\r\t", #""\u0000\u001f\b\f\r\t""#),
            ("é☕️𝄞", #""é☕️𝄞""#),
            ("seventeen bytes \"", #""seventeen bytes \"""#), ("\u{7F}", "\"\u{7F}\""),
        ])
    func writesStrings(_ value: String, _ text: String) {
        #expect(written { $0.write(value) } == text)
    }

    @Test(
        "a response has all its bytes, whatever length was expected",
        arguments: [0, 1, 255, 959, 960, 961, 4_095, 4_096, 4_097, 100_000],
        [0, 1, 959, 960, 961, 5_000, 20_000])
    func lengths(_ expected: Int, _ length: Int) {
        let bytes = ResponseWriter.bytes(expecting: expected) { writer in
            for position in 0..<length { writer.write(byte: UInt8(ascii: "a") + UInt8(position % 26)) }
        }
        #expect(bytes == (0..<length).map { UInt8(ascii: "a") + UInt8($0 % 26) })
    }

    @Test("strings of every length and with an escape at every place")
    func writesAllPlaces() {
        for length in 0..<40 {
            let plain = String(repeating: "x", count: length)
            #expect(written { $0.write(plain) } == "\"\(plain)\"")
            for place in 0..<length {
                var bytes = Array(plain.utf8)
                bytes[place] = UInt8(ascii: "\n")
                let expected = plain.prefix(place) + "\\n" + plain.dropFirst(place + 1)
                #expect(written { $0.write(String(decoding: bytes, as: UTF8.self)) } == "\"\(expected)\"")
            }
        }
    }
}
