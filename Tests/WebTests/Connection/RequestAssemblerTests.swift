import NIOCore
import NIOHTTP1
import Testing

@testable import Web

@Suite("The request assembler")
struct RequestAssemblerTests {
    private var limits: ServerLimits {
        var limits = ServerLimits()
        limits.body = 10
        return limits
    }

    private func assembler() -> RequestAssembler {
        let load = ServerResources(limits)
        let router = Router(
            TestService.make().service, ServerConfiguration(limits: limits), load, logger: .silent)
        return RequestAssembler(
            router: router, limits: limits, memory: load.requestMemory, shares: load.shares)
    }

    private func head(_ fields: [(String, String)] = [], path: String = "/graphql") -> RequestEvent {
        let all = [("Host", "a"), ("Content-Type", "application/json")] + fields
        let lines = ["POST \(path) HTTP/1.1"] + all.map { "\($0): \($1)" } + ["", ""]
        var parser = RequestParser(ServerLimits())
        parser.receive(ByteBuffer(string: lines.joined(separator: "\r\n")))
        return parser.next() ?? .end
    }

    private func body(_ text: String) -> RequestEvent { .body(ByteBuffer(string: text)) }

    /// The actions that result from the parts, as text.
    private func steps(_ parts: [RequestEvent]) -> [String] {
        let ids = RequestIDGenerator()
        var assembler = assembler()
        return parts.map { part in
            switch assembler.receive(part, newID: ids.make) {
            case .nothing: return assembler.isMidRequest ? "more" : "nothing"
            case .invite: return "invite"
            case .exchange(let exchange):
                switch exchange.work {
                case .handle(_, let body): return "answer \(String(buffer: body))"
                case .started: return "begun"
                case .respond(let response):
                    return "tell \(response.status.code)\(response.endsConnection ? " and end" : "")"
                }
            }
        }
    }

    @Test("assembles a body, and starts again after it")
    func assembles() {
        #expect(
            steps([head(), body("ab"), body("c"), body("d"), .end, head(), .end])
                == ["more", "more", "more", "more", "answer abcd", "more", "answer "])
    }

    @Test("counts a long head for the memory of requests while the body is awaited")
    func longHead() throws {
        let event = head(Array(repeating: ("Via", String(repeating: "a", count: 155)), count: 95))
        guard case .head(let received) = event else { return #expect(Bool(false), "It is refused.") }
        let limits = ServerLimits()
        let load = ServerResources(limits)
        let router = Router(
            TestService.make().service, ServerConfiguration(limits: limits), load, logger: .silent)
        var assembler: RequestAssembler? = RequestAssembler(
            router: router, limits: limits, memory: load.requestMemory, shares: load.shares)
        _ = assembler?.receive(event, newID: RequestIDGenerator().make)
        // 4 KiB of the head and 4 KiB of all are not counted.
        #expect(load.requestMemory.bytes == received.fields.size - (8 << 10))
        #expect(load.requestMemory.bytes > 16 << 10)
        assembler = nil
        #expect(load.requestMemory.bytes == 0)
    }

    @Test("accepts a body of exactly the limit, in any number of parts")
    func bodyAtLimit() {
        #expect(steps([head(), body("0123456789"), .end]).last == "answer 0123456789")
        #expect(steps([head(), body("01234"), body("56789"), .end]).last == "answer 0123456789")
        #expect(
            steps([head(), body("0123456789"), body("a"), .end, head()])
                == ["more", "more", "tell 413 and end", "nothing", "nothing"])
    }

    @Test("refuses an announced body above the limit before it arrives")
    func announced() {
        #expect(steps([head([("Content-Length", "11")])]) == ["tell 413 and end"])
        #expect(steps([head([("Content-Length", "10")])]) == ["more"])
    }

    @Test("discards the body of a refused request, and reports its end")
    func refused() {
        #expect(
            steps([head(path: "/a"), body("abc"), .end, head(), .end])
                == ["more", "more", "tell 404", "more", "answer "])
        #expect(
            steps([head(path: "/a"), body("0123456789"), body("a"), .end])
                == ["more", "more", "tell 404 and end", "nothing"])
        #expect(steps([head([("Content-Length", "11")], path: "/a")]) == ["tell 404 and end"])
    }

    @Test("sends 100 Continue only to an accepted client with a body")
    func invites() {
        let expect = ("Expect", "100-continue")
        #expect(steps([head([expect, ("Content-Length", "2")])]) == ["invite"])
        #expect(steps([head([expect, ("Transfer-Encoding", "chunked")])]) == ["invite"])
        #expect(steps([head([expect])]) == ["more"])
        #expect(steps([head([expect, ("Content-Length", "2")], path: "/a")]) == ["tell 404 and end"])
        #expect(steps([head([expect, ("Content-Length", "11")])]) == ["tell 413 and end"])
    }
}
