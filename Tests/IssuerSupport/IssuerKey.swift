import Crypto
import CryptoExtras
package import Foundation
import PorticoCore

/// A key of the test's issuer, which signs with the algorithm of its kind.
package struct IssuerKey: Sendable {
    package let id: String
    private let signer: Signer

    private enum Signer: Sendable {
        case rsa(_RSA.Signing.PrivateKey)
        case p256(P256.Signing.PrivateKey)
        case ed25519(Curve25519.Signing.PrivateKey)
    }

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
        signer =
            switch algorithm {
            case .rs256: .rsa(try _RSA.Signing.PrivateKey(keySize: .bits2048))
            case .es256: .p256(P256.Signing.PrivateKey())
            case .edDSA: .ed25519(Curve25519.Signing.PrivateKey())
            }
    }

    /// The public key as JSON (RFC 7517).
    ///
    /// - Parameter others: More members, with a comma after each: `"use":"enc",`.
    /// - Returns: The text of the object.
    /// - Throws: If the key has no numbers.
    package func json(_ others: String = "") throws -> String {
        let members =
            switch signer {
            case .rsa(let key):
                try { () throws -> String in
                    let numbers = try key.publicKey.getKeyPrimitives()
                    return
                        #""kty":"RSA","n":"\#(Self.encoded(numbers.modulus))","e":"\#(Self.encoded(numbers.publicExponent))""#
                }()
            case .p256(let key):
                #""kty":"EC","crv":"P-256","x":"\#(Self.encoded(key.publicKey.rawRepresentation.prefix(32)))","y":"\#(Self.encoded(key.publicKey.rawRepresentation.suffix(32)))""#
            case .ed25519(let key):
                #""kty":"OKP","crv":"Ed25519","x":"\#(Self.encoded(key.publicKey.rawRepresentation))""#
            }
        return "{\(others)\(members)\(id.isEmpty ? "" : #","kid":"\#(id)""#)}"
    }

    /// The text of the public key in PEM, which an attacker uses as the key of an HMAC.
    package var publicPEM: String {
        switch signer {
        case .rsa(let key): key.publicKey.pemRepresentation
        case .p256(let key): key.publicKey.pemRepresentation
        case .ed25519(let key): key.publicKey.rawRepresentation.base64EncodedString()
        }
    }

    /// Signs bytes.
    package func signature(of bytes: Data) throws -> Data {
        switch signer {
        case .rsa(let key):
            try key.signature(for: SHA256.hash(data: bytes), padding: .insecurePKCS1v1_5).rawRepresentation
        case .p256(let key): try key.signature(for: SHA256.hash(data: bytes)).rawRepresentation
        case .ed25519(let key): try key.signature(for: bytes)
        }
    }

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

    /// The signature that anyone with the public key can create, if the algorithm is HS256.
    package func confusedSignature(of bytes: Data) -> Data {
        Data(HMAC<SHA256>.authenticationCode(for: bytes, using: SymmetricKey(data: Data(publicPEM.utf8))))
    }

    private static func encoded(_ bytes: some Sequence<UInt8>) -> String { Base64.url.encoded(bytes) }
}
