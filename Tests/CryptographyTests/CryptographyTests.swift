import Cryptography
import Testing

@Suite("Cryptography by libcrypto")
struct CryptographyTests {
    @Test(
        "A hash has the value of the standard's examples",
        arguments: [
            (HashFunction.sha256, "", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
            (.sha256, "abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
            (.sha1, "", "da39a3ee5e6b4b0d3255bfef95601890afd80709"),
            (.sha1, "abc", "a9993e364706816aba3e25717850c26c9cd0d89d"),
        ])
    func hash(function: HashFunction, text: String, expected: String) {
        #expect(function.hash(text) == bytes(expected))
        #expect(function.hash(Array(text.utf8).span) == bytes(expected))
    }

    @Test("An HMAC depends on the key and on the text")
    func authenticationCode() throws {
        let (key, text) = (try #require(SymmetricKey(0..<32)), "what do ya want for nothing?")
        let code = HashFunction.sha256.authenticationCode(for: text.utf8.span, using: key)
        // Computed by Python's hmac.
        #expect(code == bytes("099805f4ac310786968565c098db515cc50862b420ae31e20238312344bed36a"))
        #expect(HashFunction.sha256.authenticationCode(for: "".utf8.span, using: key) != code)
        #expect(HashFunction.sha256.authenticationCode(for: text.utf8.span, using: SymmetricKey()) != code)
    }

    // The Galois/Counter Mode of Operation (McGrew, Viega), test case 16.
    private static let key = "feffe9928665731c6d6a8f9467308308feffe9928665731c6d6a8f9467308308"
    private static let additionalData = bytes("feedfacedeadbeeffeedfacedeadbeefabaddad2")
    private static let text = bytes(
        "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a72"
            + "1c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b39")
    private static let sealed = bytes(
        "cafebabefacedbaddecaf888"
            + "522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa"
            + "8cb08e48590dbb3da7b08b1056828838c5f61e6393ba7a0abcc9f662"
            + "76fc6ece0f4e1768cddf8853bb2d551b")

    @Test("A text that another program sealed is opened")
    func open() throws {
        let key = try #require(SymmetricKey(bytes(Self.key)))
        let text = try AESGCM.open(Self.sealed, using: key, authenticating: Self.additionalData)
        #expect(text == Self.text)
    }

    @Test("A sealed text is opened with its key and additional data only", arguments: [0, 1, 16, 1_000])
    func seal(count: Int) throws {
        let (key, text) = (SymmetricKey(), [UInt8](repeating: 7, count: count))
        let sealed = try AESGCM.seal(text, using: key, authenticating: [1])
        #expect(sealed.count == count + 28)
        #expect(try AESGCM.open(sealed, using: key, authenticating: [1]) == text)
        #expect(throws: CryptographyError()) { try AESGCM.open(sealed, using: key, authenticating: [2]) }
        #expect(throws: CryptographyError()) {
            try AESGCM.open(sealed, using: SymmetricKey(), authenticating: [1])
        }
        #expect(try AESGCM.seal(text, using: key, authenticating: [1]) != sealed, "The nonce is random.")
    }

    @Test("A sealed text with one changed byte, or of another length, is rejected")
    func change() throws {
        let key = try #require(SymmetricKey(bytes(Self.key)))
        for index in Self.sealed.indices {
            var changed = Self.sealed
            changed[index] ^= 1
            #expect(throws: CryptographyError(), "byte \(index)") {
                try AESGCM.open(changed, using: key, authenticating: Self.additionalData)
            }
        }
        for count in 0..<Self.sealed.count {
            #expect(throws: CryptographyError(), "\(count) bytes") {
                try AESGCM.open(
                    Array(Self.sealed.prefix(count)), using: key, authenticating: Self.additionalData)
            }
        }
    }

    @Test("A key has 32 bytes, and is encrypted by another key")
    func symmetricKey() throws {
        #expect(SymmetricKey(0..<31) == nil)
        #expect(SymmetricKey(0..<33) == nil)
        let (key, wrappingKey) = (SymmetricKey(), SymmetricKey())
        #expect(key.bytes != wrappingKey.bytes)
        let wrapped = try AESGCM.seal(key.bytes, using: wrappingKey, authenticating: [])
        #expect(try SymmetricKey(wrapped: wrapped, by: wrappingKey, authenticating: []).bytes == key.bytes)
        let short = try AESGCM.seal([1, 2, 3], using: wrappingKey, authenticating: [])
        #expect(throws: CryptographyError()) {
            try SymmetricKey(wrapped: short, by: wrappingKey, authenticating: [])
        }
    }

    @Test("scrypt derives the key of RFC 7914, section 12")
    func scrypt() throws {
        let key = try Scrypt.deriveKey(
            from: Array("password".utf8), salt: Array("NaCl".utf8), byteCount: 64, cost: 1_024, blockSize: 8,
            parallelism: 16)
        #expect(
            key
                == bytes(
                    "fdbabe1c9d3472007856e7190d01e9fe7c6ad7cbc8237830e77376634b373162"
                        + "2eaf30d92e22a3886ff109279d9830dac727afb94a83ee6d8360cbdfa2cc0640"))
    }

    @Test(
        "scrypt rejects parameters outside of its definition",
        arguments: [(0, 8, 1), (1, 8, 1), (3, 8, 1), (-2, 8, 1), (16, 0, 1), (16, 8, 0), (16, -8, 1)])
    func scryptParameters(cost: Int, blockSize: Int, parallelism: Int) {
        #expect(throws: CryptographyError()) {
            try Scrypt.deriveKey(
                from: [1], salt: [2], byteCount: 32, cost: cost, blockSize: blockSize,
                parallelism: parallelism)
        }
    }
}

func bytes(_ hexadecimal: String) -> [UInt8] {
    let digits = Array(hexadecimal)
    return stride(from: 0, to: digits.count - 1, by: 2).compactMap {
        UInt8(String(digits[$0...$0 + 1]), radix: 16)
    }
}
