internal import COpenSSL

/// A hash function of libcrypto.
///
/// A function is fetched once, because a fetch takes longer than the hash of a token.
@safe
package struct HashFunction: Sendable {
    /// SHA-2 with 256 bits (FIPS 180-4).
    package static let sha256 = HashFunction("SHA256", byteCount: 32)
    /// SHA-1, only for protocols that require it (RFC 6455); it does not resist collisions.
    package static let sha1 = HashFunction("SHA1", byteCount: 20)

    /// The length of a hash in bytes.
    package let byteCount: Int
    // Any thread may use it: libcrypto never changes a fetched function, and this one is never freed.
    nonisolated(unsafe) let function: OpaquePointer

    private init(_ name: String, byteCount: Int) {
        Libcrypto.initialize()
        guard let function = unsafe EVP_MD_fetch(nil, name, nil) else {
            preconditionFailure("OpenSSL does not provide \(name): check its configuration (OPENSSL_CONF).")
        }
        unsafe self.function = function
        self.byteCount = byteCount
    }

    /// Returns the hash of bytes.
    package func hash(_ bytes: Span<UInt8>) -> [UInt8] {
        unsafe [UInt8](unsafeUninitializedCapacity: byteCount) { hash, count in
            let context = unsafe EVP_MD_CTX_new()
            defer { unsafe EVP_MD_CTX_free(context) }
            let succeeded = unsafe bytes.withUnsafeBufferPointer { bytes in
                unsafe EVP_DigestInit_ex2(context, function, nil) == 1
                    && EVP_DigestUpdate(context, bytes.baseAddress, bytes.count) == 1
                    && EVP_DigestFinal_ex(context, hash.baseAddress, nil) == 1
            }
            precondition(succeeded, "OpenSSL computed no hash: memory is exhausted.")
            count = byteCount
        }
    }

    /// Returns the hash of a text in UTF-8.
    package func hash(_ text: String) -> [UInt8] { hash(text.utf8.span) }

    /// Returns the HMAC of bytes (RFC 2104).
    package func authenticationCode(for bytes: Span<UInt8>, using key: SymmetricKey) -> [UInt8] {
        unsafe [UInt8](unsafeUninitializedCapacity: byteCount) { code, count in
            let result = unsafe key.withUnsafeBytes { key in
                unsafe bytes.withUnsafeBufferPointer { bytes in
                    unsafe HMAC(
                        function, key.baseAddress, Int32(key.count), bytes.baseAddress, bytes.count,
                        code.baseAddress, nil)
                }
            }
            precondition(unsafe result != nil, "OpenSSL computed no HMAC: memory is exhausted.")
            count = byteCount
        }
    }
}

extension Collection<UInt8> {
    /// Two lowercase hexadecimal digits for each byte, as digests are written.
    @inlinable
    package var hexadecimal: String {
        map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}
