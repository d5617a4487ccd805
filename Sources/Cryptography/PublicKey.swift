internal import COpenSSL

/// A public key that verifies signatures, with the one algorithm of its signatures (RFC 7518, section 3; RFC 8037).
@safe
package final class PublicKey: Sendable {
    /// The bits of a modulus: fewer can be factored, and more take too long to verify.
    private static let modulusBits: ClosedRange<Int32> = 2_048...8_192

    // libcrypto does not change the key, whose functions for verification may be called on any thread.
    nonisolated(unsafe) private let key: OpaquePointer
    private let algorithm: Algorithm

    private enum Algorithm {
        /// RSASSA-PKCS1-v1_5 with SHA-256 (RS256).
        case rsa
        /// ECDSA with P-256 and SHA-256 (ES256).
        case p256
        /// Ed25519 (EdDSA).
        case ed25519
    }

    /// An RSA key; nil for a modulus that is too short or too long, or an exponent that is even or below 3.
    ///
    /// - Parameters:
    ///   - modulus: The modulus, with the first byte as the most significant one.
    ///   - exponent: The public exponent, in the same order.
    package convenience init?(rsaModulus modulus: [UInt8], exponent: [UInt8]) {
        let exponent = Array(exponent.drop { $0 == 0 })
        guard let last = exponent.last, last & 1 == 1, exponent != [1], exponent.count <= 4 else {
            return nil
        }
        let numbers = DER.sequence([DER.integer(modulus), DER.integer(exponent)])
        // The algorithm rsaEncryption (RFC 8017, appendix A.1).
        self.init(
            .rsa, algorithm: [0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, 0x01, 0x05, 0x00],
            numbers)
        guard unsafe Self.modulusBits.contains(EVP_PKEY_get_bits(key)) else { return nil }
    }

    /// A point of the curve P-256; nil for another length, or a point that is not on the curve.
    ///
    /// - Parameters:
    ///   - x: The 32 bytes of the coordinate, with the first byte as the most significant one.
    ///   - y: The other coordinate.
    package convenience init?(p256X x: [UInt8], y: [UInt8]) {
        guard x.count == 32, y.count == 32 else { return nil }
        // id-ecPublicKey with prime256v1 (RFC 5480, section 2.1.1), and an uncompressed point.
        self.init(
            .p256,
            algorithm: [
                0x06, 0x07, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01,
                0x06, 0x08, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x03, 0x01, 0x07,
            ], [0x04] + x + y)
    }

    /// A key for Ed25519; nil for another length than 32 bytes.
    package convenience init?(ed25519 bytes: [UInt8]) {
        guard bytes.count == 32 else { return nil }
        // id-Ed25519 (RFC 8410, section 3).
        self.init(.ed25519, algorithm: [0x06, 0x03, 0x2B, 0x65, 0x70], bytes)
    }

    /// Reads a SubjectPublicKeyInfo (RFC 5280, section 4.1); nil for a key that libcrypto refuses.
    private init?(_ algorithm: Algorithm, algorithm identifier: [UInt8], _ bits: [UInt8]) {
        Libcrypto.initialize()
        let info = DER.sequence([DER.sequence([identifier]), DER.bitString(bits)])
        let key = unsafe info.withUnsafeBufferPointer { bytes in
            var position = bytes.baseAddress
            return unsafe d2i_PUBKEY(nil, &position, bytes.count)
        }
        guard let key = unsafe key else {
            ERR_clear_error()
            return nil
        }
        unsafe self.key = key
        self.algorithm = algorithm
    }

    deinit { unsafe EVP_PKEY_free(key) }

    /// Whether a signature of bytes is valid.
    ///
    /// - Parameters:
    ///   - signature: The signature as in a token: for P-256 the 64 bytes of both numbers (RFC 7518, section 3.4).
    ///   - bytes: The bytes that were signed.
    /// - Returns: False for a signature of another length or form, too.
    package func verifies(_ signature: [UInt8], of bytes: [UInt8]) -> Bool {
        var signature = signature
        if case .p256 = algorithm {
            guard signature.count == 64 else { return false }
            signature = DER.sequence([
                DER.integer(Array(signature.prefix(32))), DER.integer(Array(signature.suffix(32))),
            ])
        }
        let context = unsafe EVP_MD_CTX_new()
        defer { unsafe EVP_MD_CTX_free(context) }
        let digest: String? =
            switch algorithm {
            case .rsa, .p256: "SHA256"
            case .ed25519: nil
            }
        // PKCS #1 v1.5 is the default padding of RSA.
        let isValid =
            unsafe EVP_DigestVerifyInit_ex(context, nil, digest, nil, nil, key, nil) == 1
            && EVP_DigestVerify(context, signature, signature.count, bytes, bytes.count) == 1
        // Otherwise the thread's queue has the reason until its next error.
        if !isValid { ERR_clear_error() }
        return isValid
    }
}

/// The distinguished encoding of ASN.1 (ITU-T X.690) for public keys and signatures.
private enum DER {
    static func sequence(_ elements: [[UInt8]]) -> [UInt8] { encoded(0x30, elements.flatMap(\.self)) }

    /// A number that is not negative, with the first byte as the most significant one.
    static func integer(_ bytes: [UInt8]) -> [UInt8] {
        let digits = Array(bytes.drop { $0 == 0 })
        return encoded(0x02, (digits.first ?? 0) < 0x80 && !digits.isEmpty ? digits : [0] + digits)
    }

    /// A string of whole bytes.
    static func bitString(_ bytes: [UInt8]) -> [UInt8] { encoded(0x03, [0] + bytes) }

    private static func encoded(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
        if content.count < 0x80 { return [tag, UInt8(content.count)] + content }
        var digits: [UInt8] = []
        var rest = content.count
        while rest > 0 {
            digits.insert(UInt8(truncatingIfNeeded: rest), at: 0)
            rest >>= 8
        }
        return [tag, 0x80 | UInt8(digits.count)] + digits + content
    }
}
