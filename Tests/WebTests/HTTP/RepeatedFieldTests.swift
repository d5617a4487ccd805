import NIOCore
import NIOHTTP1
import Testing
import Web

@Suite("A header field in several lines")
struct RepeatedFieldTests {
    /// A head in the form of HTTP/1.1.
    private static func parsed(_ lines: [String]) -> RequestEvent? {
        let head = ["GET /graphql HTTP/1.1", "Host: a"] + lines + ["", ""]
        var parser = RequestParser(ServerLimits())
        parser.receive(ByteBuffer(string: head.joined(separator: "\r\n")))
        return parser.next()
    }

    private static let value = String(repeating: "a", count: 155)

    @Test("is stored once, however many lines it has")
    func memory() throws {
        let event = Self.parsed(Array(repeating: "Accept: \(Self.value)", count: 96))
        guard case .head(let head)? = event else { return #expect(Bool(false), "It is refused.") }
        // 96 values and 95 separators.
        #expect(head.fields.accept?.utf8.count == 96 * 155 + 95 * 2)
        // The head (32 bytes, 96 lines and the empty line), and the joined value.
        #expect(head.fields.size == 32 + 96 * 165 + 2 + 15_070)
    }

    @Test("is refused if its lines are among those of another field, so that each needs a copy")
    func alternating() throws {
        let lines = (0..<48).flatMap { _ in ["Via: \(Self.value)", "Accept: \(Self.value)"] }
        guard case .malformed(let error, .GET)? = Self.parsed(lines) else {
            return #expect(Bool(false), "It is not refused.")
        }
        #expect(error == .headersTooLarge(limit: 16 << 10))
    }

    @Test("has the values of all lines, in their order")
    func order() throws {
        let lines = ["a", "b", "c", "d", "e", "f", "g"].map {
            "bef".contains($0) ? "Accept: \($0)" : "X-Forwarded-For: \($0)"
        }
        guard case .head(let head)? = Self.parsed(lines) else {
            return #expect(Bool(false), "It is refused.")
        }
        #expect(head.fields.forwardedFor == "a, c, d, g")
        #expect(head.fields.accept == "b, e, f")
    }
}
