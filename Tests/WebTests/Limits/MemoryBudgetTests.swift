import NIOCore
import TestSupport
import Testing
import Web

@Suite("The memory of requests and responses in flight")
struct MemoryBudgetTests {
    /// The uncounted bytes of request bodies.
    private static let uncounted = 4 << 10

    @Test("is counted beyond the first bytes, up to the limit, until the reservation ends")
    func counts() {
        let budget = MemoryBudget(limit: 100, clientLimit: 100)
        var (small, large, other): Reservations = (nil, nil, nil)
        #expect(budget.reserve(10, for: nil, uncounted: 10, in: &small) && small == nil)
        #expect(budget.reserve(70, for: nil, uncounted: 10, in: &large) && budget.bytes == 60)
        #expect(budget.reserve(80, for: nil, uncounted: 10, in: &large) && budget.bytes == 70)
        #expect(
            !budget.reserve(41, for: nil, uncounted: 10, in: &other) && budget.bytes == 70 && other == nil)
        #expect(budget.reserve(40, for: nil, uncounted: 10, in: &other) && budget.bytes == 100)
        #expect(budget.reserve(10, for: nil, uncounted: 10, in: &small))
        #expect(budget.reserve(20, for: nil, uncounted: 10, in: &large) && budget.bytes == 40)
        #expect(budget.reserve(0, for: nil, uncounted: 10, in: &large) && large == nil && budget.bytes == 30)
        other = nil
        #expect(budget.bytes == 0)
    }

    private typealias Reservations = (
        MemoryBudget.Reservation?, MemoryBudget.Reservation?, MemoryBudget.Reservation?
    )

    @Test("is shared by clients: one that has used up its share leaves the rest to others")
    func shares() throws {
        let budget = MemoryBudget(limit: 100, clientLimit: 40)
        let clients = try ["192.0.2.1", "192.0.2.2"].map {
            ClientAddress(try SocketAddress(ipAddress: $0, port: 1))
        }
        var (first, second, third): Reservations = (nil, nil, nil)
        #expect(budget.reserve(30, for: clients[0], uncounted: 0, in: &first))
        #expect(!budget.reserve(11, for: clients[0], uncounted: 0, in: &second))
        #expect(budget.reserve(40, for: clients[1], uncounted: 0, in: &second))
        #expect(budget.reserve(30, for: nil, uncounted: 0, in: &third) && budget.bytes == 100)
        #expect(!budget.reserve(40, for: clients[0], uncounted: 0, in: &first) && budget.bytes == 100)
        first = nil
        #expect(budget.reserve(60, for: nil, uncounted: 0, in: &third) && budget.bytes == 100)
        (second, third) = (nil, nil)
        #expect(budget.bytes == 0)
    }

    @Test(
        "admits one reservation of a client beyond its share, and none beyond the total"
    )
    func exceptions() throws {
        let budget = MemoryBudget(limit: 100, clientLimit: 40)
        let client = ClientAddress(try SocketAddress(ipAddress: "192.0.2.1", port: 1))
        var (first, second, third): Reservations = (nil, nil, nil)
        // The total holds for the first reservation, too.
        #expect(!budget.reserve(101, for: client, uncounted: 0, in: &first) && budget.bytes == 0)
        #expect(!budget.reserve(101, for: nil, uncounted: 0, in: &first) && budget.bytes == 0)
        #expect(budget.reserve(100, for: client, uncounted: 0, in: &first) && budget.bytes == 100)
        #expect(!budget.reserve(1, for: client, uncounted: 0, in: &second))
        #expect(!budget.reserve(1, for: nil, uncounted: 0, in: &second))
        #expect(!budget.reserve(1, for: nil, uncounted: 0, isMutation: true, in: &third))
        first = nil
        #expect(budget.bytes == 0)
    }

    @Test("has a reserve for the responses of mutations, which are bounded, too")
    func mutations() throws {
        let budget = MemoryBudget(limit: 100, clientLimit: 40, mutationReserve: 25)
        let client = ClientAddress(try SocketAddress(ipAddress: "192.0.2.1", port: 1))
        var (first, second, third): Reservations = (nil, nil, nil)
        #expect(!budget.reserve(76, for: nil, uncounted: 0, in: &first))
        #expect(budget.reserve(40, for: client, uncounted: 0, in: &first))
        #expect(!budget.reserve(1, for: client, uncounted: 0, in: &second))
        #expect(!budget.reserve(41, for: client, uncounted: 0, isMutation: true, in: &second))
        #expect(budget.reserve(40, for: client, uncounted: 0, isMutation: true, in: &second))
        #expect(!budget.reserve(1, for: nil, uncounted: 0, in: &third))
        #expect(!budget.reserve(21, for: nil, uncounted: 0, isMutation: true, in: &third))
        #expect(
            budget.reserve(20, for: nil, uncounted: 0, isMutation: true, in: &third) && budget.bytes == 100)
        (first, second, third) = (nil, nil, nil)
        #expect(budget.bytes == 0)
    }

    /// Limits with memory for one long body, not for two.
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
            // A masked text frame of 40,000 bytes without the last one, in fragments around a ping.
            let mask: [UInt8] = [0, 0, 0, 0]
            let ping: [UInt8] = [0x89, 0x80] + mask
            try await silent.client.send(
                [0x01, 0x80 | 126, 0x4E, 0x20] + mask + [UInt8](repeating: 32, count: 20_000) + ping)
            try await silent.client.send(
                [0x80, 0x80 | 126, 0x4E, 0x20] + mask + [UInt8](repeating: 32, count: 19_999))
            let counted = 20_000 + 19_999 - Self.uncounted
            let full = "\nportico_http_request_memory_bytes \(counted)\n"
            try await waitUntil { try await server.ask(RawRequest.get("/metrics")).body.contains(full) }

            let other = try await SocketClient.begin(server)
            try await other.subscribe("short", "{ hello }")
            #expect(try await other.next().text.contains("world"))
            #expect(try await other.next().text.contains("complete"))
            // A message that arrives complete is processed immediately, and not counted.
            try await other.send(opcode: 1, [UInt8](repeating: 32, count: 40_000), isFinal: false)
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

    @Test("is not used by many short messages in one segment while it is full")
    func burst() async throws {
        try await withServer(LiveService.make(), limits: limits) { server in
            let silent = try server.client()
            try await silent.send(
                head + "Content-Length: 50000\r\n\r\n" + String(repeating: " ", count: 49_999))
            let full = "\nportico_http_request_memory_bytes \(49_999 - Self.uncounted)\n"
            try await waitUntil { try await server.ask(RawRequest.get("/metrics")).body.contains(full) }
            let socket = try await SocketClient.begin(server)
            let ping = #"{"type":"ping"}"#
            let frame = [0x81, 0x80 | UInt8(ping.utf8.count), 0, 0, 0, 0] + Array(ping.utf8)
            try await socket.client.send(Array(repeatElement(frame, count: 1_000).joined()))
            for _ in 0..<1_000 { #expect(try await socket.next().text == #"{"type":"pong"}"#) }
            silent.close()
        }
    }

    @Test(
        "is returned after a time: a WebSocket message that stays incomplete ends its socket, whatever it sends beside"
    )
    func incompleteMessage() async throws {
        var limits = limits
        limits.bodyTimeout = .milliseconds(300)
        try await withServer(LiveService.make(), limits: limits) { server in
            let socket = try await SocketClient.begin(server)
            try await socket.send(opcode: 1, [32], isFinal: false)
            // A pong shows that the client is alive, and is not part of the message.
            try await socket.send(opcode: 10, [])
            let close = try await socket.next()
            #expect(close.closeCode == 1008)
            #expect(close.closeMessage == "A message took longer than 1 seconds to arrive")
        }
    }

    @Test("holds a message of many fragments once, not with the buffers of their reads")
    func fragments() async throws {
        try await withServer(LiveService.make(), limits: limits) { server in
            let socket = try await SocketClient.begin(server)
            let message = Array(#"{"id":"a","type":"subscribe","payload":{"query":"{ hello }"}}"#.utf8)
            for (index, byte) in message.enumerated() {
                try await socket.send(opcode: index == 0 ? 1 : 0, [byte], isFinal: index == message.count - 1)
            }
            #expect(try await socket.next().text.contains("world"))
        }
    }

    @Test("refuses a ping with a long payload, which would be stored until the client reads the pong")
    func longPing() async throws {
        try await withServer(LiveService.make(), limits: limits) { server in
            let socket = try await SocketClient.begin(server)
            try await socket.say(
                #"{"type":"ping","payload":{"a":"\#(String(repeating: "x", count: 1_024))"}}"#)
            let close = try await socket.next()
            #expect(close.closeCode == 4400)
            #expect(
                close.closeMessage == "Invalid message: a 'ping' with a payload must have at most 1024 bytes")
        }
    }

    @Test("is used by long responses until their clients have read them: the next one gets 503")
    func responses() async throws {
        var limits = ServerLimits.patient
        // Less than two responses of 4 MB.
        limits.responseMemory = 6 << 20
        try await withServer(limits: limits) { server in
            let slow = try server.client()
            let big = RawRequest.post(RawRequest.query("{ big }"))
            // The kernel may buffer the first response, and not all of them.
            try await slow.send(big + big + big)
            try await waitUntil { try await server.ask(big).status == 503 }
            let refusal = try await server.ask(big)
            #expect(refusal.status == 503 && refusal.code == "OVERLOADED")
            #expect(
                refusal.message
                    == "The responses that wait for their clients take too much memory. Read responses faster, or request "
                    + "less at a time.")
            #expect(try await server.ask(RawRequest.post(RawRequest.query("{ hello }"))).status == 200)
            slow.close()
            let free = "\nportico_http_response_memory_bytes 0\n"
            try await waitUntil { try await server.ask(RawRequest.get("/metrics")).body.contains(free) }
            #expect(try await server.ask(big).status == 200)
        }
    }
}
