internal import COpenSSL

/// The password-based key derivation function scrypt (RFC 7914).
package enum Scrypt {
    /// Derives a key.
    ///
    /// It takes 128 · `blockSize` · `cost` bytes of memory and blocks the thread.
    ///
    /// - Parameters:
    ///   - password: The password.
    ///   - salt: The salt.
    ///   - byteCount: The length of the key in bytes.
    ///   - cost: N, a power of 2 greater than 1.
    ///   - blockSize: r.
    ///   - parallelism: p.
    /// - Returns: The key.
    /// - Throws: `CryptographyError` for parameters that RFC 7914, section 2, excludes, or without memory.
    package static func deriveKey(
        from password: [UInt8], salt: [UInt8], byteCount: Int, cost: Int, blockSize: Int, parallelism: Int
    ) throws(CryptographyError) -> [UInt8] {
        Libcrypto.initialize()
        guard let cost = UInt64(exactly: cost), let blockSize = UInt64(exactly: blockSize),
            let parallelism = UInt64(exactly: parallelism), byteCount > 0
        else { throw CryptographyError() }
        var key = [UInt8](repeating: 0, count: byteCount)
        // The caller limits the memory by the parameters; libcrypto's own limit is 32 MiB.
        let result = unsafe password.withUnsafeBytes { password in
            unsafe EVP_PBE_scrypt(
                password.baseAddress?.assumingMemoryBound(to: CChar.self), password.count, salt, salt.count,
                cost, blockSize, parallelism, .max, &key, byteCount)
        }
        guard result == 1 else { throw CryptographyError() }
        return key
    }
}
