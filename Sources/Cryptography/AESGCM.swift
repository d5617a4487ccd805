internal import COpenSSL

/// Authenticated encryption by AES-256 in Galois/Counter Mode (NIST SP 800-38D).
///
/// A sealed text is a random nonce of 12 bytes, the ciphertext, and a tag of 16 bytes.
package enum AESGCM {
    private static let nonceCount = 12
    private static let tagCount = 16

    /// Encrypts a text.
    ///
    /// - Parameters:
    ///   - text: The bytes to encrypt.
    ///   - key: The key.
    ///   - additionalData: Bytes that are not encrypted; `open` needs the same.
    /// - Returns: The sealed text.
    /// - Throws: `CryptographyError` if libcrypto fails.
    package static func seal(
        _ text: [UInt8], using key: SymmetricKey, authenticating additionalData: [UInt8]
    ) throws(CryptographyError) -> [UInt8] {
        let nonce = [UInt8].random(count: nonceCount)
        let cipher = try Cipher()
        try cipher.start(.encrypt, key, nonce: nonce)
        try cipher.authenticate(additionalData)
        let ciphertext = try cipher.update(text)
        try cipher.finish()
        return nonce + ciphertext + (try cipher.tag(count: tagCount))
    }

    /// Decrypts a sealed text.
    ///
    /// - Throws: `CryptographyError` if another key, other additional data or another program sealed it, or
    ///   a byte was changed.
    package static func open(
        _ sealed: [UInt8], using key: SymmetricKey, authenticating additionalData: [UInt8]
    ) throws(CryptographyError) -> [UInt8] {
        guard sealed.count >= nonceCount + tagCount else { throw CryptographyError() }
        let cipher = try Cipher()
        try cipher.start(.decrypt, key, nonce: Array(sealed.prefix(nonceCount)))
        try cipher.authenticate(additionalData)
        let text = try cipher.update(Array(sealed.dropFirst(nonceCount).dropLast(tagCount)))
        try cipher.expect(tag: Array(sealed.suffix(tagCount)))
        try cipher.finish()
        return text
    }
}

/// One encryption or decryption by libcrypto.
@safe
private struct Cipher: ~Copyable {
    enum Direction: Int32 {
        case decrypt = 0
        case encrypt = 1
    }

    private let context: OpaquePointer

    init() throws(CryptographyError) {
        Libcrypto.initialize()
        guard let context = unsafe EVP_CIPHER_CTX_new() else { throw CryptographyError() }
        unsafe self.context = context
    }

    deinit { unsafe EVP_CIPHER_CTX_free(context) }

    func start(_ direction: Direction, _ key: SymmetricKey, nonce: [UInt8]) throws(CryptographyError) {
        let result = unsafe key.withUnsafeBytes { key in
            unsafe EVP_CipherInit_ex2(
                context, EVP_aes_256_gcm(), key.assumingMemoryBound(to: UInt8.self).baseAddress, nonce,
                direction.rawValue, nil)
        }
        guard result == 1 else { throw CryptographyError() }
    }

    func authenticate(_ additionalData: [UInt8]) throws(CryptographyError) {
        var count: Int32 = 0
        guard let length = Int32(exactly: additionalData.count),
            unsafe EVP_CipherUpdate(context, nil, &count, additionalData, length) == 1
        else { throw CryptographyError() }
    }

    /// Returns as many bytes as it is given: the mode has no padding.
    func update(_ text: [UInt8]) throws(CryptographyError) -> [UInt8] {
        guard !text.isEmpty else { return [] }
        var output = [UInt8](repeating: 0, count: text.count)
        var count: Int32 = 0
        guard let length = Int32(exactly: text.count),
            unsafe EVP_CipherUpdate(context, &output, &count, text, length) == 1, count == length
        else { throw CryptographyError() }
        return output
    }

    /// Ends the text; checks the tag if it decrypts.
    func finish() throws(CryptographyError) {
        var (rest, count) = ([UInt8](repeating: 0, count: 16), Int32(0))
        guard unsafe EVP_CipherFinal_ex(context, &rest, &count) == 1 else { throw CryptographyError() }
    }

    func tag(count: Int) throws(CryptographyError) -> [UInt8] {
        var tag = [UInt8](repeating: 0, count: count)
        guard unsafe EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, Int32(count), &tag) == 1 else {
            throw CryptographyError()
        }
        return tag
    }

    func expect(tag: [UInt8]) throws(CryptographyError) {
        var tag = tag
        guard unsafe EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, Int32(tag.count), &tag) == 1 else {
            throw CryptographyError()
        }
    }
}
