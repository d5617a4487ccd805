import NIOCore
import NIOHTTP1
import Testing

@testable import Web

@Suite("A header field in several lines")
struct RepeatedFieldTests {
    /// A head in the form of HTTP/1.1.
    private static func parsed(_ lines: [String], method: String = "GET") -> RequestEvent? {
        let head = ["\(method) /graphql HTTP/1.1", "Host: a"] + lines + ["", ""]
        var parser = RequestParser(ServerLimits())
        parser.receive(ByteBuffer(string: head.joined(separator: "\r\n")))
        return parser.next()
    }

    private static let value = String(repeating: "a", count: 155)

    @Test("is stored once, however many lines it has")
    func memory() throws {
        let event = Self.parsed(Array(repeating: "Via: \(Self.value)", count: 96))
        guard case .head(let head)? = event else { return #expect(Bool(false), "It is refused.") }
        // 96 values and 95 separators.
        #expect(head.fields[.proxy]?.utf8.count == 96 * 155 + 95 * 2)
        // The head (32 bytes, 96 lines and the empty line), and the joined value.
        #expect(head.fields.size == 32 + 96 * 162 + 2 + 15_070)
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
        let lines = ["Via: a", "Accept: b", "Via: c", "Via: d", "Accept: e", "Accept: f", "Via: g"]
        guard case .head(let head)? = Self.parsed(lines) else {
            return #expect(Bool(false), "It is refused.")
        }
        #expect(head.fields[.proxy] == "a, c, d, g")
        #expect(head.fields.accept == "b, e, f")
    }

    @Test("counts for the memory of requests while the body is awaited")
    func budget() throws {
        let lines =
            ["Content-Type: application/json", "Content-Length: 2"]
            + Array(repeating: "Via: \(Self.value)", count: 95)
        let event = try #require(Self.parsed(lines, method: "POST"))
        guard case .head(let head) = event else { return #expect(Bool(false), "\(event)") }
        let limits = ServerLimits()
        let load = ServerResources(limits)
        let router = Router(
            TestService.make().service, ServerConfiguration(limits: limits), load, logger: .silent)
        var assembler: RequestAssembler? = RequestAssembler(
            router: router, limits: limits, memory: load.requestMemory, shares: load.shares)
        _ = assembler?.receive(event, newID: RequestIDGenerator().make)
        // 4 KiB of the head and 4 KiB of all are not counted.
        #expect(load.requestMemory.bytes == head.fields.size - (8 << 10))
        assembler = nil
        #expect(load.requestMemory.bytes == 0)
    }
}
