import Brokerage
import ProviderTestSupport
import Testing
import Upstream

@testable import Saxo

/// A message in the binary layout that Saxo documents.
func message(_ id: UInt64, _ reference: String, _ payload: String, format: UInt8 = 0) -> [UInt8] {
    func littleEndian(_ value: UInt64, _ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: value >> UInt64($0 * 8)) }
    }
    return littleEndian(id, 8) + [7, 7, UInt8(reference.utf8.count)] + Array(reference.utf8) + [format]
        + littleEndian(UInt64(payload.utf8.count), 4) + Array(payload.utf8)
}

@Suite("Saxo's frames")
struct StreamMessageTests {
    @Test("hold one message in the layout that Saxo documents")
    func golden() throws {
        let frame: [UInt8] = [
            0x05, 0x01, 0, 0, 0, 0, 0, 0x80, 0, 0, 3, 0x70, 0x31, 0x36, 0, 2, 0, 0, 0, 0x7B, 0x7D,
        ]
        #expect(
            try SaxoStreamMessage.messages(in: frame) == [
                SaxoStreamMessage(
                    id: 0x8000_0000_0000_0105, referenceID: "p16", payload: Array("{}".utf8))
            ])
    }

    @Test("hold several messages, or none")
    func several() throws {
        let frame = message(1, "p1", "{}") + message(2, "", "") + message(.max, "_heartbeat", "[]")
        let messages = try SaxoStreamMessage.messages(in: frame)
        #expect(messages.map(\.id) == [1, 2, .max])
        #expect(messages.map(\.referenceID) == ["p1", "", "_heartbeat"])
        #expect(try SaxoStreamMessage.messages(in: []).isEmpty)
    }

    @Test("that end anywhere within a message are refused", arguments: 1..<19)
    func truncated(length: Int) throws {
        let whole = message(1, "p16", "{}")
        let frame = whole + whole.prefix(length)
        #expect(throws: SaxoStreamMessage.Malformed.truncated(offset: 21)) {
            try SaxoStreamMessage.messages(in: frame)
        }
    }

    @Test("whose lengths lie, or whose format nobody asked for, are refused")
    func lies() {
        var frame = message(1, "p16", "{}")
        frame.replaceSubrange(15..<19, with: [255, 255, 255, 255])
        #expect(throws: SaxoStreamMessage.Malformed.truncated(offset: 0)) {
            try SaxoStreamMessage.messages(in: frame)
        }
        #expect(throws: SaxoStreamMessage.Malformed.format(1, offset: 0)) {
            try SaxoStreamMessage.messages(in: message(1, "p16", "{}", format: 1))
        }
        #expect(throws: SaxoStreamMessage.Malformed.reference(offset: 0)) {
            try SaxoStreamMessage.messages(in: message(1, "é", "{}"))
        }
    }

    @Test(
        "control the stream, by an array or an object alike",
        arguments: [
            ("heartbeat", "_heartbeat", SaxoStreamControl.heartbeat(["p16"])),
            ("reset", "_resetsubscriptions", .reset(["p16"])), ("disconnect", "_disconnect", .disconnect),
        ])
    func controls(name: String, reference: String, control: SaxoStreamControl) throws {
        let array = try goldenText(name).trimmingPrefix { $0.isWhitespace }
        let object = String(array.drop { $0 != "{" }.reversed().drop { $0 != "}" }.reversed())
        for text in [String(array), object] {
            let messages = try SaxoStreamMessage.messages(in: message(1, reference, text))
            #expect(try messages.map(SaxoStreamControl.init) == [control])
        }
    }

    @Test("reset everything where none is named, and are of no concern where nobody knows them")
    func vague() throws {
        for (text, reference, control) in [
            (#"[{"ReferenceId":"_resetsubscriptions"}]"#, "_resetsubscriptions", SaxoStreamControl.reset([])),
            (#"{"TargetReferenceIds":null}"#, "_resetsubscriptions", .reset([])),
            ("[]", "_heartbeat", .heartbeat([])),
            ("", "_connectionheartbeat", .other),
        ] {
            let messages = try SaxoStreamMessage.messages(in: message(1, reference, text))
            #expect(try messages.map(SaxoStreamControl.init) == [control])
        }
    }
}
