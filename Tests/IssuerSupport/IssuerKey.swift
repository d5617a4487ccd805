import COpenSSL
import Cryptography
package import Foundation
import PorticoCore

/// A key of the test's issuer, which signs with the algorithm of its kind.
package struct IssuerKey: Sendable {
    package let id: String
    private let key: PrivateKey

    /// The algorithms, by their names in tokens.
    package enum Algorithm: String, Sendable, CaseIterable {
        case rs256 = "RS256"
        case es256 = "ES256"
        case edDSA = "EdDSA"
    }

    package let algorithm: Algorithm

    /// A new key.
    package init(_ algorithm: Algorithm, id: String) throws {
        (self.algorithm, self.id) = (algorithm, id)
        key = try PrivateKey(algorithm)
    }

    /// The public key as JSON (RFC 7517).
    ///
    /// - Parameter others: More members, with a comma after each: `"use":"enc",`.
    /// - Returns: The text of the object.
    /// - Throws: If the key has no numbers.
    package func json(_ others: String = "") throws -> String {
        let members: String
        switch algorithm {
        case .rs256:
            let (modulus, exponent) = (try key.number("n"), try key.number("e"))
            members = #""kty":"RSA","n":"\#(Self.encoded(modulus))","e":"\#(Self.encoded(exponent))""#
        case .es256:
            let (x, y) = (try key.number("qx", count: 32), try key.number("qy", count: 32))
            members = #""kty":"EC","crv":"P-256","x":"\#(Self.encoded(x))","y":"\#(Self.encoded(y))""#
        case .edDSA:
            members = #""kty":"OKP","crv":"Ed25519","x":"\#(Self.encoded(try key.publicBytes().suffix(32)))""#
        }
        return "{\(others)\(members)\(id.isEmpty ? "" : #","kid":"\#(id)""#)}"
    }

    /// The same token of ES256 with the other form of its signature: (r, n − s) for (r, s).
    ///
    /// It needs no key.
    package static func otherForm(of token: String) throws -> String {
        let parts = token.split(separator: ".")
        guard parts.count == 3, var signature = Base64.url.decoded(parts[2].utf8), signature.count == 64
        else {
            throw PrivateKey.Failure()
        }
        var borrow = 0
        for index in stride(from: 31, through: 0, by: -1) {
            let difference = Int(p256Order[index]) - Int(signature[32 + index]) - borrow
            signature[32 + index] = UInt8(truncatingIfNeeded: difference)
            borrow = difference < 0 ? 1 : 0
        }
        return "\(parts[0]).\(parts[1]).\(encoded(signature))"
    }

    /// The order n of P-256 (FIPS 186-4, section D.1.2.3).
    private static let p256Order: [UInt8] = [
        0xFF, 0xFF, 0xFF, 0xFF, 0x00, 0x00, 0x00, 0x00, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF,
        0xBC, 0xE6, 0xFA, 0xAD, 0xA7, 0x17, 0x9E, 0x84, 0xF3, 0xB9, 0xCA, 0xC2, 0xFC, 0x63, 0x25, 0x51,
    ]

    /// Signs bytes.
    package func signature(of bytes: Data) throws -> Data { Data(try key.signature(of: Array(bytes))) }

    /// A token with this payload.
    ///
    /// - Parameters:
    ///   - payload: The claims, as JSON.
    ///   - header: The header, as JSON; nil for the one of this key.
    ///   - signature: Signs header and payload; nil for this key.
    /// - Returns: The token in the compact serialization.
    /// - Throws: The error of the signature.
    package func token(
        _ payload: String, header: String? = nil, signature: ((Data) throws -> Data)? = nil
    ) throws -> String {
        let own = #"{"alg":"\#(algorithm.rawValue)"\#(id.isEmpty ? "" : #","kid":"\#(id)""#)}"#
        let text = "\(Self.encoded((header ?? own).utf8)).\(Self.encoded(payload.utf8))"
        let bytes = Data(text.utf8)
        return "\(text).\(Self.encoded(try signature.map { try $0(bytes) } ?? self.signature(of: bytes)))"
    }

    /// The signature that anyone with the public key can create, if the algorithm is HS256: its text in PEM is the key of
    /// the HMAC.
    package func confusedSignature(of bytes: Data) throws -> Data {
        let digits = Data(try key.publicBytes()).base64EncodedString(options: [
            .lineLength64Characters, .endLineWithLineFeed,
        ])
        let text = "-----BEGIN PUBLIC KEY-----\n\(digits)\n-----END PUBLIC KEY-----\n"
        // RFC 2104: a key that is longer than a block of 64 bytes is replaced by its hash.
        guard let secret = SymmetricKey(HashFunction.sha256.hash(text)) else { throw PrivateKey.Failure() }
        return Data(HashFunction.sha256.authenticationCode(for: Array(bytes).span, using: secret))
    }

    private static func encoded(_ bytes: some Sequence<UInt8>) -> String { Base64.url.encoded(bytes) }
}

/// A private key of libcrypto.
@safe
private final class PrivateKey: Sendable {
    struct Failure: Error {}

    // libcrypto does not change the key after its generation, and signs with it on any thread.
    nonisolated(unsafe) private let key: OpaquePointer
    private let algorithm: IssuerKey.Algorithm

    init(_ algorithm: IssuerKey.Algorithm) throws {
        let names: [IssuerKey.Algorithm: String] = [.rs256: "RSA", .es256: "EC", .edDSA: "ED25519"]
        let context = unsafe EVP_PKEY_CTX_new_from_name(nil, names[algorithm], nil)
        defer { unsafe EVP_PKEY_CTX_free(context) }
        guard unsafe EVP_PKEY_keygen_init(context) == 1 else { throw Failure() }
        switch algorithm {
        case .rs256:
            guard unsafe EVP_PKEY_CTX_set_rsa_keygen_bits(context, 2_048) == 1 else { throw Failure() }
        case .es256: guard unsafe EVP_PKEY_CTX_set_group_name(context, "P-256") == 1 else { throw Failure() }
        case .edDSA: break
        }
        var key: OpaquePointer?
        guard unsafe EVP_PKEY_generate(context, &key) == 1, let key = unsafe key else { throw Failure() }
        unsafe self.key = key
        self.algorithm = algorithm
    }

    deinit { unsafe EVP_PKEY_free(key) }

    /// A number of the key by its name in libcrypto, with leading zeros up to a count of bytes.
    func number(_ name: String, count: Int = 0) throws -> [UInt8] {
        var number: OpaquePointer?
        guard unsafe EVP_PKEY_get_bn_param(key, name, &number) == 1 else { throw Failure() }
        defer { unsafe BN_free(number) }
        var bytes = [UInt8](repeating: 0, count: max(count, Int(unsafe BN_num_bits(number) + 7) / 8))
        guard unsafe BN_bn2binpad(number, &bytes, Int32(bytes.count)) == Int32(bytes.count) else {
            throw Failure()
        }
        return bytes
    }

    /// The SubjectPublicKeyInfo (RFC 5280, section 4.1).
    func publicBytes() throws -> [UInt8] {
        var start: UnsafeMutablePointer<UInt8>?
        let count = unsafe i2d_PUBKEY(key, &start)
        guard count > 0, let start = unsafe start else { throw Failure() }
        defer { unsafe CRYPTO_free(start, nil, 0) }
        return unsafe Array(UnsafeBufferPointer(start: start, count: Int(count)))
    }

    /// The signature as in a token: for P-256 the 64 bytes of both numbers (RFC 7518, section 3.4).
    func signature(of bytes: [UInt8]) throws -> [UInt8] {
        let context = unsafe EVP_MD_CTX_new()
        defer { unsafe EVP_MD_CTX_free(context) }
        let digest = algorithm == .edDSA ? nil : "SHA256"
        var (signature, count) = ([UInt8](repeating: 0, count: 512), 512)
        guard unsafe EVP_DigestSignInit_ex(context, nil, digest, nil, nil, key, nil) == 1,
            unsafe EVP_DigestSign(context, &signature, &count, bytes, bytes.count) == 1
        else { throw Failure() }
        signature = Array(signature.prefix(count))
        guard algorithm == .es256 else { return signature }
        // SEQUENCE { INTEGER r, INTEGER s } with lengths below 128.
        let first = Int(signature[3])
        return Self.padded(signature[4..<(4 + first)]) + Self.padded(signature[(6 + first)...])
    }

    /// The last 32 bytes, with leading zeros.
    private static func padded(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
        [UInt8](repeating: 0, count: max(0, 32 - bytes.count)) + bytes.suffix(32)
    }
}
