import NIOCore
import TestSupport
import Testing

@testable import Web

@Suite("The memory of request bodies and WebSocket messages")
struct RequestMemoryTests {
    private static let uncounted = RequestMemory.uncountedBytes

    @Test("is counted beyond the first bytes, up to the limit, until the share is released")
    func counts() {
        let memory = RequestMemory(limit: 100)
        var (small, large, other): (RequestMemory.Share?, RequestMemory.Share?, RequestMemory.Share?)
        #expect(memory.reserve(Self.uncounted, in: &small) && small == nil)
        #expect(memory.reserve(Self.uncounted + 60, in: &large) && memory.bytes == 60)
        #expect(memory.reserve(Self.uncounted + 70, in: &large) && memory.bytes == 70)
        #expect(!memory.reserve(Self.uncounted + 31, in: &other) && memory.bytes == 70)
        #expect(memory.reserve(Self.uncounted + 30, in: &other) && memory.bytes == 100)
        #expect(memory.reserve(Self.uncounted, in: &small))
        large = nil
        #expect(memory.bytes == 30)
        other = nil
        #expect(memory.bytes == 0)
    }

    /// Room for one long body, not for two.
    private var limits: ServerLimits {
        var limits = ServerLimits.patient
        limits.body = 50_000
        limits.requestMemory = 60_000
        return limits
    }

    private let head = "POST /graphql HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"

    @Test(
        "is used up by clients that send most of a body and wait: long requests get 503, short ones a response"
    )
    func bodies() async throws {
        try await withServer(limits: limits) { server in
            let silent = try server.client()
            try await silent.send(
                head + "Content-Length: 40000\r\n\r\n" + String(repeating: " ", count: 39_999))
            let full = "\nportico_http_request_memory_bytes \(39_999 - Self.uncounted)\n"
            try await waitUntil { try await server.ask(RawRequest.get("/metrics")).body.contains(full) }
            let long = RawRequest.query("{ hello } # " + String(repeating: "x", count: 40_000))
            let refusal = try await server.client().asking(RawRequest.post(long))
            #expect(refusal.status == 503 && refusal.code == "OVERLOADED" && refusal["retry-after"] == "1")
            #expect(refusal["connection"] == "close")
            #expect(
                refusal.body.contains(
                    "The requests that are being received take too much memory. Try again in a moment, or send a "
                        + "shorter request."))
            #expect(
                try await server.client().asking(RawRequest.post(RawRequest.query("{ hello }"))).status == 200
            )
            silent.close()
            let free = "\nportico_http_request_memory_bytes 0\n"
            try await waitUntil { try await server.ask(RawRequest.get("/metrics")).body.contains(free) }
            #expect(try await server.client().asking(RawRequest.post(long)).status == 200)
        }
    }

    @Test("is not retained by a streamed response, whose body was long")
    func streams() async throws {
        try await withServer(LiveService.make(), limits: limits) { server in
            let client = try server.client()
            let body = RawRequest.query("subscription { endless } # " + String(repeating: "x", count: 40_000))
            try await client.send(RawRequest.post(body, fields: ["Accept: text/event-stream"]))
            let streaming = "\nportico_http_streams 1\n"
            let free = "\nportico_http_request_memory_bytes 0\n"
            try await waitUntil {
                let metrics = try await server.ask(RawRequest.get("/metrics")).body
                return metrics.contains(streaming) && metrics.contains(free)
            }
            client.close()
        }
    }

    @Test("is used up by WebSockets that send most of a message and wait: the next one is closed with 1013")
    func messages() async throws {
        try await withServer(LiveService.make(), limits: limits) { server in
            let silent = try await SocketClient.begin(server)
            // A masked text frame of 40,000 bytes, all but the last of them, in fragments around a ping.
            let mask: [UInt8] = [0, 0, 0, 0]
            let ping: [UInt8] = [0x89, 0x80] + mask
            try await silent.client.send(
                [0x01, 0x80 | 126, 0x4E, 0x20] + mask + [UInt8](repeating: 32, count: 20_000) + ping)
            try await silent.client.send(
                [0x80, 0x80 | 126, 0x4E, 0x20] + mask + [UInt8](repeating: 32, count: 19_999))
            let counted = 40_000 - 1 + 2 * 8 - Self.uncounted
            let full = "\nportico_http_request_memory_bytes \(counted)\n"
            try await waitUntil { try await server.ask(RawRequest.get("/metrics")).body.contains(full) }

            let other = try await SocketClient.begin(server)
            try await other.subscribe("short", "{ hello }")
            #expect(try await other.next().text.contains("world"))
            #expect(try await other.next().text.contains("complete"))
            try await other.subscribe("long", "{ hello } # " + String(repeating: "x", count: 40_000))
            let close = try await other.next()
            #expect(close.closeCode == 1013)
            #expect(close.closeMessage == "The messages that are being received take too much memory")

            silent.client.close()
            let free = "\nportico_http_request_memory_bytes 0\n"
            try await waitUntil { try await server.ask(RawRequest.get("/metrics")).body.contains(free) }
            let third = try await SocketClient.begin(server)
            try await third.subscribe("long", "{ hello } # " + String(repeating: "x", count: 40_000))
            #expect(try await third.next().text.contains("world"))
        }
    }
}
