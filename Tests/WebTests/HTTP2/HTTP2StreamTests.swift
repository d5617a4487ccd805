import NIOCore
import NIOHTTP1
import TestSupport
import Testing
import Web

/// The codes are those of RFC 9113, section 7: 0 NO_ERROR, 1 PROTOCOL_ERROR, 8 CANCEL, 11 ENHANCE_YOUR_CALM.
@Suite("A stream of HTTP/2")
struct HTTP2StreamTests {
    private typealias Frame = RawHTTP2Client.Frame

    /// A malformed request on stream 1 (RFC 9113, sections 6.9 and 8.1.1).
    struct Malformed: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let frames: [RawHTTP2Client.Frame]

        static let all = [
            Malformed(
                testDescription: "te: gzip",
                frames: [.request("GET", "/health/live", [("te", "gzip")], on: 1, isLast: true)]),
            Malformed(
                testDescription: "a body shorter than its length",
                frames: [.post([("content-length", "5")], on: 1), .data("{}", on: 1)]),
            Malformed(
                testDescription: "an increment of 0",
                frames: [.post(on: 1), .number(.windowUpdate, 0, on: 1)]),
            Malformed(
                testDescription: "a name with a capital letter",
                frames: [.request("GET", "/health/live", [("X-A", "b")], on: 1, isLast: true)]),
            Malformed(
                testDescription: "connection: close",
                frames: [.request("GET", "/health/live", [("connection", "close")], on: 1, isLast: true)]),
            Malformed(
                testDescription: "trailers without the end of the stream",
                frames: [
                    .post(on: 1), .data("{}", on: 1, isLast: false),
                    .head([("x-a", "b")], on: 1, isLast: false),
                ]),
        ]
    }

    @Test(
        "with a malformed request is reset, and the others of its connection continue",
        arguments: Malformed.all)
    func streamErrors(_ malformed: Malformed) async throws {
        try await withHTTP2Client { client, _ in
            try await client.send(malformed.frames)
            let frames = try await client.frames { $0.type == .reset }
            #expect(frames.filter { $0.type == .reset }.map(\.stream) == [1])
            #expect(frames.last { $0.type == .reset }?.number() == 1)
            try await client.send([.request("GET", "/health/live", on: 3, isLast: true)])
            #expect(try await client.status(on: 3) == "200")
        }
    }

    @Test("cannot use data before its head, which ends the connection with GOAWAY")
    func connectionError() async throws {
        try await withHTTP2Client { client, _ in
            try await client.send([.data("{}", on: 7)])
            let frames = try await client.framesUntilClosed()
            #expect(frames.last { $0.type == .goAway }?.number(at: 4) == 1)
        }
    }

    @Test("can be cancelled often, as proxies do for their clients")
    func cancelledRequests() async throws {
        try await withHTTP2Client { client, _ in
            for number in 0..<UInt32(300) {
                try await client.send([.post(on: 2 * number + 1), .number(.reset, 8, on: 2 * number + 1)])
            }
            try await client.send([.request("GET", "/health/live", on: 601, isLast: true)])
            #expect(try await client.status(on: 601) == "200")
        }
    }

    @Test("ends its connection if the client resets thousands in a second, or sends as many control frames")
    func floods() async throws {
        var resets: [Frame] = []
        for number in 0..<UInt32(10_000) {
            let stream = 2 * number + 1
            resets.append(.post(on: stream))
            resets.append(.number(.reset, 8, on: stream))
            resets.append(.number(.reset, 8, on: stream))
        }
        let pings = Array(
            repeating: Frame(type: .ping, stream: 0, payload: Array(repeating: 0, count: 8)), count: 10_000)
        for flood in [resets, pings] {
            try await withHTTP2Client { client, server in
                // The server closes the connection while it reads.
                try? await client.send(flood)
                _ = try await client.framesUntilClosed()
                try await server.expectNoConnection()
                #expect(server.server.state.load.requestMemory.bytes == 0)
            }
        }
    }

    @Test("gets 100 Continue if it expects it")
    func expectContinue() async throws {
        try await withHTTP2Client { client, _ in
            let fields = [("expect", "100-continue"), ("content-length", "21")]
            try await client.send([.post(fields, on: 1)])
            let frames = try await client.frames { $0.type == .headers }
            #expect(frames.last { $0.type == .headers }?.fields == [":status": "100"])
            try await client.send([.data(RawRequest.query("{ hello }"), on: 1)])
            #expect(try await client.status(on: 1) == "200")
        }
    }

    @Test("ends without an error after a response that needs not the rest of the request")
    func earlyResponse() async throws {
        try await withHTTP2Client { client, _ in
            try await client.send([.post([("content-length", "2000000")], on: 1)])
            #expect(try await client.status(on: 1) == "413")
            let frames = try await client.frames { $0.type == .reset }
            #expect(frames.last { $0.type == .reset }?.number() == 0)
        }
    }

    @Test(
        "has at most the number of fields that HTTP/1.1 has, where the parts of a cookie are one",
        arguments: [("accept", 110, "431"), ("x-a", 100, "431"), ("x-a", 90, "200"), ("cookie", 110, "200")])
    func fields(_ name: String, _ count: Int, _ status: String) async throws {
        try await withHTTP2Client { client, _ in
            let fields = Array(repeating: (name, String(repeating: "a", count: 40)), count: count)
            try await client.send([.request("GET", "/health/live", fields, on: 1, isLast: true)])
            #expect(try await client.status(on: 1) == status)
        }
    }

    @Test(
        "is closed when its client reads too little in the time, and not when it reads steadily",
        arguments: [true, false])
    func slowReader(isReading: Bool) async throws {
        var limits = ServerLimits.patient
        // Long beside the pauses of the reader, so that a machine with much work does not end the stream.
        limits.writeTimeout = .seconds(3)
        // 14 windows of 16,384 bytes beyond the first window of 65,535.
        let body = Array(repeating: UInt8(ascii: "a"), count: 65_535 + 14 * 16_384)
        let route = ReadOnlyRoute { _ in
            var response = HTTPResponse(.ok, "text/plain", body: body)
            response.headers = [HTTPResponse.Header("cache-control", "no-store")]
            return response
        }
        try await withHTTP2Client(limits: limits, routes: ["/large": route]) { client, _ in
            try await client.send([.request("GET", "/large", on: 1, isLast: true)])
            // NIO sends the empty frame that ends a stream only into an open window.
            for _ in 0..<15 where isReading {
                try await Task.sleep(for: .milliseconds(400))
                try await client.send([
                    .number(.windowUpdate, 16_384, on: 1), .number(.windowUpdate, 16_384, on: 0),
                ])
            }
            let frames = try await client.frames {
                $0.stream == 1 && ($0.type == .reset || $0.flags & 1 == 1)
            }
            let length = frames.filter { $0.type == .data }.reduce(0) { $0 + $1.payload.count }
            #expect(length == (isReading ? body.count : 65_535))
            #expect(frames.contains { $0.type == .reset } == !isReading)
        }
    }
}
