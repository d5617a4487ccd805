internal import COpenSSL

/// A key of 256 bits for AES or HMAC, whose memory is overwritten when the last reference ends.
@safe
package final class SymmetricKey: Sendable {
    /// The length of a key in bytes.
    package static let byteCount = 32

    // Any thread may read it: only the initializer writes to it, and it is freed with the last reference.
    nonisolated(unsafe) private let memory: UnsafeMutableRawBufferPointer

    /// A random key.
    package convenience init() {
        var bytes = [UInt8].random(count: Self.byteCount)
        defer { unsafe bytes.withUnsafeMutableBytes { unsafe OPENSSL_cleanse($0.baseAddress, $0.count) } }
        self.init(validated: bytes)
    }

    /// A key of 32 bytes; nil for another length.
    package convenience init?(_ bytes: some Collection<UInt8>) {
        guard bytes.count == Self.byteCount else { return nil }
        self.init(validated: bytes)
    }

    /// Decrypts a key that another key encrypted.
    ///
    /// - Parameters:
    ///   - wrapped: The key, sealed by `AESGCM`.
    ///   - wrappingKey: The key that sealed it.
    ///   - additionalData: The additional data of the sealed text.
    /// - Throws: `CryptographyError` if the text is not authentic or is not a key.
    package convenience init(
        wrapped: [UInt8], by wrappingKey: SymmetricKey, authenticating additionalData: [UInt8]
    ) throws(CryptographyError) {
        let bytes = try AESGCM.open(wrapped, using: wrappingKey, authenticating: additionalData)
        guard bytes.count == Self.byteCount else { throw CryptographyError() }
        self.init(validated: bytes)
    }

    private init(validated bytes: some Collection<UInt8>) {
        unsafe memory = .allocate(byteCount: Self.byteCount, alignment: 1)
        unsafe memory.copyBytes(from: bytes)
    }

    deinit {
        unsafe OPENSSL_cleanse(memory.baseAddress, memory.count)
        unsafe memory.deallocate()
    }

    /// A copy of the bytes.
    package var bytes: [UInt8] { unsafe withUnsafeBytes { unsafe Array($0) } }

    func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        try unsafe body(UnsafeRawBufferPointer(memory))
    }
}

extension [UInt8] {
    /// Bytes from the system's source of randomness, for keys, nonces and salts.
    package static func random(count: Int) -> [UInt8] {
        var generator = SystemRandomNumberGenerator()
        return (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
    }
}
