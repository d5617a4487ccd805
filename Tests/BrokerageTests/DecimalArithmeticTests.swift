import Brokerage
import TestSupport
import Testing

@Suite("Decimal arithmetic")
struct DecimalArithmeticTests {
    static let largest = "170141183460469231731687303715884105727"

    static func decimal(_ text: String) throws -> Decimal { try #require(Decimal(text)) }

    @Test(
        "adds, subtracts and multiplies exactly, keeping scales",
        arguments: [
            ("1.50", "2.5", "4.00", "-1.00", "3.750"),
            ("0.1", "0.2", "0.3", "-0.1", "0.02"),
            ("-5", "0.00005", "-4.99995", "-5.00005", "-0.00025"),
            ("0", "0.000", "0.000", "0.000", "0.000"),
            (
                "99999999999999999999", "1", "100000000000000000000", "99999999999999999998",
                "99999999999999999999"
            ),
        ])
    func computes(_ left: String, _ right: String, sum: String, difference: String, product: String) throws {
        let (left, right) = (try Self.decimal(left), try Self.decimal(right))
        #expect(try (left + right).description == sum)
        #expect(try (left - right).description == difference)
        #expect(try (left * right).description == product)
    }

    @Test("throws instead of losing a digit or trapping")
    func overflows() throws {
        let largest = try Self.decimal(Self.largest)
        let tiny = try Self.decimal("1e-38")
        #expect(throws: Decimal.Overflow()) { try largest + 1 }
        #expect(throws: Decimal.Overflow()) { try largest + tiny }
        #expect(throws: Decimal.Overflow()) { try largest * 2 }
        #expect(throws: Decimal.Overflow()) { try tiny * tiny }
        let lowest = try #require(Decimal(coefficient: Int128.min, scale: 0))
        #expect(throws: Decimal.Overflow()) { try lowest.negated }
        #expect(throws: Decimal.Overflow()) { try lowest.magnitude }
        #expect(throws: Decimal.Overflow()) { try lowest - 1 }
        #expect(throws: Decimal.Overflow()) { try Decimal.zero - lowest }
        #expect(lowest.description == "-170141183460469231731687303715884105728")
    }

    @Test("drops written zeros before it gives up")
    func dropsZeros() throws {
        let padded = try Self.decimal("1.00000000000000000000000000000000000000")
        #expect(try padded + 1_000_000 == 1_000_001)
        #expect(try padded * padded == 1)
    }

    @Test(
        "rounds by the rule named",
        arguments: [
            ("2.5", 0, "2", "3", "2"), ("3.5", 0, "4", "4", "3"), ("-2.5", 0, "-2", "-3", "-2"),
            ("2.51", 0, "3", "3", "2"), ("1.005", 2, "1.00", "1.01", "1.00"),
            ("1.015", 2, "1.02", "1.02", "1.01"),
            ("0.4999", 0, "0", "0", "0"), ("-0.5", 0, "0", "-1", "0"), ("7", 2, "7", "7", "7"),
            ("1.25", 7, "1.25", "1.25", "1.25"), ("9.99", 1, "10.0", "10.0", "9.9"),
            ("5.5", -3, "6", "6", "5"),
        ])
    func rounds(_ text: String, to digits: Int, even: String, up: String, cut: String) throws {
        let value = try Self.decimal(text)
        #expect(value.rounded(to: digits, .halfEven).description == even)
        #expect(value.rounded(to: digits, .halfUp).description == up)
        #expect(value.rounded(to: digits, .towardZero).description == cut)
    }

    @Test(
        "divides to the digits asked",
        arguments: [
            ("1", "3", 4, "0.3333"), ("2", "3", 4, "0.6667"), ("-2", "3", 4, "-0.6667"), ("10", "4", 0, "2"),
            ("1", "8", 2, "0.12"), ("0", "7", 2, "0.00"), ("1.00", "0.5", 2, "2.00"), ("6", "-2", 1, "-3.0"),
            ("1e-38", largest, 38, "0.00000000000000000000000000000000000000"),
            ("1e38", "1e38", 5, "1.00000"),
            ("1", "7", 38, "0.14285714285714285714285714285714285714"),
            (largest, largest, 38, "1." + zeros(38)),
            ("0.00000000000000000000000000000000000001", "0.00000000000000000000000000000000000002", 0, "0"),
            ("0.00000000000000000000000000000000000003", "0.00000000000000000000000000000000000002", 0, "2"),
        ])
    func divides(_ dividend: String, _ divisor: String, to digits: Int, expected: String) throws {
        let quotient = try Self.decimal(dividend).divided(
            by: try Self.decimal(divisor), to: digits, .halfEven)
        #expect(quotient.description == expected)
    }

    @Test(
        "multiplies and divides in one step, rounded once",
        arguments: [
            ("2", "3", "4", 1, "1.5"), ("1", "1", "3", 4, "0.3333"), ("-1", "2", "3", 4, "-0.6667"),
            ("-1", "-2", "-3", 2, "-0.67"), ("0", "5", "7", 2, "0.00"),
            (largest, largest, largest, 0, largest), (largest, "1e-38", "1e-38", 0, largest),
            ("1e38", "1e38", "1e38", 0, "100000000000000000000000000000000000000"),
            ("1e-38", "1e-38", "1e-38", 38, "0." + zeros(37) + "1"),
            // 0.25 and 0.75 of the last digit, and ties that digits after them decide.
            ("1e-38", "25", "1", 37, "0." + zeros(36) + "2"),
            ("1e-38", "75", "1", 37, "0." + zeros(36) + "8"),
            ("1e-38", "1", "2", 37, "0." + zeros(37)),
            (
                "0.00000000000000000000000000000000000001", "0.5", "0.09999999999999999999999999999999999999",
                37,
                "0." + zeros(36) + "1"
            ),
            ("1", "5", "10", 0, "0"), ("3", "5", "10", 0, "2"),
            ("5.00000000000000000001", "0.1", "1", 0, "1"),
        ])
    func multipliesAndDivides(
        _ number: String, _ factor: String, _ divisor: String, to digits: Int, expected: String
    ) throws {
        let result = try Self.decimal(number).multiplied(
            by: try Self.decimal(factor), dividedBy: try Self.decimal(divisor), to: digits, .halfEven)
        #expect(result.description == expected)
    }

    @Test("refuses a product and quotient out of its range")
    func refusesProduct() throws {
        let largest = try Self.decimal(Self.largest)
        #expect(throws: Decimal.DivisionFailure.divisionByZero) {
            try largest.multiplied(by: 1, dividedBy: 0, to: 2, .halfUp)
        }
        for (factor, divisor, digits) in [
            ("2", "1", 0), ("1", "1", 1), ("1e38", "0.1", 0), (Self.largest, "1e-38", 38),
        ] {
            #expect(throws: Decimal.DivisionFailure.overflow) {
                try largest.multiplied(
                    by: Self.decimal(factor), dividedBy: Self.decimal(divisor), to: digits, .halfUp)
            }
        }
    }

    static func zeros(_ count: Int) -> String { String(repeating: "0", count: count) }

    @Test(
        "in per cent of another one needs a positive base",
        arguments: [
            ("5", "20", "25.0000"), ("-5", "20", "-25.0000"), ("0", "20", "0.0000"), ("50", "-100", nil),
            ("-50", "-100", nil),
            ("5", "0", nil),
        ] as [(String, String, String?)])
    func percentage(_ number: String, base: String, percentage: String?) throws {
        let (number, base) = (try #require(Decimal(number)), try #require(Decimal(base)))
        #expect(number.percent(of: base)?.description == percentage)
    }

    @Test("refuses to divide by zero or past its range")
    func refusesDivision() throws {
        #expect(throws: Decimal.DivisionFailure.divisionByZero) {
            try Decimal(1).divided(by: 0, to: 2, .halfUp)
        }
        #expect(throws: Decimal.DivisionFailure.overflow) {
            try Self.decimal(Self.largest).divided(by: try Self.decimal("0.1"), to: 0, .halfUp)
        }
        // Rounding this one up would wrap 128 bits around to 0.
        let dividend = try Self.decimal("170141182649896474538043404100362867654")
        let divisor = try Self.decimal("0.49999999761794075747106471887469601977")
        #expect(throws: Decimal.DivisionFailure.overflow) {
            try dividend.divided(by: divisor, to: 0, .halfUp)
        }
        let lowest = try #require(Decimal(coefficient: Int128.min, scale: 0))
        #expect(throws: Decimal.DivisionFailure.overflow) { try lowest.divided(by: -1, to: 0, .halfUp) }
    }
}

@Suite("Decimal laws, on seeded random values")
struct DecimalLawTests {
    @Test("text and back is the same digits", arguments: [1, 2, 3] as [UInt64])
    func roundTrip(seed: UInt64) throws {
        var random = SplitMix(seed: seed)
        for _ in 0..<2_000 {
            let value = try random.decimal()
            let back = try #require(Decimal(value.description))
            #expect(back.coefficient == value.coefficient && back.scale == value.scale, "\(value)")
            #expect(value.withoutTrailingZeros == value)
            #expect(value.withoutTrailingZeros.hashValue == value.hashValue)
        }
    }

    @Test("sums, products and orders obey the laws of numbers", arguments: [11, 12, 13] as [UInt64])
    func laws(seed: UInt64) throws {
        var random = SplitMix(seed: seed)
        var computed = 0
        for _ in 0..<2_000 {
            let (a, b) = (try random.decimal(), try random.decimal())
            #expect((a < b) == (b > a))
            #expect([a < b, a == b, b < a].filter(\.self).count == 1)
            if let sum = try? a + b {
                computed += 1
                #expect(try b + a == sum)
                if let back = try? sum - b { #expect(back == a, "\(a) + \(b) - \(b)") }
                #expect((sum < a) == b.isNegative, "\(a) + \(b)")
            }
            if let product = try? a * b {
                computed += 1
                #expect(try b * a == product)
                let isBelowZero = !product.isZero && a.isNegative != b.isNegative
                #expect(product.isNegative == isBelowZero, "\(a) * \(b)")
            }
        }
        #expect(computed > 1_000)
    }

    @Test("a product and quotient in one step equals the two steps", arguments: [31, 32, 33] as [UInt64])
    func oneStep(seed: UInt64) throws {
        var random = SplitMix(seed: seed)
        var computed = 0
        for _ in 0..<2_000 {
            let (a, b, c) = (try random.decimal(), try random.decimal(), try random.decimal())
            let digits = Int.random(in: 0...38, using: &random)
            for rounding in Decimal.Rounding.allCases {
                guard let product = try? a * b,
                    let quotient = try? product.divided(by: c, to: digits, rounding)
                else { continue }
                computed += 1
                let direct = try a.multiplied(by: b, dividedBy: c, to: digits, rounding)
                #expect(direct.description == quotient.description, "\(a) × \(b) ÷ \(c)")
            }
            // The product may exceed a Decimal, but not the result.
            guard !b.isZero, let back = try? a.multiplied(by: b, dividedBy: b, to: a.scale, .halfEven) else {
                continue
            }
            computed += 1
            #expect(back == a, "\(a) × \(b) ÷ \(b)")
        }
        #expect(computed > 2_000)
    }

    @Test(
        "a quotient times its divisor is the dividend, to within its last digit",
        arguments: [21, 22] as [UInt64])
    func quotients(seed: UInt64) throws {
        var random = SplitMix(seed: seed)
        var computed = 0
        for _ in 0..<2_000 {
            let dividend = Decimal(Int.random(in: -1_000_000_000...1_000_000_000, using: &random))
            let divisor = Decimal(Int.random(in: 1...1_000_000, using: &random))
            let quotient = try dividend.divided(by: divisor, to: 10, .halfEven)
            let error = try (quotient * divisor - dividend).magnitude
            // Half a unit of the last digit, times the divisor.
            let bound = try #require(Decimal(coefficient: 5, scale: 11)) * divisor
            #expect(error <= bound, "\(dividend) / \(divisor) = \(quotient)")
            computed += 1
        }
        #expect(computed == 2_000)
    }
}

extension SplitMix {
    fileprivate mutating func decimal() throws -> Decimal {
        let bits = Int.random(in: 1...127, using: &self)
        let raw = Int128.random(in: .min ... .max, using: &self) >> (128 - bits)
        return try #require(Decimal(coefficient: raw, scale: Int.random(in: 0...38, using: &self)))
    }
}
