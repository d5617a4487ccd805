import GraphQL
import NIOCore
import NIOHTTP1
import Synchronization
import TestSupport
import Testing
import Web

@Suite("A streamed response")
struct StreamingTests {
    @Test("arrives in chunks, and the connection continues")
    func chunks() async throws {
        let next = Event<Void>()
        let route = StreamingRoute { writer in
            try await writer.write(ByteBuffer(string: "first "))
            await next.wait()
            try await writer.write(ByteBuffer())
            try await writer.write(ByteBuffer(string: String(repeating: "x", count: 300)))
        }
        try await withServer(routes: ["/stream": route]) { server in
            let client = try server.client()
            try await client.send(RawRequest.get("/stream") + RawRequest.get("/health/live"))
            let head = try await client.response(toHead: true)
            #expect(head.status == 200)
            #expect(head["transfer-encoding"] == "chunked")
            #expect(head["content-length"] == nil)
            #expect(try await client.take(11) == "6\r\nfirst \r\n")
            next.happen()
            let rest = "12c\r\n" + String(repeating: "x", count: 300) + "\r\n0\r\n\r\n"
            #expect(try await client.take(rest.utf8.count) == rest)
            #expect(try await client.response().status == 200)
        }
    }

    @Test("has no chunks for an HTTP/1.0 client, whose connection ends with it")
    func http10() async throws {
        let route = StreamingRoute { writer in
            try await writer.write(ByteBuffer(string: "all of it"))
        }
        try await withServer(routes: ["/stream": route]) { server in
            let client = try server.client()
            try await client.send("GET /stream HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")
            let head = try await client.response(toHead: true)
            #expect(head["transfer-encoding"] == nil)
            #expect(head["connection"] == "close")
            #expect(try await client.rest() == "all of it")
        }
    }

    @Test("has only a head for HEAD")
    func head() async throws {
        let route = StreamingRoute { _ in throw CancellationError() }
        try await withServer(routes: ["/stream": route]) { server in
            let client = try server.client()
            try await client.send(
                "HEAD /stream HTTP/1.1\r\nHost: a\r\n\r\n" + RawRequest.get("/health/live"))
            #expect(try await client.response(toHead: true)["transfer-encoding"] == "chunked")
            #expect(try await client.response().status == 200)
        }
    }

    @Test("waits for a client that does not read, and continues when it reads")
    func backpressure() async throws {
        let part = ByteBuffer(repeating: UInt8(ascii: "x"), count: 1 << 20)
        let started = Event<Void>()
        let sent = Mutex(0)
        let route = StreamingRoute { writer in
            for _ in 0..<12 {
                try await writer.write(part)
                sent.withLock { $0 += 1 }
                started.happen()
            }
        }
        try await withServer(routes: ["/stream": route]) { server in
            let client = try RawClient(port: server.port, receiveBuffer: 4096)
            try await client.send(RawRequest.get("/stream"))
            await started.wait()
            let other = try server.client()
            // Enough time to send everything if limited buffers did not block the sender.
            for _ in 0..<100 {
                try await other.send(RawRequest.get("/health/live"))
                _ = try await other.response()
            }
            #expect(sent.withLock { $0 } < 12)
            #expect(try await client.response().body.utf8.count == 12 << 20)
        }
    }

    @Test("is cancelled if the client disconnects, and later writes fail")
    func clientGone() async throws {
        let started = Event<Void>()
        let outcome = Event<Bool>()
        let route = StreamingRoute { writer in
            try await writer.write(ByteBuffer(string: "first"))
            let cancelled = Event<Void>()
            started.happen()
            try? await waitForCancellation(telling: cancelled)
            do {
                try await writer.write(ByteBuffer(string: "second"))
                outcome.happen(false)
            } catch {
                outcome.happen(error is CancellationError)
            }
        }
        try await withServer(routes: ["/stream": route]) { server in
            let client = try server.client()
            try await client.send(RawRequest.get("/stream"))
            await started.wait()
            client.close()
            #expect(await outcome.wait())
        }
    }

    @Test("is cancelled when the server drains, after a last write")
    func draining() async throws {
        let started = Event<Void>()
        let route = StreamingRoute { writer in
            let cancelled = Event<Void>()
            started.happen()
            try? await waitForCancellation(telling: cancelled)
            try await writer.write(ByteBuffer(string: "goodbye"))
        }
        try await withServer(routes: ["/stream": route]) { server in
            let client = try server.client()
            try await client.send(RawRequest.get("/stream"))
            await started.wait()
            server.stop()
            #expect(try await client.response().body == "goodbye")
            #expect(try await client.rest() == "")
        }
    }

    @Test("ends without its last chunk after an error")
    func failure() async throws {
        let route = StreamingRoute { writer in
            try await writer.write(ByteBuffer(string: "first"))
            throw CancellationError()
        }
        try await withServer(routes: ["/stream": route]) { server in
            let client = try server.client()
            try await client.send(RawRequest.get("/stream"))
            _ = try await client.response(toHead: true)
            #expect(try await client.rest() == "5\r\nfirst\r\n")
        }
    }

    @Test("ends if it writes nothing for too long")
    func silence() async throws {
        let cancelled = Event<Void>()
        let route = StreamingRoute { _ in try await waitForCancellation(telling: cancelled) }
        var limits = ServerLimits.patient
        limits.streamTimeout = .milliseconds(50)
        try await withServer(limits: limits, routes: ["/stream": route]) { server in
            let client = try server.client()
            try await client.send(RawRequest.get("/stream"))
            _ = try await client.response(toHead: true)
            #expect(try await client.rest() == "")
            await cancelled.wait()
        }
    }

    @Test("is refused above the limit")
    func bound() async throws {
        let cancelled = Event<Void>()
        let route = StreamingRoute { _ in try await waitForCancellation(telling: cancelled) }
        var limits = ServerLimits.patient
        limits.streams = 1
        try await withServer(limits: limits, routes: ["/stream": route]) { server in
            let client = try server.client()
            try await client.send(RawRequest.get("/stream"))
            #expect(try await client.response(toHead: true).status == 200)
            let refusal = try await server.ask(RawRequest.get("/stream"))
            #expect(refusal.status == 503)
            #expect(refusal["retry-after"] == "1")
            #expect(refusal.message == "Too many responses are being streamed. Try again in a moment.")
        }
    }
}

/// A route whose response is streamed.
struct StreamingRoute: Route {
    let producer: StreamingBody

    init(_ produce: @escaping @Sendable (BodyWriter) async throws -> Void) {
        producer = StreamingBody(produce)
    }

    func admit(_ head: RequestHead, id: RequestID) -> Result<RequestHandler, RequestRejection> {
        .success { [producer] _, _ in .ready(HTTPResponse(.ok, "text/plain", streaming: producer)) }
    }
}
