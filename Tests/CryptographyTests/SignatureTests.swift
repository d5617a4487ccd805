import Cryptography
import Foundation
import TestSupport
import Testing

@Suite("A signature")
struct SignatureTests {
    /// A line of Wycheproof's vectors: a key and its tests.
    private struct Vectors: Decodable {
        let algorithm: String
        /// The numbers of the key, in hexadecimal digits.
        let key: [String]
        /// Comment, message, signature, and `valid`, `invalid` or `acceptable`.
        let tests: [[String]]

        func publicKey() -> PublicKey? {
            let numbers = key.map(bytes)
            return switch algorithm {
            case "RS256": PublicKey(rsaModulus: numbers[0], exponent: numbers[1])
            case "ES256": PublicKey(p256X: numbers[0], y: numbers[1])
            default: PublicKey(ed25519: numbers[0])
            }
        }
    }

    private static func vectors() throws -> [Vectors] {
        try String(contentsOf: Golden.url("wycheproof/signatures.ndjson"), encoding: .utf8)
            .split(separator: "\n").map { try JSONDecoder().decode(Vectors.self, from: Data($0.utf8)) }
    }

    @Test("is accepted and refused as Wycheproof's vectors require")
    func wycheproof() throws {
        var counts: [String: Int] = [:]
        for vectors in try Self.vectors() {
            let key = try #require(vectors.publicKey(), "\(vectors.algorithm) \(vectors.key)")
            for test in vectors.tests {
                let isValid = key.verifies(bytes(test[2]), of: bytes(test[1]))
                counts[vectors.algorithm + " " + test[3], default: 0] += 1
                // Both results are right for those that the specification leaves open.
                if test[3] != "acceptable" {
                    #expect(isValid == (test[3] == "valid"), "\(vectors.algorithm): \(test[0])")
                }
            }
        }
        #expect(counts["RS256 valid"] == 7 && counts["RS256 invalid"] == 230, "\(counts)")
        #expect(counts["ES256 valid"] == 169 && counts["ES256 invalid"] == 83, "\(counts)")
        #expect((counts["EdDSA valid"] ?? 0) > 50 && (counts["EdDSA invalid"] ?? 0) > 50, "\(counts)")
    }

    @Test("of one bit less, of another text, of another key, or of another length is refused")
    func changes() throws {
        for algorithm in ["RS256", "ES256", "EdDSA"] {
            let vectors = try #require(
                try Self.vectors().first {
                    $0.algorithm == algorithm && $0.tests.contains { $0[3] == "valid" }
                })
            let other = try #require(
                try Self.vectors().first { $0.algorithm == algorithm && $0.key != vectors.key }?.publicKey())
            let key = try #require(vectors.publicKey())
            let test = try #require(vectors.tests.first { $0[3] == "valid" })
            let (text, signature) = (bytes(test[1]), bytes(test[2]))
            #expect(key.verifies(signature, of: text))
            #expect(!other.verifies(signature, of: text))
            #expect(!key.verifies(signature, of: text + [0]))
            for bit in 0..<(signature.count * 8) {
                var changed = signature
                changed[bit / 8] ^= 1 << (bit % 8)
                #expect(!key.verifies(changed, of: text), "\(algorithm), bit \(bit)")
            }
            for count in 0..<signature.count {
                #expect(
                    !key.verifies(Array(signature.prefix(count)), of: text), "\(algorithm), \(count) bytes")
            }
            #expect(!key.verifies(signature + [0], of: text) && !key.verifies([0] + signature, of: text))
        }
    }

    @Test("has no key of other lengths, of weak numbers, or outside of the curve")
    func keys() throws {
        let modulus = [UInt8](repeating: 0xFF, count: 256)
        #expect(PublicKey(rsaModulus: modulus, exponent: [1, 0, 1]) != nil)
        #expect(PublicKey(rsaModulus: [0] + modulus, exponent: [0, 1, 0, 1]) != nil)
        #expect(PublicKey(rsaModulus: [UInt8](repeating: 0xFF, count: 1_024), exponent: [3]) != nil)
        let invalid: [(modulus: [UInt8], exponent: [UInt8])] = [
            ([UInt8](repeating: 0xFF, count: 255), [1, 0, 1]),
            ([UInt8](repeating: 0xFF, count: 1_025), [1, 0, 1]),
            ([], [1, 0, 1]), ([0], [1, 0, 1]), (modulus, []), (modulus, [0]), (modulus, [1]), (modulus, [2]),
            (modulus, [1, 0, 0, 0, 1]), ([0x7F] + Array(modulus.dropFirst()), [1, 0, 1]),
        ]
        for (number, (modulus, exponent)) in invalid.enumerated() {
            #expect(PublicKey(rsaModulus: modulus, exponent: exponent) == nil, "\(number)")
        }
        let point = try #require(try Self.vectors().first { $0.algorithm == "ES256" }).key.map(bytes)
        #expect(PublicKey(p256X: point[0], y: point[1]) != nil)
        #expect(PublicKey(p256X: point[1], y: point[0]) == nil)
        #expect(PublicKey(p256X: point[0], y: Array(point[1].dropLast()) + [point[1][31] ^ 1]) == nil)
        #expect(PublicKey(p256X: Array(point[0].dropLast()), y: point[1]) == nil)
        #expect(
            PublicKey(p256X: [UInt8](repeating: 0, count: 32), y: [UInt8](repeating: 0, count: 32)) == nil)
        for count in [0, 31, 33] { #expect(PublicKey(ed25519: [UInt8](repeating: 9, count: count)) == nil) }
    }
}
