import Redis
import TestSupport
import Testing

@Suite("The decoder of Redis replies")
struct RESPDecoderTests {
    /// Bytes with the values that they are.
    struct Reply: CustomTestStringConvertible, Sendable {
        let text: String
        let values: [RESPValue]

        init(_ text: String, _ values: RESPValue...) {
            self.text = text
            self.values = values
        }

        var testDescription: String { text.debugDescription }

        static let all = [
            Reply("+OK\r\n", .bytes(Array("OK".utf8))),
            Reply("+\r\n", .bytes([])),
            Reply("$5\r\nhe\r\no\r\n", .bytes(Array("he\r\no".utf8))),
            Reply("$0\r\n\r\n", .bytes([])),
            Reply("$-1\r\n", .null),
            Reply("*-1\r\n", .null),
            Reply("_\r\n", .null),
            Reply(":42\r\n:-7\r\n:+7\r\n", .integer(42), .integer(-7), .integer(7)),
            Reply(":9223372036854775807\r\n", .integer(.max)),
            Reply(",1.5\r\n,inf\r\n,-inf\r\n", .double(1.5), .double(.infinity), .double(-.infinity)),
            Reply("#t\r\n#f\r\n", .boolean(true), .boolean(false)),
            Reply(
                "(123456789012345678901234567890\r\n", .bytes(Array("123456789012345678901234567890".utf8))),
            Reply("=8\r\ntxt:some\r\n", .bytes(Array("some".utf8))),
            Reply("-WRONGPASS bad 'secret'\r\n", .error(code: "WRONGPASS")),
            Reply("-ERR unknown command 'HELLO' 'secret'\r\n", .error(code: "ERR")),
            // Only a code is taken over, since any other text can repeat an argument.
            Reply("-secret\r\n-\r\n", .error(code: "ERR"), .error(code: "ERR")),
            Reply("!11\r\nNOAUTH need\r\n", .error(code: "NOAUTH")),
            Reply(
                "*0\r\n*2\r\n:1\r\n*1\r\n+a\r\n", .array([]), .array([.integer(1), .array([.bytes([97])])])),
            Reply("~2\r\n:1\r\n:2\r\n", .array([.integer(1), .integer(2)])),
            Reply("%1\r\n+k\r\n_\r\n%0\r\n", .map([.bytes([107]), .null]), .map([])),
            Reply(
                ">2\r\n+message\r\n:1\r\n+OK\r\n", .push([.bytes(Array("message".utf8)), .integer(1)]),
                .bytes(Array("OK".utf8))),
            // Attributes describe the next value, and are not part of it.
            Reply("|1\r\n+ttl\r\n:5\r\n:1\r\n|0\r\n:2\r\n", .integer(1), .integer(2)),
            Reply("*2\r\n|1\r\n+ttl\r\n:5\r\n:1\r\n:2\r\n", .array([.integer(1), .integer(2)])),
        ]
    }

    private func values(_ decoder: inout RESPDecoder) throws -> [RESPValue] {
        var values: [RESPValue] = []
        while let value = try decoder.next() { values.append(value) }
        return values
    }

    @Test("returns the values of both versions of the protocol, whole and byte by byte", arguments: Reply.all)
    func values(_ reply: Reply) throws {
        var whole = RESPDecoder()
        whole.append(Array(reply.text.utf8))
        #expect(try values(&whole) == reply.values)
        var parts = RESPDecoder()
        var found: [RESPValue] = []
        for (index, byte) in reply.text.utf8.enumerated() {
            #expect(found.count < reply.values.count, "complete before byte \(index)")
            parts.append([byte])
            found += try values(&parts)
        }
        #expect(found == reply.values)
    }

    /// Bytes that are no reply.
    struct BadReply: CustomTestStringConvertible, Sendable {
        let text: String
        let fault: RESPDecoder.Fault

        init(_ text: String, _ fault: RESPDecoder.Fault) {
            (self.text, self.fault) = (text, fault)
        }

        var testDescription: String { text.prefix(40).debugDescription }

        static let all = [
            BadReply("HTTP/1.1 400 Bad Request\r\n", .unknownType(UInt8(ascii: "H"))),
            BadReply("\r\n", .badEnd),
            BadReply("+OK\n", .badEnd),
            BadReply("\n", .badEnd),
            BadReply("$2\r\nabc\r\n", .badEnd),
            BadReply("$2\r\nab\n\r", .badEnd),
            BadReply("=3\r\nabc\r\n", .badEnd),
            BadReply(":\r\n", .badNumber),
            BadReply(":1.5\r\n", .badNumber),
            BadReply(":9223372036854775808\r\n", .badNumber),
            BadReply("$-2\r\n", .badNumber),
            BadReply("*-9223372036854775808\r\n", .badNumber),
            BadReply("$?\r\n", .badNumber),
            BadReply("*?\r\n", .badNumber),
            BadReply(",one\r\n", .badNumber),
            BadReply("#true\r\n", .badNumber),
            BadReply("$9223372036854775807\r\n", .tooLarge),
            BadReply("$101\r\n", .tooLarge),
            BadReply("*21\r\n", .tooLarge),
            BadReply("%9223372036854775807\r\n", .tooLarge),
            BadReply("+" + String(repeating: "x", count: 60), .tooLarge),
            BadReply("-" + String(repeating: "X", count: 60) + "\r\n", .tooLarge),
            BadReply(String(repeating: "*1\r\n", count: 4), .tooDeep),
            BadReply(
                "*3\r\n" + String(repeating: "*7\r\n" + String(repeating: ":1\r\n", count: 7), count: 3),
                .tooLarge),
            BadReply(
                "*9\r\n"
                    + String(repeating: "$90\r\n" + String(repeating: "x", count: 90) + "\r\n", count: 9),
                .tooLarge),
        ]
    }

    /// Small limits, so that each is reached by few bytes.
    private var limits: RESPDecoder.Limits {
        var limits = RESPDecoder.Limits()
        limits.string = 100
        limits.line = 50
        limits.values = 20
        limits.bytes = 500
        limits.depth = 3
        return limits
    }

    @Test("refuses other bytes and exceeded limits, whole and byte by byte", arguments: BadReply.all)
    func refuses(_ bad: BadReply) {
        for size in [bad.text.utf8.count, 1] {
            var decoder = RESPDecoder(limits)
            let fault = #expect(throws: RESPDecoder.Fault.self) {
                var rest = Array(bad.text.utf8)[...]
                while !rest.isEmpty {
                    decoder.append(rest.prefix(size))
                    rest = rest.dropFirst(size)
                    _ = try values(&decoder)
                }
            }
            #expect(fault == bad.fault)
        }
    }

    @Test("counts the limits for each reply anew")
    func eachReply() throws {
        var decoder = RESPDecoder(limits)
        for _ in 0..<100 {
            decoder.append(Array("*2\r\n$3\r\nabc\r\n:1\r\n".utf8))
            #expect(try values(&decoder) == [.array([.bytes(Array("abc".utf8)), .integer(1)])])
        }
    }

    @Test("does not trap for random bytes that resemble replies")
    func random() {
        var random = SplitMix(seed: 58)
        let alphabet = Array("+-:$*%~>|=!(,#_0123456789\r\n\r\n\r\ntfOK".utf8)
        var refusals = 0
        for _ in 0..<20_000 {
            var decoder = RESPDecoder(limits)
            do {
                for _ in 0..<4 {
                    let count = Int.random(in: 1...24, using: &random)
                    decoder.append(
                        (0..<count).map { _ in alphabet[Int.random(in: 0..<alphabet.count, using: &random)] })
                    _ = try values(&decoder)
                }
            } catch {
                refusals += 1
            }
        }
        #expect(refusals > 10_000)
    }
}
