import Brokerage
import Testing

@Suite("Decimal")
struct DecimalTests {
    struct Reading: CustomTestStringConvertible, Sendable {
        let text: String
        let coefficient: Int128
        let scale: Int
        var printed: String
        var testDescription: String { text }

        init(_ text: String, _ coefficient: Int128, _ scale: Int, prints printed: String? = nil) {
            self.text = text
            self.coefficient = coefficient
            self.scale = scale
            self.printed = printed ?? text
        }
    }

    static let largest: Int128 = 170_141_183_460_469_231_731_687_303_715_884_105_727

    static let readings = [
        Reading("0", 0, 0),
        Reading("-0", 0, 0, prints: "0"),
        Reading("0.00", 0, 2),
        Reading("1234.5600", 12_345_600, 4),
        Reading("-1234.5600", -12_345_600, 4),
        Reading("+3", 3, 0, prints: "3"),
        Reading("0.5", 5, 1),
        Reading("-0.05", -5, 2),
        Reading("007.10", 710, 2, prints: "7.10"),
        Reading("5E-05", 5, 5, prints: "0.00005"),
        Reading("5e-5", 5, 5, prints: "0.00005"),
        Reading("1.5e3", 1500, 0, prints: "1500"),
        Reading("1.2345E+2", 12345, 2, prints: "123.45"),
        Reading("0e400", 0, 0, prints: "0"),
        Reading("123456789012345678", 123_456_789_012_345_678, 0),
        Reading("1234567890.12345678", 123_456_789_012_345_678, 8),
        Reading("1234567890.123456789", 1_234_567_890_123_456_789, 9),
        Reading("99999999999999999999", 99_999_999_999_999_999_999, 0),
        Reading("170141183460469231731687303715884105727", largest, 0),
        Reading("-1.70141183460469231731687303715884105727", -largest, 38),
        Reading("0.00000000000000000000000000000000000001", 1, 38),
        Reading("0.1000000000000000055511151231257827", 1_000_000_000_000_000_055_511_151_231_257_827, 34),
        Reading("10e-39", 1, 38, prints: "0.00000000000000000000000000000000000001"),
        Reading(
            "1e38", 100_000_000_000_000_000_000_000_000_000_000_000_000, 0,
            prints: "100000000000000000000000000000000000000"),
    ]

    @Test("reads every written digit and prints it again", arguments: readings)
    func reads(_ reading: Reading) throws {
        let value = try #require(Decimal(reading.text))
        #expect(value.coefficient == reading.coefficient)
        #expect(value.scale == reading.scale)
        #expect(value.description == reading.printed)
        var bytes = Array("<".utf8)
        value.append(to: &bytes)
        #expect(String(decoding: bytes, as: UTF8.self) == "<" + reading.printed)
    }

    @Test("prints every count of digits with every scale", arguments: 0...Decimal.maximumScale)
    func prints(_ scale: Int) throws {
        var power: Int128 = 1
        for digits in 1...39 {
            // 10…0, and both of its neighbours.
            for coefficient in [power - 1, power, power + 1].flatMap({ [$0, -$0] }) {
                let value = try #require(Decimal(coefficient: coefficient, scale: scale))
                let written = String(coefficient.magnitude)
                let padded = String(repeating: "0", count: max(0, scale + 1 - written.count)) + written
                let sign = coefficient < 0 ? "-" : ""
                let fraction = scale == 0 ? "" : ".\(padded.suffix(scale))"
                #expect(value.description == sign + padded.dropLast(scale) + fraction)
            }
            if digits < 39 { power *= 10 }
        }
    }

    @Test(
        "refuses what is no decimal number",
        arguments: [
            "", "-", "+", ".", ".5", "5.", "-.5", "1.e3", "e5", "1e", "1e+", "1e-", "--1", "+-1", " 1", "1 ",
            "1,000",
            "0x10", "NaN", "Infinity", "1.2.3", "1e2.5", "12%", "1_000", "٣", "1\u{0}",
        ])
    func refuses(_ text: String) {
        #expect(Decimal(text) == nil)
    }

    @Test(
        "refuses what has more digits than it can keep",
        arguments: [
            "170141183460469231731687303715884105728", "1e39", "2e38", "1e-39", "11e-39",
            "1e999999999999999999999",
            "1e-999999999999999999999", "1000000000000000000000000000000000000000000000",
        ])
    func outOfRange(_ text: String) {
        #expect(Decimal(text) == nil)
        var position = 0
        let bytes = Array(text.utf8)
        #expect(throws: Decimal.ParseFailure.outOfRange) { try Decimal.scan(bytes.span, at: &position) }
        #expect(position == 0)
    }

    @Test(
        "scans a number inside a longer text and stops behind it",
        arguments: [
            ("12.50,", 0, "12.50", 5), ("[-3]", 1, "-3", 3), ("1e5e5", 0, "100000", 3), ("4-4", 0, "4", 1),
        ])
    func scans(_ text: String, from start: Int, expected: String, end: Int) throws {
        var position = start
        let bytes = Array(text.utf8)
        #expect(try Decimal.scan(bytes.span, at: &position).description == expected)
        #expect(position == end)
    }

    @Test("scanning from the end finds no number")
    func scansNothing() {
        var position = 3
        let bytes = Array("abc".utf8)
        #expect(throws: Decimal.ParseFailure.malformed) { try Decimal.scan(bytes.span, at: &position) }
    }

    @Test(
        "orders by value and hashes equal values alike",
        arguments: [
            ("1.50", "1.5", 0), ("0", "0.000", 0), ("-0.0", "0", 0), ("1", "1.0000001", -1),
            ("-1", "-1.0000001", 1),
            ("-0.5", "0.5", -1), ("0.09", "0.1", -1), ("10", "9.99999", 1), ("-10", "-9.99", -1),
            ("2", "10.0", -1),
            ("170141183460469231731687303715884105727", "1.70141183460469231731687303715884105727", 1),
            ("0.00000000000000000000000000000000000001", "170141183460469231731687303715884105727", -1),
            ("-170141183460469231731687303715884105727", "0.00000000000000000000000000000000000001", -1),
        ])
    func orders(_ left: String, _ right: String, sign: Int) throws {
        let left = try #require(Decimal(left))
        let right = try #require(Decimal(right))
        #expect((left < right) == (sign < 0))
        #expect((right < left) == (sign > 0))
        #expect((left == right) == (sign == 0))
        if sign == 0 { #expect(left.hashValue == right.hashValue) }
    }

    @Test("refuses a scale that it cannot have", arguments: [-1, 39, Int.max, Int.min])
    func scales(_ scale: Int) {
        #expect(Decimal(coefficient: 1, scale: scale) == nil)
    }

    @Test(
        "approximates for ratios",
        arguments: [("0.1", 0.1), ("-1234.56", -1234.56), ("5E-05", 5e-5), ("0", 0)])
    func double(_ text: String, _ value: Double) throws {
        #expect(try #require(Decimal(text)).doubleValue == value)
    }
}
