/// Random numbers as text: ids that cannot be guessed or counted, and states of a consent.
package enum RandomID {
    /// 64 random bits for each word as 16 hexadecimal digits, from the system's generator, which is fit for cryptography.
    package static func make(words: Int = 2) -> String {
        var generator = SystemRandomNumberGenerator()
        return (0..<words).map { _ in
            let digits = String(generator.next() as UInt64, radix: 16)
            return String(repeating: "0", count: 16 - digits.utf8.count) + digits
        }.joined()
    }
}
