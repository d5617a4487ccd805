import Cryptography

/// The SHA-256 of a document's text, by which clients refer to it.
package struct DocumentHash: Hashable, Sendable, CustomStringConvertible {
    private let digest: [UInt8]

    /// The hash of a text, encoded as UTF-8.
    package init(of text: String) {
        digest = HashFunction.sha256.hash(text)
    }

    /// The hash of a text in UTF-8.
    package init(of text: [UInt8]) {
        digest = HashFunction.sha256.hash(text.span)
    }

    /// Reads 64 hexadecimal digits, with or without the prefix `sha256:`; nil for any other text.
    package init?(_ text: String) {
        let digits = text.utf8.starts(with: "sha256:".utf8) ? text.utf8.dropFirst(7) : text.utf8[...]
        guard digits.count == 64 else { return nil }
        var digest: [UInt8] = []
        var high: UInt8?
        for digit in digits {
            guard let value = Character(Unicode.Scalar(digit)).hexDigitValue.map(UInt8.init) else {
                return nil
            }
            if let first = high {
                digest.append(first << 4 | value)
                high = nil
            } else {
                high = value
            }
        }
        self.digest = digest
    }

    /// 64 lowercase hexadecimal digits.
    package var description: String { digest.hexadecimal }
}
