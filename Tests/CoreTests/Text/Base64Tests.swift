import Foundation
import PorticoCore
import TestSupport
import Testing

@Suite("Base64")
struct Base64Tests {
    @Test("encodes and decodes as Foundation does, in both alphabets")
    func sameAsFoundation() {
        var random = SplitMix(seed: 64)
        for length in 0..<200 {
            let bytes = (0..<length).map { _ in UInt8.random(in: .min ... .max, using: &random) }
            let expected = Data(bytes).base64EncodedString().replacing("=", with: "")
            let inURL = expected.replacing("+", with: "-").replacing("/", with: "_")
            #expect(Base64.standard.encoded(bytes) == expected)
            #expect(Base64.url.encoded(bytes) == inURL)
            #expect(Base64.standard.decoded(expected.utf8) == bytes)
            #expect(Base64.url.decoded(inURL.utf8) == bytes)
        }
    }

    @Test("refuses other characters", arguments: ["a+b/", "ab=", "a b", "ab\n", "é"])
    func otherCharacters(text: String) {
        #expect(Base64.url.decoded(text.utf8) == nil)
    }

    @Test("ignores bits that do not fill a byte")
    func incompleteByte() {
        #expect(Base64.url.decoded("QR".utf8) == [65])
        #expect(Base64.url.decoded("Q".utf8) == [])
    }
}
