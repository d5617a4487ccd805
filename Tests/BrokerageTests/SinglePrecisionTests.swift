import Brokerage
import TestSupport
import Testing

@Suite("A binary32 number that was widened to binary64")
struct SinglePrecisionTests {
    @Test(
        "is the shortest decimal of it, with at least the digits that are displayed",
        arguments: [
            // Recorded: a close, Apple's close of 1980-12-12, EUR/USD, a low of BABA.
            ("73.79750061035156", 2, "73.7975"), ("0.5133929848670959", 2, "0.513393"),
            ("1.0481081008911133", 4, "1.0481081"), ("120.49500274658203", 2, "120.495"),
            ("226.10000610351562", 2, "226.1"), ("-37.630001068115234", 2, "-37.63"),
            ("5.360000068321824E-4", 2, "0.000536"), ("742150.4375", 2, "742150.44"),
            // Seven digits or fewer, and numbers without a fraction, are not changed.
            ("227.45", 2, "227.45"), ("142.90", 2, "142.90"), ("1.234500", 2, "1.234500"), ("0", 2, "0"),
            ("123456789012", 2, "123456789012"),
            // A number of 64 bits keeps the digits that are displayed.
            ("700123.03", 2, "700123.03"), ("700123.03", 0, "700123"), ("1.4499969", 2, "1.4499969"),
            ("0.1234567890123456789012345678901234567", 2, "0.12345679"),
        ])
    func shortest(text: String, digits: Int, shortest: String) throws {
        let number = try #require(Decimal(text))
        #expect(number.narrowedToSinglePrecision(keeping: digits).description == shortest)
    }

    @Test("identifies the same binary32 number", arguments: [1 as UInt64, 2, 3])
    func identity(seed: UInt64) throws {
        var random = SplitMix(seed: seed)
        for _ in 0..<20_000 {
            // Prices of 2^-13 to 2^20, a ten-thousandth to a million.
            let exponent = UInt32.random(in: 114...147, using: &random)
            let single = Float(bitPattern: exponent << 23 | UInt32.random(in: 0..<1 << 23, using: &random))
            let wide = try #require(Decimal("\(Double(single))"))
            let short = wide.narrowedToSinglePrecision(keeping: 0)
            #expect(Float(short.description) == single, "\(wide)")
            #expect(short.description.filter(\.isNumber).drop { $0 == "0" }.count <= 9, "\(wide)")
        }
    }
}
