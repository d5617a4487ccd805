/// Ids that nobody can guess or count: 128 random bits in 32 hexadecimal digits.
package enum RandomID {
    /// A new one, from the system's own generator, which is fit for cryptography.
    package static func make() -> String {
        var generator = SystemRandomNumberGenerator()
        return hexadecimal(generator.next()) + hexadecimal(generator.next())
    }

    private static func hexadecimal(_ bits: UInt64) -> String {
        let digits = String(bits, radix: 16)
        return String(repeating: "0", count: 16 - digits.utf8.count) + digits
    }
}
