import Crypto
import Foundation

/// What a client proves its session with: `pts_` and 256 random bits.
package struct SessionToken: Sendable {
    /// Shown once, to the client; kept nowhere.
    package let text: String

    /// The prefix says what it is where it turns up, to people and to scanners for leaked secrets.
    package static let prefix = "pts_"
    private static let length = 4 + 43

    init() {
        let bits = SymmetricKey(size: .bits256)
        let base64 = unsafe bits.withUnsafeBytes { unsafe Data($0).base64EncodedString() }
        // RFC 4648, section 5.
        text =
            Self.prefix
            + base64.replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }

    /// Nil for what is no token by its form alone.
    init?(_ text: String) {
        guard text.utf8.count == Self.length, text.hasPrefix(Self.prefix) else { return nil }
        self.text = text
    }
}

extension SessionToken: CustomStringConvertible, CustomReflectable {
    package var description: String { "pts_…" }
    package var customMirror: Mirror { Mirror(self, children: [:]) }
}

/// 256 bits that a token is found by.
struct TokenHash: Hashable, Sendable {
    private let words: (UInt64, UInt64, UInt64, UInt64)

    /// The SHA-256 of a token: for memory, where it costs a tenth of an HMAC.
    ///
    /// A token is as random as its hash, so nobody finds it from that.
    init(digesting token: SessionToken) {
        var hash = SHA256()
        var text = token.text
        text.withUTF8 { unsafe hash.update(bufferPointer: UnsafeRawBufferPointer($0)) }
        self.init(bytes: hash.finalize())
    }

    /// The HMAC-SHA-256 of a token: for the file, which tells nobody even whether a token that he has is in it.
    init(_ token: SessionToken, under key: SymmetricKey) {
        var hmac = HMAC<SHA256>(key: key)
        var text = token.text
        text.withUTF8 { unsafe hmac.update(data: UnsafeRawBufferPointer($0)) }
        self.init(bytes: hmac.finalize())
    }

    /// Nil unless there are 32 bytes.
    init?(_ data: Data) {
        guard data.count == 32 else { return nil }
        self.init(bytes: data)
    }

    private init(bytes: some ContiguousBytes) {
        // Both callers bring 32 bytes; they are copied.
        words = unsafe bytes.withUnsafeBytes { bytes in
            unsafe (
                bytes.loadUnaligned(fromByteOffset: 0, as: UInt64.self),
                bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self),
                bytes.loadUnaligned(fromByteOffset: 16, as: UInt64.self),
                bytes.loadUnaligned(fromByteOffset: 24, as: UInt64.self)
            )
        }
    }

    var data: Data {
        unsafe withUnsafeBytes(of: words) { unsafe Data($0) }
    }

    static func == (left: TokenHash, right: TokenHash) -> Bool { left.words == right.words }

    func hash(into hasher: inout Hasher) {
        // One word of a hash is as good as four.
        hasher.combine(words.0)
    }
}
