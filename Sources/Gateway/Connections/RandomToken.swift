/// Text that nobody can guess, from the system's own generator, which is fit for cryptography.
enum RandomToken {
    /// 128 bits: enough for what must only be unique.
    static func id() -> String { hexadecimal(words: 2) }

    /// 256 bits: enough for what stands for somebody's consent.
    static func state() -> String { hexadecimal(words: 4) }

    private static func hexadecimal(words: Int) -> String {
        var generator = SystemRandomNumberGenerator()
        return (0..<words).map { _ in
            let digits = String(generator.next(), radix: 16)
            return String(repeating: "0", count: 16 - digits.utf8.count) + digits
        }.joined()
    }
}
